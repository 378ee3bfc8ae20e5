import type { Scope } from '../../database/index.js'
import type { ReportFilter } from './report.inputs.js'

/** Nobody has it. */
const NOBODY = ''

/** What a report counts for the viewer: of a seller only what they own, whoever else is asked for. */
export function ofViewer({ viewer }: Scope, filter: ReportFilter | null): ReportFilter | null {
  const { ownerScope } = viewer
  if (ownerScope === undefined) return filter
  const asked = filter?.ownerUserId?.toLowerCase() ?? ownerScope
  return { ...filter, ownerUserId: asked === ownerScope ? ownerScope : NOBODY }
}
