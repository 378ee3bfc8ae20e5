import type { RawBuilder } from 'kysely'
import type { Tally } from '../../database/index.js'
import type { Child } from './child.js'
import type { EntityType } from './fields.js'
import type { ColumnRef, Filter } from './filter.js'
import type { OwnList } from './own.js'
import type { Relation } from './relation.js'
import type { SortSource } from './sort.js'
import type { Whose } from './whose.js'

/** All that the reads of a record are made from, beside the metadata of its entity. */
export interface Declaration<Row, By extends string> {
  entity: EntityType
  /** Whose records are read: the account's, if nothing is said. */
  whose?: Whose
  /** What holds of every record that a list or `find` brings, whatever is asked for. */
  only?: (of: ColumnRef) => RawBuilder<boolean>
  /** What is around a record, by the names of the GraphQL fields that resolve to it. */
  relations?: Readonly<Record<string, Relation>>
  /** What belongs to a record and comes along with it. */
  children?: Readonly<{ [Name in keyof Row]?: Child<NonNullable<Row[Name]> | (null extends Row[Name] ? null : never)> }>
  /** What a list can be confined to. All that are given must hold. */
  filters?: Readonly<Record<string, Filter>>
  /**
   * What is a seller's own, as a filter by the seller's id. A viewer who sees only their own reads through it in every way
   * that leads to the record: by its lists and their totals, by its id, as a relation and a label of another record.
   */
  own?: Filter
  /** Where a list of all that is a seller's own, in some orders, is found without looking at the records. */
  ownList?: OwnList<By>
  /** What a list can be sorted by; the first is the default. */
  sorts: Readonly<Record<By, SortSource>>
  /** Whether a list ascends where nothing else is said. */
  ascending?: boolean
  /** Whether a deleted record stays, marked by deleted_at, so that what refers to it can still name it. */
  keepsDeleted?: boolean
  /** The kept totals that know how many records a list has: of all, and of those that equal one of their dimensions. */
  tallies?: readonly Tally[]
  /**
   * The filters and sorts with which a list is read, ascending, by whoever keeps a copy up to date; where `implied`, the
   * filter alone asks for that. Columns so read are stamped as `stamp()` does.
   */
  syncs?: readonly { after: string; by: By; implied?: boolean }[]
}
