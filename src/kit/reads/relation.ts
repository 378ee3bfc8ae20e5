import { type EntityType, fieldOf } from './fields.js'

/** A record that this one refers to. */
export interface Relation {
  /** The property of this record that is its id. */
  by: string
  /** What this record shows of it: the label's name here, and the property there. */
  labels?: Readonly<Record<string, string>>
  /** Whether many records of a page refer to the same: a page reads each of them once. */
  shared?: boolean
  /** The shared relation whose record refers to this one by a property of the same name, so that a page comes by it. */
  byWayOf?: string
}

/** The same, with the entity and the column that it is found by. */
export interface Reference extends Relation {
  /** The name of the GraphQL field that resolves to it. */
  name: string
  column: string
  target: EntityType
}

/** The relation with what the entity's metadata say of it. */
export function referenceOf(entity: EntityType, name: string, relation: Relation): Reference {
  const { column, target } = fieldOf(entity, relation.by)
  if (!target) throw new Error(`${entity.name}.${relation.by} refers to no record`)
  return { ...relation, name, column, target: target() }
}
