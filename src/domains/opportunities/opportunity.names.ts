import { type RawBuilder, sql } from 'kysely'
import { param } from '../../database/index.js'
import type { OpportunityRow } from './opportunity.columns.js'
import type { OpportunityLabels } from './opportunity.labels.js'

/** A record around an opportunity `o`. */
export interface Around {
  table: string
  /** What it is called in a statement that joins it. */
  alias: string
  /** The column of the opportunity that refers to it. */
  key: string
}

/** Something that an opportunity shows of a record around it, as an expression over both. */
export interface Label {
  expression: RawBuilder<unknown>
  around?: Around
}

interface Name extends Label {
  around: Around
  column: string
  /** The property of an opportunity that leads to the record. */
  id: 'pipelineId' | 'stageId' | 'campaignId' | 'ownerUserId' | 'sectorId' | 'discardReasonId'
}

const PIPELINE = { table: 'pipeline', alias: 'op', key: 'pipeline_id' }
const STAGE = { table: 'stage', alias: 'os', key: 'stage_id' }
const CAMPAIGN = { table: 'campaign', alias: 'oc', key: 'campaign_id' }
const OWNER = { table: 'app_user', alias: 'ou', key: 'owner_user_id' }
const SECTOR = { table: 'sector', alias: 'oe', key: 'sector_id' }
const REASON = { table: 'discard_reason', alias: 'od', key: 'discard_reason_id' }

const name = (around: Around, id: Name['id'], column = 'name'): Name => ({
  ...{ around, id, column },
  expression: sql.ref(`${around.alias}.${column}`),
})

export type NameLabel = Exclude<keyof OpportunityLabels, `contact${string}`>

/** What is shown of records that many opportunities share. */
export const NAMES: Readonly<Record<NameLabel, Name>> = {
  pipelineName: name(PIPELINE, 'pipelineId'),
  stageName: name(STAGE, 'stageId'),
  campaignName: name(CAMPAIGN, 'campaignId'),
  ownerUserName: name(OWNER, 'ownerUserId'),
  ownerUserEmail: name(OWNER, 'ownerUserId', 'email'),
  sectorName: name(SECTOR, 'sectorId'),
  discardReasonName: name(REASON, 'discardReasonId'),
}
export const NAME_LABELS = Object.keys(NAMES) as NameLabel[]

/** The records of a page by kind: what is shown of each by its id. */
export type PageNames = Record<string, Record<string, string[]> | null>

const columnsBy = Map.groupBy(NAME_LABELS, (label) => NAMES[label].around)

/** What is shown of the records around all opportunities of a page, each read once. */
export function pageNames(labels: readonly NameLabel[]) {
  const kinds = [...columnsBy].filter(([, ofKind]) => ofKind.some((label) => labels.includes(label)))
  return (valuesOf: (column: string) => RawBuilder<unknown>): RawBuilder<PageNames> => {
    const members = kinds.map(([{ table, key }, ofKind]) => {
      const columns = ofKind.map((label) => sql.ref(`n.${NAMES[label].column}`))
      return sql`${sql.lit(key)}, (select json_object_agg(n.id, json_build_array(${sql.join(columns)}))
        from ${sql.table(table)} n where n.account_id = ${param('account')} and n.id in (${valuesOf(key)}))`
    })
    return sql`json_build_object(${sql.join(members)})`
  }
}

/** Gives each opportunity of a page its names. */
export function spreadNames(
  rows: readonly (OpportunityRow & { shared?: PageNames })[],
  labels: readonly NameLabel[],
): void {
  const shared = rows[0]?.shared
  if (!shared) return
  for (const label of labels) {
    const { id, around } = NAMES[label]
    const known = shared[around.key] ?? {}
    const place = columnsBy.get(around)!.indexOf(label)
    for (const row of rows) row[label] = known[row[id] as string]?.[place] ?? (null as never)
  }
}
