export { computed, linked, namedList, owned, tallied } from './child.js'
export type { Declaration } from './declaration.js'
export {
  columnsOf,
  type EntityType,
  fieldsGivenBy,
  fieldsOf,
  jsonOf,
  publishedNames,
  storedFields,
  tableOfEntity,
} from './fields.js'
export { type ColumnRef, contains, equals, hasWord, refersTo, since, until, where } from './filter.js'
export type { ListQuery, PageOf, Reader } from './lists.js'
export type { LoaderOf } from './loader.js'
export { Reads } from './reads.js'
export { BY_NAME } from './sort.js'
