// Writes the generated part of the TypeScript client, schema/clients/typescript/src/generated, out of the OpenAPI
// documents: types, a method for each endpoint, iterators for lists, and a class for each error code.
import { methods } from './methods.mjs'
import { operationsOf } from './operations.mjs'
import { comment, declaration, members } from './types.mjs'

const FOLDER = 'clients/typescript/src/generated'
const NOTE = '// Made by `npm run schema` out of schema/openapi: change the stored operations instead.\n'

/** The generated files, by their names below schema/, out of the documents by the names of their APIs. */
export function clientFiles(documents) {
  const files = { 'errors.ts': errors(Object.values(documents)) }
  for (const [name, document] of Object.entries(documents)) {
    files[`${name}-types.ts`] = types(document)
    files[`${name}.ts`] = methods(name, document, NOTE)
  }
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${FOLDER}/${name}`, text]))
}

/** Schemas of the document, but those of errors, which are classes; what each endpoint is asked; what it answers. */
function types(document) {
  const { schemas } = document.components
  const isError = (schema) => schema.allOf?.[0].$ref === '#/components/schemas/Error'
  const named = Object.entries(schemas)
    .filter(([name, schema]) => name !== 'Error' && !isError(schema))
    .map(([name, schema]) => declaration(name, schema))
  const own = operationsOf(document).flatMap(({ query, name, answers }) => [
    ...(query.length > 0 ? [queryType(name, query)] : []),
    ...answers.map(([type, schema]) => declaration(type, schema)),
  ])
  return `${NOTE}\n${[...named, ...own].join('\n')}`
}

/** What an endpoint may be asked in its query string. */
function queryType(name, query) {
  const properties = Object.fromEntries(
    query.map(({ name, schema, description }) => [name, { ...schema, description }]),
  )
  const required = query.filter((parameter) => parameter.required).map(({ name }) => name)
  const lines = members({ properties, required }, '  ')
  // One end of a span of time; whoever has a Date need not write it out.
  const dated = query.filter(({ schema }) => /^\d{4}-\d\d-\d\d$/.test(schema.examples?.[0]))
  const typed = dated.reduce(
    (text, { name }) => text.replace(`  ${name}?: string\n`, `  ${name}?: string | Date\n`),
    `${lines}\n`,
  )
  return `export interface ${name}Query {\n${typed}}\n`
}

/** A class for each code that some document knows. */
function errors(documents) {
  const byCode = new Map(documents.flatMap((document) => document['x-errors']).map((kind) => [kind.code, kind]))
  const kinds = [...byCode.values()].sort((a, b) => (a.code < b.code ? -1 : 1))
  const classes = kinds.map(
    ({ code, status, meaning, remedy }) =>
      `${comment(`${status}: ${meaning} ${remedy}`)}export class ${className(code)} extends FairleadError {\n` +
      `  override name = '${className(code)}'\n}\n`,
  )
  const table = kinds.map(({ code }) => `  ${code}: ${className(code)},\n`)
  return (
    `${NOTE}import { FairleadError } from '../failure.js'\n\n${classes.join('\n')}\n` +
    `/** The class of each code. */\nexport const CLASSES = {\n${table.join('')}} as const\n\n` +
    '/** A code that the service answers with. */\nexport type ErrorCode = keyof typeof CLASSES\n'
  )
}

/** `NOT_FOUND` is a NotFoundError, `DUPLICATE_ERROR` a DuplicateError. */
function className(code) {
  const words = code.toLowerCase().split('_')
  if (words.at(-1) === 'error') words.pop()
  return `${words.map((word) => word[0].toUpperCase() + word.slice(1)).join('')}Error`
}
