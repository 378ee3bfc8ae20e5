import { type RawBuilder, sql } from 'kysely'
import type { Selection } from '../selection.js'
import type { Child } from './child.js'
import { tableOfEntity, valueIn } from './fields.js'
import { joinOf, labelsIn, type Shared, sharedIn } from './labels.js'
import { hasOwn, OWN, ownCondition } from './own.js'
import { own, type RecordType } from './record.js'
import type { Reference } from './relation.js'

/** What a statement over a record `r` brings for a selection. */
export interface Shape {
  /** A text that names all of it. */
  key: string
  columns: readonly RawBuilder<unknown>[]
  /** The names under which columns of the record itself are among them. */
  names: ReadonlyMap<string, string>
  joins: RawBuilder<unknown>
  /** What is not among the columns, since a page reads it once for many rows. */
  shared: readonly Shared[]
  spread: readonly (readonly [name: string, child: Child])[]
  /** Children that are kept totals, which a page tells the differences of. */
  totals: readonly (readonly [name: string, child: Child])[]
}

const as = (expression: RawBuilder<unknown>, name: string) => sql`${expression} as ${sql.ref(name)}`

/** The name under which a page has how many differences a kept total was added up from. */
export const differencesOf = (name: string): string => `${name}Differences`

const shapes = () => new WeakMap<Selection, Shape>()
type Use = 'one' | 'page' | 'ownOne' | 'ownPage'

/** Makes the shapes of a record's reads, each once for a selection. Without a selection: all but what belongs to it. */
export class Shapes {
  private readonly known = { one: shapes(), page: shapes(), ownOne: shapes(), ownPage: shapes() }
  private readonly whole: Selection

  constructor(private readonly record: RecordType) {
    const labels = record.references.flatMap(({ labels = {} }) => Object.keys(labels))
    this.whole = new Map([...record.fields.map(({ name }) => name), ...labels].map((name) => [name, new Map()]))
  }

  /** The shape of a statement that reads one record, or some by their ids; `confined` where only what is their own is seen. */
  one(confined: boolean, selection: Selection = this.whole): Shape {
    return this.of(confined ? 'ownOne' : 'one', selection)
  }

  /** The shape of a page's statement. */
  page(confined: boolean, selection: Selection = this.whole): Shape {
    return this.of(confined ? 'ownPage' : 'page', selection)
  }

  private of(use: Use, selection: Selection): Shape {
    let shape = this.known[use].get(selection)
    if (!shape) {
      const isPage = use === 'page' || use === 'ownPage'
      shape = makeShape(this.record, selection, isPage, use === 'ownOne' || use === 'ownPage')
      this.known[use].set(selection, shape)
    }
    return shape
  }
}

function makeShape(
  { fields, references, children: all }: RecordType,
  selection: Selection,
  isPage: boolean,
  confined: boolean,
): Shape {
  const children = confined ? all.map(ownChild) : all
  // Whoever asks for a record around this one finds it by its id.
  const ids = references.filter(({ name }) => selection.has(name)).map(({ by }) => by)
  const asked = new Set(['id', ...selection.keys(), ...ids])
  const shared = isPage ? sharedIn(references, asked) : []
  const places = shared.flatMap(({ fields }) => fields)
  const needed = new Set([...asked, ...shared.map(({ reference }) => reference.by)]).difference(new Set(places))
  const scalars = fields.filter(({ name }) => needed.has(name))
  const joined = references
    .map((reference) => ({ reference, labels: labelsIn(reference, needed) }))
    .filter(({ labels }) => labels.length > 0)
  const parts = children.filter(([name]) => needed.has(name))
  const spread = isPage ? parts.filter(([, child]) => child.spread) : []
  const totals = isPage ? parts.filter(([, child]) => child.differences) : []
  const whole = parts.filter((part) => !spread.includes(part))
  const labels = joined.flatMap(({ reference, labels }) =>
    labels.map(([label, column]) => as(sql.ref(`${reference.name}.${column}`), label)),
  )
  const hidden = new Map(confined ? references.flatMap(hidingId) : [])
  return {
    key: [...(confined ? [{ name: OWN }] : []), ...fields, ...children.map(([name]) => ({ name }))]
      .map(({ name }) => name)
      .concat(references.flatMap(({ labels = {} }) => Object.keys(labels)))
      .filter((name) => name === OWN || asked.has(name))
      .join(),
    names: new Map(scalars.map(({ column, name }) => [column, name])),
    columns: [
      ...scalars.map((field) => as(hidden.get(field.name) ?? valueIn(field, 'r'), field.name)),
      ...labels,
      ...whole.map(([name, child]) => as(child.value(own), name)),
      ...spread.map(([name, child]) => as(child.spread!.ids(own), name)),
      ...totals.map(([name, child]) => as(child.differences!.value(own), differencesOf(name))),
      // A place for each, since adding a property to every row costs more than reading a null.
      ...places.map((name) => as(sql`null`, name)),
    ],
    joins: sql.join(
      joined.map(({ reference, labels }) => joinOf(reference, labels, confined)),
      sql` `,
    ),
    shared,
    spread,
    totals,
  }
}

/** A child as a viewer sees it who sees only their own. */
function ownChild([name, child]: readonly [string, Child]): readonly [string, Child] {
  return child.own ? [name, { none: child.none, value: child.own }] : [name, child]
}

/** The id of a record that a viewer may not see is nothing to them: neither it nor what it leads to is shown. */
function hidingId({ by, column, target, shared }: Reference): [string, RawBuilder<unknown>][] {
  if (!hasOwn(target)) return []
  if (shared) throw new Error(`a page cannot share ${by}: sellers see only some of these records`)
  const conditions = ownCondition(target, (name) => sql.ref(`o.${name}`))
  const visible = sql`(select o.id from ${sql.table(tableOfEntity(target))} o
    where o.account_id = r.account_id and o.id = ${sql.ref(`r.${column}`)} and ${sql.join(conditions, sql` and `)})`
  return [[by, visible]]
}
