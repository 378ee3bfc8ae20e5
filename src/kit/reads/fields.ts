import { MetadataStorage } from '@mikro-orm/postgresql'
import { type RawBuilder, sql } from 'kysely'
import { columnOf, iso } from '../../database/index.js'

/** An entity, as a class. Abstract, so that those whose fields come from a base class fit, too. */
export type EntityType<T = object> = abstract new () => T

/** A property of an entity that a column of its table holds. */
export interface Field {
  name: string
  column: string
  /** How the entity declares it, such as `string`, `decimal`, `json` or `datetime`. */
  type: string
  nullable: boolean
  /** The entity that it is the id of. */
  target?: () => EntityType
}

interface Declared {
  name: string
  fieldName?: string
  type?: string
  nullable?: boolean
  primary?: boolean
  entity?: () => EntityType
}

type Decorated = EntityType & { [MetadataStorage.PATH_SYMBOL]?: string }

const metadataOf = (entity: Decorated) =>
  MetadataStorage.getMetadata(entity.name, entity[MetadataStorage.PATH_SYMBOL]!, entity as never)

/** The class and those that it extends. */
function lineOf(entity: EntityType): Decorated[] {
  const base = Object.getPrototypeOf(entity)
  return typeof base === 'function' && base !== Function.prototype ? [entity, ...lineOf(base)] : [entity]
}

/** The table of an entity. */
export function tableOfEntity(entity: EntityType): string {
  return metadataOf(entity).tableName ?? columnOf(entity.name).slice(1)
}

const stored = new WeakMap<EntityType, readonly Field[]>()

/** What the table of an entity holds of it, published or not. */
export function storedFields(entity: EntityType): readonly Field[] {
  let fields = stored.get(entity)
  if (!fields) {
    const declared = lineOf(entity)
      .filter((type) => Object.hasOwn(type, MetadataStorage.PATH_SYMBOL))
      .flatMap((type) => Object.values(metadataOf(type).properties) as Declared[])
    fields = declared.map(({ name, fieldName, type, nullable = false, entity }) => ({
      name,
      column: fieldName ?? (entity ? `${columnOf(name)}_id` : columnOf(name)),
      type: type ?? 'uuid', // what refers to a record has no type of its own
      nullable,
      ...(entity && { target: entity }),
    }))
    stored.set(entity, fields)
  }
  return fields
}

/** The names under which GraphQL publishes fields of a class, those that have a resolver of their own left out. */
export function publishedNames(type: EntityType): string[] {
  const line = new Set<unknown>(lineOf(type))
  return globalThis.TypeGraphQLMetadataStorage.fields.filter(({ target }) => line.has(target)).map(({ name }) => name)
}

const published = new WeakMap<EntityType, readonly Field[]>()

/** What a read can show of an entity's own columns: what the table holds and GraphQL publishes. */
export function fieldsOf(entity: EntityType): readonly Field[] {
  let fields = published.get(entity)
  if (!fields) {
    const names = new Set(publishedNames(entity))
    fields = storedFields(entity).filter(({ name }) => names.has(name))
    published.set(entity, fields)
  }
  return fields
}

/** The field of an entity that has this name. */
export function fieldOf(entity: EntityType, name: string): Field {
  const field = storedFields(entity).find((one) => one.name === name)
  if (!field) throw new Error(`${entity.name} has no column for ${name}`)
  return field
}

/** A field's value as reads return it. A double holds every amount of our columns exactly; a day is its text. */
export function valueIn({ column, type }: Field, alias: string): RawBuilder<unknown> {
  const value = sql.ref(`${alias}.${column}`)
  if (type === 'decimal' || type === 'bigint') return sql`${value}::float8`
  return type === 'date' ? sql`${value}::text` : value
}

/** The fields of an entity as columns, over its row under this alias. */
export function columnsOf(entity: EntityType, alias: string): RawBuilder<unknown> {
  return sql.join(fieldsOf(entity).map((field) => sql`${valueIn(field, alias)} as ${sql.ref(field.name)}`))
}

/** The fields of an entity as a JSON object in the shape of its GraphQL type, over its row under this alias. */
export function jsonOf(entity: EntityType, alias: string): RawBuilder<unknown> {
  const members = fieldsOf(entity).flatMap((field) => [
    sql.lit(field.name),
    field.type === 'datetime' ? iso(`${alias}.${field.column}`) : valueIn(field, alias),
  ])
  return sql`json_build_object(${sql.join(members)})`
}

/** The columns of an entity that an input gives a value by the same name. */
export function fieldsGivenBy(input: EntityType, entity: EntityType): readonly Field[] {
  const names = new Set(publishedNames(input))
  return storedFields(entity).filter(({ name }) => names.has(name))
}
