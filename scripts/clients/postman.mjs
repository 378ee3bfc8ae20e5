// Writes a collection for Postman (v2.1), which Bruno imports too, out of the OpenAPI documents: a folder for each API, a
// request for each endpoint with the example of the document. Its variables are baseUrl, apiKey, agencyKey and token; a
// request with a path parameter other than those has a variable for it.
import { operationsOf } from './operations.mjs'

const FILE = 'clients/postman/fairlead.postman_collection.json'
const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
const CREDENTIALS = {
  external: { key: 'X-API-Key', value: '{{apiKey}}' },
  agency: { key: 'Authorization', value: 'Bearer {{token}}' },
}
/** Variables of the collection in the place of path parameters. */
const KNOWN = { agency_key: 'agencyKey' }

/** The collection, by its name below schema/. */
export function collectionFile(documents) {
  const collection = {
    info: {
      name: 'Fairlead',
      description: 'Both APIs of Fairlead. Set the variables of the collection, then send.',
      schema: SCHEMA,
    },
    item: Object.entries(documents).map(([api, document]) => ({
      name: document.info.title,
      item: operationsOf(document).map((operation) => request(operation, document, CREDENTIALS[api])),
    })),
    variable: [
      { key: 'baseUrl', value: 'http://127.0.0.1:4000' },
      ...['apiKey', 'agencyKey', 'token'].map((key) => ({ key, value: '' })),
      ...identifiers(documents).map((key) => ({ key, value: '' })),
    ],
  }
  return { [FILE]: `${JSON.stringify(collection, null, 2)}\n` }
}

/** `contacts_id` of `/contacts/{id}`: each kind of record has a variable of its own. */
function variableOf(path, name) {
  if (KNOWN[name]) return KNOWN[name]
  const parts = path.split('/')
  const before = parts[parts.indexOf(`{${name}}`) - 1]
  return `${before.replaceAll('-', '_')}_${name}`
}

function identifiers(documents) {
  const all = Object.values(documents).flatMap((document) =>
    operationsOf(document).flatMap(({ path, pathParameters }) =>
      pathParameters.map(({ name }) => variableOf(path, name)),
    ),
  )
  return [...new Set(all)].filter((name) => !Object.values(KNOWN).includes(name))
}

function request({ id, method, path, operation, query, body, keyed }, document, credential) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => `{{${variableOf(path, name)}}}`)
  const address = `{{baseUrl}}${document.servers[0].url}${filled}`
  const header = [credential]
  if (keyed) header.push({ key: 'Idempotency-Key', value: '{{$guid}}' })
  if (body) header.push({ key: 'Content-Type', value: 'application/json' })
  return {
    name: id,
    request: {
      method,
      description: operation.description,
      header,
      url: {
        raw: address,
        host: ['{{baseUrl}}'],
        path: `${document.servers[0].url}${filled}`.slice(1).split('/'),
        // Filters are there to be switched on; what must be sent is on, with its name where the document has no example.
        query: query.map(({ name, description, required = false, example, schema }) => ({
          key: name,
          value: String(schema.default ?? (required ? (example ?? name) : '')),
          description,
          disabled: !required,
        })),
      },
      ...(body && {
        body: { mode: 'raw', raw: JSON.stringify(body.example, null, 2), options: { raw: { language: 'json' } } },
      }),
    },
  }
}
