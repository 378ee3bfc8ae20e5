import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSchema } from 'graphql'
import pino from 'pino'
import { EXTERNAL } from '../../src/apis/external.js'
import { createWeb, FailureLog, listen, mcpRoutes, requestIdOf } from '../../src/http/index.js'
import { type Admit, createRest, Idempotency, loadOperations, toolsOf } from '../../src/rest/index.js'
import { AppError } from '../../src/shared/errors.js'
import { stubContext } from './stub-context.js'

/** The operations that the protocol's conformance suite wants to find as tools. */
const OPERATIONS = {
  'simple-text': '# Says something.\nquery TestSimpleText @tool(title: "Text") { text }',
  'error-handling': '# Fails.\nquery TestErrorHandling @tool(title: "Error") { failing }',
  'json-schema':
    '# Has a schema.\nquery Json_schema_2020_12_tool($name: String) @tool(title: "Schema") { text(name: $name) }',
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
const ADDRESS = { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } }

function schemaOfFixtures() {
  const schema = buildSchema(/* GraphQL */ `
    type Query {
      "A text."
      text("A name." name: String): String
      "Nothing."
      failing: String
    }
  `)
  const { text, failing } = schema.getQueryType()!.getFields()
  text!.extensions = { access: 'any', example: 'This is a simple text response for testing.' }
  text!.resolve = () => 'This is a simple text response for testing.'
  failing!.extensions = { access: 'any', example: null }
  failing!.resolve = () => {
    throw new AppError('VALIDATION_ERROR', 'This tool intentionally returns an error for testing.')
  }
  return schema
}

const admit: Admit = async (_request, _response, _query, requestId) => {
  const actor = { kind: 'api_key' as const, id: 'k', name: 'Key' }
  const viewer = { accountId: 'a', permissions: ['*'], held: new Set<string>(), actor }
  return { context: stubContext(requestId, viewer, { inTransaction: false }) }
}

/** The product's mount of tools with operations of its own in their place; `origin` is where it listens. */
export async function startToolFixtures(): Promise<{ origin: string; stop(): Promise<void> }> {
  const operations = mkdtempSync(join(tmpdir(), 'fairlead-tools-'))
  const fragments = join(operations, 'fragments')
  mkdirSync(fragments)
  for (const [name, text] of Object.entries(OPERATIONS)) writeFileSync(join(operations, `${name}.graphql`), text)
  const schema = schemaOfFixtures()
  const tools = toolsOf(schema, loadOperations(schema, { operations, shows: {} }, fragments)).map((tool) => ({
    ...tool,
    // The emitter writes schemas out; what it does not use must get through all the same.
    ...(tool.name.startsWith('json_') && {
      inputSchema: {
        $schema: DIALECT,
        ...tool.inputSchema,
        $defs: { address: ADDRESS },
        properties: { ...(tool.inputSchema.properties as object), address: { $ref: '#/$defs/address' } },
      },
    }),
  }))
  const means = { idempotency: new Idempotency(24), log: () => {} }
  const hosts = ['localhost', '127.0.0.1', '[::1]']
  const shared = { idempotencyTtlHours: 24, requestId: requestIdOf, log: () => {} }
  const logger = pino({ level: 'silent' })
  const web = createWeb({
    logger,
    failures: new FailureLog(logger),
    trustProxy: false,
    apis: [createRest({ ...shared, api: EXTERNAL, endpoints: [], admit })], // in whose style errors are told
    mount: (app) => void app.use('/mcp', mcpRoutes({ tools, means, admit, hosts })),
  })
  const listening = await listen(web, 0, '127.0.0.1')
  return {
    origin: `http://127.0.0.1:${listening.port}`,
    async stop() {
      await listening.drain(1000)
      rmSync(operations, { recursive: true, force: true })
    },
  }
}
