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

const around = (table: string, alias: string, key: string): Around => ({ table, alias, key })
const PIPELINE = around('pipeline', 'op', 'pipeline_id')
const STAGE = around('stage', 'os', 'stage_id')
const CAMPAIGN = around('campaign', 'oc', 'campaign_id')
const OWNER = around('app_user', 'ou', 'owner_user_id')
const SECTOR = around('sector', 'oe', 'sector_id')
const REASON = around('discard_reason', 'od', 'discard_reason_id')

export type NameLabel = Exclude<keyof OpportunityLabels, `contact${string}`>

const named = (of: Around, column = 'name') => ({ around: of, expression: sql.ref(`${of.alias}.${column}`) })

/** What is shown of records that many opportunities share. */
export const NAMES: Readonly<Record<NameLabel, Label>> = {
  pipelineName: named(PIPELINE),
  stageName: named(STAGE),
  campaignName: named(CAMPAIGN),
  ownerUserName: named(OWNER),
  ownerUserEmail: named(OWNER, 'email'),
  sectorName: named(SECTOR),
  discardReasonName: named(REASON),
}

/** Something that a page does not have in each of its rows. A stage is of one pipeline, so it tells the pipeline's id, too. */
export type SharedField = NameLabel | 'pipelineId'

/** Records of one kind that the opportunities of a page share. */
interface Kind {
  /** The property of an opportunity that leads to them, and its column. */
  id: 'stageId' | 'campaignId' | 'ownerUserId' | 'sectorId' | 'discardReasonId'
  key: string
  /** Them as `n`, and what comes with them. */
  records: RawBuilder<unknown>
  shown: readonly SharedField[]
  columns: readonly string[]
}

const KINDS: readonly Kind[] = [
  {
    ...{ id: 'stageId', key: 'stage_id' },
    records: sql`stage n join pipeline p on p.account_id = n.account_id and p.id = n.pipeline_id`,
    shown: ['stageName', 'pipelineName', 'pipelineId'],
    columns: ['n.name', 'p.name', 'n.pipeline_id'],
  },
  kind(CAMPAIGN, 'campaignId', { campaignName: 'n.name' }),
  kind(OWNER, 'ownerUserId', { ownerUserName: 'n.name', ownerUserEmail: 'n.email' }),
  kind(SECTOR, 'sectorId', { sectorName: 'n.name' }),
  kind(REASON, 'discardReasonId', { discardReasonName: 'n.name' }),
]

function kind({ table, key }: Around, id: Kind['id'], shows: Partial<Record<NameLabel, string>>): Kind {
  const shown = Object.keys(shows) as NameLabel[]
  return { id, key, records: sql`${sql.table(table)} n`, shown, columns: Object.values(shows) }
}

/** A kind that a page reads once, and what it shows of it: each field with its place among the columns. */
export interface Shared {
  kind: Kind
  fields: readonly { field: SharedField; place: number }[]
}

/** What a page reads once of all that is asked for. */
export function sharedBy(asked: ReadonlySet<string>): Shared[] {
  const kinds = KINDS.filter(({ shown }) => shown.some((field) => field !== 'pipelineId' && asked.has(field)))
  return kinds.map((kind) => {
    const fields = kind.shown.map((field, place) => ({ field, place }))
    return { kind, fields: fields.filter(({ field }) => asked.has(field)) }
  })
}

/** The shared records of a page by kind: what is shown of each by its id. */
export type SharedRecords = Record<string, Record<string, string[]> | null>

/** The records that the opportunities of a page share, each read once. */
export function sharedRecords(shared: readonly Shared[]) {
  return (valuesOf: (column: string) => RawBuilder<unknown>): RawBuilder<SharedRecords> => {
    const members = shared.map(({ kind: { key, records, columns } }) => {
      const values = sql.join(columns.map((column) => sql.ref(column)))
      return sql`${sql.lit(key)}, (select json_object_agg(n.id, json_build_array(${values}))
        from ${records} where n.account_id = ${param('account')} and n.id in (${valuesOf(key)}))`
    })
    return sql`json_build_object(${sql.join(members)})`
  }
}

/** Gives each opportunity of a page what it shows of the records that it shares. */
export function spreadShared(
  rows: readonly (OpportunityRow & { shared?: SharedRecords })[],
  shared: readonly Shared[],
): void {
  const found = rows[0]?.shared
  if (!found) return
  for (const { kind, fields } of shared) {
    const records = found[kind.key] ?? {}
    for (const row of rows) {
      const id = row[kind.id]
      const record = id ? records[id] : undefined
      for (const { field, place } of fields) row[field] = record ? record[place] : (null as never)
    }
  }
}
