import { type RawBuilder, sql } from 'kysely'
import { columnOf, param } from '../../database/index.js'
import { tableOfEntity } from './fields.js'
import { ownCondition } from './own.js'
import type { Reference } from './relation.js'

/** The labels of a relation that are asked for: the name here, and the column there. */
export type Labels = readonly (readonly [label: string, column: string])[]

/** What an operation asks of a relation's labels. */
export function labelsIn({ labels = {} }: Reference, asked: ReadonlySet<string>): Labels {
  return Object.entries(labels)
    .filter(([label]) => asked.has(label))
    .map(([label, property]) => [label, columnOf(property)] as const)
}

/** A relation joined for its labels. The limit keeps the planner from reading all of the other table for a long page. */
export function joinOf({ name, column, target }: Reference, labels: Labels, confined: boolean): RawBuilder<unknown> {
  const conditions = [
    sql`x.account_id = r.account_id and x.id = ${sql.ref(`r.${column}`)}`,
    ...(confined ? ownCondition(target, (name) => sql.ref(`x.${name}`)) : []),
  ]
  const columns = sql.join(labels.map(([, label]) => sql.ref(`x.${label}`)))
  return sql`left join lateral (select ${columns} from ${sql.table(tableOfEntity(target))} x
    where ${sql.join(conditions, sql` and `)} limit 1) ${sql.ref(name)} on true`
}

/** Records that the rows of a page share, each read once, and which field of a row is at which place among its values. */
export interface Shared {
  reference: Reference
  values: readonly RawBuilder<unknown>[]
  records: RawBuilder<unknown>
  fields: readonly string[]
}

/**
 * What a page reads once: shared relations that are asked for, each with what it leads to. Those come along only where
 * a label of either is asked for; then it tells the id of what it leads to as well.
 */
export function sharedIn(references: readonly Reference[], asked: ReadonlySet<string>): Shared[] {
  return references
    .filter(({ shared }) => shared)
    .flatMap((reference) => {
      const own = labelsIn(reference, asked)
      const further = references
        .filter(({ byWayOf }) => byWayOf === reference.name)
        .map((next) => ({ next, labels: labelsIn(next, asked) }))
      if (own.length + further.flatMap(({ labels }) => labels).length === 0) return []
      const ids = further.filter(({ next }) => asked.has(next.by))
      const joins = further.filter(({ labels }) => labels.length > 0)
      const fields = [
        ...own.map(([label, column]) => [label, `n.${column}`] as const),
        ...joins.flatMap(({ next, labels }) =>
          labels.map(([label, column]) => [label, `${next.name}.${column}`] as const),
        ),
        ...ids.map(({ next }) => [next.by, `n.${next.column}`] as const),
      ]
      const records = sql`${sql.table(tableOfEntity(reference.target))} n ${sql.join(
        joins.map(({ next }) => {
          const alias = sql.ref(next.name)
          return sql`join ${sql.table(tableOfEntity(next.target))} ${alias}
            on ${alias}.account_id = n.account_id and ${alias}.id = ${sql.ref(`n.${next.column}`)}`
        }),
        sql` `,
      )}`
      const values = fields.map(([, column]) => sql.ref(column))
      return [{ reference, records, values, fields: fields.map(([field]) => field) }]
    })
}

/** The shared records of a page by id, as one JSON object. */
export function sharedJson({ reference, records, values }: Shared, valuesOf: (column: string) => RawBuilder<unknown>) {
  return sql`(select json_object_agg(n.id, json_build_array(${sql.join(values)}))
    from ${records} where n.account_id = ${param('account')} and n.id in (${valuesOf(reference.column)}))`
}
