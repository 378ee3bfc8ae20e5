import { lexicographicSortSchema, printSchema } from 'graphql'
import { EXTERNAL } from './apis/external.js'
import { APIS, endpointsOf, toolsFor } from './app.js'
import { assembly } from './assembly.js'
import { createSchema } from './graphql/index.js'
import { openApiDocument } from './rest/index.js'

/** The files below schema/ that are made from the code, by name. */
export function emittedFiles(): Record<string, string> {
  const schema = createSchema(assembly)
  const documents = APIS.map((api) => {
    const document = openApiDocument(api, endpointsOf(api, schema))
    return [`openapi/${api.name}.json`, `${JSON.stringify(document, null, 2)}\n`]
  })
  const tools = toolsFor(schema, endpointsOf(EXTERNAL, schema)).map(
    ({ name, title, description, annotations, inputSchema, outputSchema, foreign }) => ({
      name,
      title,
      description,
      annotations,
      inputSchema,
      outputSchema,
      writtenOutside: foreign,
    }),
  )
  return {
    'tools.json': `${JSON.stringify(tools, null, 2)}\n`,
    'schema.graphql': `${printSchema(lexicographicSortSchema(schema))}\n`,
    ...Object.fromEntries(documents),
  }
}
