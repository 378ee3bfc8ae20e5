import { type RawBuilder, sql } from 'kysely'
import { columnOf, iso } from '../../database/index.js'
import type { Selection } from '../../kit/selection.js'
import type { Opportunity } from './opportunity.entity.js'
import type { OpportunityLabels } from './opportunity.labels.js'
import { type Around, type Label, NAMES, type Shared, sharedBy } from './opportunity.names.js'
import type { OpportunityComment, OpportunityProduct } from './parts.entity.js'

/** What belongs to an opportunity and is read along with it. */
export interface PartValues {
  products: OpportunityProduct[]
  comments: OpportunityComment[]
}

/** An opportunity as a read brings it: the columns that were asked for, and what belongs to it. */
export type OpportunityRow = Partial<Opportunity> & { id: string } & Partial<PartValues>

type Expression = RawBuilder<unknown>
type Columns<Names extends string> = Readonly<Record<Names, Expression>>

const own = (names: string) =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, sql.ref(`o.${columnOf(name)}`)]))

// Money is numeric in the database; a double holds every amount of the column exactly to the cent.
const SCALARS: Columns<Exclude<keyof Opportunity, keyof OpportunityLabels | 'accountId'>> = {
  ...(own(`id title currency probability pipelineId stageId campaignId ownerUserId sectorId discardReasonId contactId score
    source notes sentAt acceptedAt qualifyingStartedAt qualifiedAt scheduledAt wonAt lostAt lossReason discardedAt
    createdAt updatedAt`) as Columns<Exclude<keyof Opportunity, keyof OpportunityLabels>>),
  value: sql`o.value::float8`,
  expectedCloseDate: sql`o.expected_close_date::text`,
}

const copy = (name: string): Label => ({ expression: sql.ref(`o.${columnOf(name)}`) })

const LABELS: Readonly<Record<keyof OpportunityLabels, Label>> = {
  ...NAMES,
  // The contact's are kept on the opportunity itself.
  contactName: copy('contactName'),
  contactEmail: copy('contactEmail'),
  contactPhone: copy('contactPhone'),
  contactCompany: copy('contactCompany'),
  contactTitle: copy('contactTitle'),
  contactLocation: copy('contactLocation'),
  contactProfileUrl: copy('contactProfileUrl'),
  contactProfilePicture: copy('contactProfilePicture'),
}

/** What belongs to an opportunity, as expressions over an opportunity `o`. */
export const PARTS: Columns<keyof PartValues> = {
  products: sql`(select coalesce(json_agg(json_build_object('id', l.id, 'productId', l.product_id, 'name', l.name,
      'quantity', l.quantity::float8, 'unitPrice', l.unit_price::float8, 'totalPrice', l.total_price::float8,
      'discountPercent', l.discount_percent::float8, 'discountValue', l.discount_value::float8,
      'createdAt', ${iso('l.created_at')}) order by l.created_at, l.id), '[]')
    from opportunity_product l where l.account_id = o.account_id and l.opportunity_id = o.id)`,
  comments: sql`(select coalesce(json_agg(json_build_object('id', m.id, 'content', m.content, 'userName', m.user_name,
      'createdAt', ${iso('m.created_at')}) order by m.created_at, m.id), '[]')
    from opportunity_comment m where m.account_id = o.account_id and m.opportunity_id = o.id)`,
}

/** The id that leads to a related record, by the field that resolves to it. */
const RELATIONS: Readonly<Record<string, keyof typeof SCALARS>> = {
  pipeline: 'pipelineId',
  stage: 'stageId',
  campaign: 'campaignId',
  owner: 'ownerUserId',
  sector: 'sectorId',
  discardReason: 'discardReasonId',
  contact: 'contactId',
}

const SCALAR_NAMES = Object.keys(SCALARS) as (keyof typeof SCALARS)[]
const LABEL_NAMES = Object.keys(LABELS) as (keyof typeof LABELS)[]
export type Part = keyof PartValues
const PART_NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[]

/** What a statement over an opportunity `o` needs for a selection. */
export interface Shape {
  /** A text that stands for it, to keep compiled statements by. */
  name: string
  columns: Expression[]
  joins: Expression
  /** What is not among the columns, since a list reads it once for many rows. */
  shared: Shared[]
}

const shapes = { one: new WeakMap<Selection, Shape>(), list: new WeakMap<Selection, Shape>() }

/** The columns and joins, over an opportunity `o`, for what an operation asks of it; the id is always among them. */
export function shapeOf(selection: Selection, use: keyof typeof shapes): Shape {
  let shape = shapes[use].get(selection)
  if (!shape) {
    shape = makeShape(new Set(selection.keys()), use)
    shapes[use].set(selection, shape)
  }
  return shape
}

function makeShape(asked: ReadonlySet<string>, use: keyof typeof shapes): Shape {
  const relations = Object.entries(RELATIONS).filter(([name]) => asked.has(name))
  const all = new Set(['id', ...asked, ...relations.map(([, id]) => id)])
  const shared = use === 'list' ? sharedBy(all) : []
  const spread = shared.flatMap(({ fields }) => fields.map(({ field }) => field))
  const needed = new Set([...all, ...shared.map(({ kind }) => kind.id)]).difference(new Set<string>(spread))
  const scalars = SCALAR_NAMES.filter((name) => needed.has(name))
  const labels = LABEL_NAMES.filter((name) => needed.has(name))
  const parts = PART_NAMES.filter((name) => needed.has(name))
  const as = (expression: Expression, name: string) => sql`${expression} as ${sql.ref(name)}`
  const around = new Set(labels.flatMap((name) => LABELS[name].around ?? []))
  return {
    shared,
    name: [...scalars, ...labels, ...parts, ...spread].join(),
    columns: [
      ...scalars.map((name) => as(SCALARS[name], name)),
      ...labels.map((name) => as(LABELS[name].expression, name)),
      ...parts.map((name) => as(PARTS[name], name)),
      // A place for each, since adding a property to every row costs more than reading a null.
      ...spread.map((name) => as(sql`null`, name)),
    ],
    joins: sql.join([...around].map(joined), sql` `),
  }
}

function joined({ table, alias, key }: Around): Expression {
  return sql`left join ${sql.table(table)} ${sql.ref(alias)} on ${sql.ref(`${alias}.account_id`)} = o.account_id
    and ${sql.ref(`${alias}.id`)} = ${sql.ref(`o.${key}`)}`
}

/** Everything but what belongs to an opportunity: for one that is reached by way of another record. */
export const WHOLE_SHAPE = makeShape(new Set([...SCALAR_NAMES, ...LABEL_NAMES]), 'one')
