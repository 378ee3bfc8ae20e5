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

/** The names of a page: for each label what the ids of its records stand for. */
export type PageNames = { [L in NameLabel]?: Record<string, string> | null }

/** The names of all opportunities of a page, each read once. */
export function pageNames(labels: readonly NameLabel[]) {
  return (valuesOf: (column: string) => RawBuilder<unknown>): RawBuilder<PageNames> => {
    const members = labels.map((label) => {
      const { around, column } = NAMES[label]
      return sql`${sql.lit(label)}, (select json_object_agg(n.id, ${sql.ref(`n.${column}`)})
        from ${sql.table(around.table)} n
        where n.account_id = ${param('account')} and n.id in (${valuesOf(around.key)}))`
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
  for (const label of labels) {
    const names = shared?.[label] ?? {}
    const { id } = NAMES[label]
    for (const row of rows) row[label] = (names[row[id] as string] ?? null) as string
  }
}
