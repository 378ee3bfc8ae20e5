import { lexicographicSortSchema, printSchema } from 'graphql'
import { externalDocument } from './app.js'
import { createSchema } from './graphql/index.js'

/** The files below schema/ that are made from the code, by name. */
export function emittedFiles(): Record<string, string> {
  const schema = createSchema()
  return {
    'schema.graphql': `${printSchema(lexicographicSortSchema(schema))}\n`,
    'openapi/external.json': `${JSON.stringify(externalDocument(schema), null, 2)}\n`,
  }
}
