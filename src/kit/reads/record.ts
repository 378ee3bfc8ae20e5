import { type RawBuilder, sql } from 'kysely'
import type { Tally } from '../../database/index.js'
import type { Child } from './child.js'
import type { Declaration } from './declaration.js'
import { type EntityType, type Field, fieldsOf, publishedNames, tableOfEntity } from './fields.js'
import { type ColumnRef, columnsIn, type Filter } from './filter.js'
import { declareOwn, OWN, type OwnList } from './own.js'
import { type Reference, referenceOf } from './relation.js'
import { type Sort, sortOf } from './sort.js'
import { isMine, type Whose } from './whose.js'

/** A column of the record in every statement of its reads. */
export const own: ColumnRef = (column) => sql.ref(`r.${column}`)

/** A declaration with what the metadata add to it. */
export interface RecordType {
  entity: EntityType
  table: string
  fields: readonly Field[]
  references: readonly Reference[]
  children: readonly (readonly [name: string, child: Child])[]
  filters: Readonly<Record<string, Filter>>
  ownList?: OwnList
  sorts: Readonly<Record<string, Sort>>
  /** The name of the sort that a list has where none is asked for. */
  defaultSort: string
  ascending: boolean
  keepsDeleted: boolean
  whose: Whose
  /** That a record is the viewer's. */
  mine: RawBuilder<boolean>
  only: readonly RawBuilder<boolean>[]
  tallies: readonly { tally: Tally; filters: readonly string[] }[]
  syncs: readonly { after: string; by: string; implied?: boolean }[]
}

/** Completes a declaration. Fails at start where a published field is neither a column nor declared. */
export function recordOf<Row, By extends string>(declaration: Declaration<Row, By>): RecordType {
  const {
    entity,
    relations = {},
    children = {},
    sorts,
    tallies = [],
    syncs = [],
    whose = 'account',
    only,
  } = declaration
  if (declaration.own) declareOwn(entity, declaration.own)
  const filters = { ...declaration.filters, ...(declaration.own && { [OWN]: declaration.own }) }
  const references = Object.entries(relations).map(([name, relation]) => referenceOf(entity, name, relation))
  const record: RecordType = {
    entity,
    table: tableOfEntity(entity),
    fields: fieldsOf(entity),
    references,
    children: Object.entries(children) as [string, Child][],
    filters,
    ownList: declaration.ownList,
    sorts: Object.fromEntries(Object.keys(sorts).map((by) => [by, sortOf(entity, sorts[by as By])])),
    defaultSort: Object.keys(sorts)[0]!,
    ascending: declaration.ascending ?? false,
    keepsDeleted: declaration.keepsDeleted ?? false,
    whose,
    mine: isMine(whose),
    only: only ? [only(own)] : [],
    tallies: tallies.map((tally) => ({ tally, filters: knownTo(tally, filters) })),
    syncs,
  }
  requireSources(record)
  return record
}

/** The filters whose columns are all dimensions of a tally: it knows how many records meet them. */
function knownTo({ dimensions }: Tally, filters: Readonly<Record<string, Filter>>): string[] {
  const kept = new Set(dimensions.filter(({ expression }) => !expression).map(({ name }) => name))
  const known = ([, filter]: [string, Filter]) => columnsIn(filter).every((column) => kept.has(column))
  return Object.entries(filters)
    .filter(known)
    .map(([name]) => name)
}

function requireSources({ entity, fields, references, children }: RecordType): void {
  const sources = new Set([
    ...fields.map(({ name }) => name),
    ...references.flatMap(({ labels = {} }) => Object.keys(labels)),
    ...children.map(([name]) => name),
  ])
  const missing = publishedNames(entity).filter((name) => !sources.has(name))
  if (missing.length > 0) throw new Error(`no read brings ${entity.name}.${missing.join(', ')}`)
}

/** The dimension of a tally that a column of the record is, in a statement over the tally. */
export const dimension: ColumnRef = (column) => sql.ref(`k.${column}`)
