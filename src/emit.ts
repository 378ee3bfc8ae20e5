import { lexicographicSortSchema, printSchema } from 'graphql'
import { createSchema } from './graphql/index.js'

/** The files below schema/ that are made from the code, by name. */
export function emittedFiles(): Record<string, string> {
  return { 'schema.graphql': `${printSchema(lexicographicSortSchema(createSchema()))}\n` }
}
