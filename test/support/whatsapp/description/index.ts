import { readFileSync } from 'node:fs'
import { Ajv2019, type ErrorObject, type ValidateFunction } from 'ajv/dist/2019.js'
import addFormats from 'ajv-formats'
import { ADDITIONS } from './additions.js'
import { type Repair, repaired } from './repair.js'
import { SENDING } from './sending.js'
import { TELLING } from './telling.js'

export { USER_ID } from './additions.js'
export type { Repair } from './repair.js'

/** All repairs of Meta's description, in the order in which they are made. */
export const REPAIRS: readonly Repair[] = [...SENDING, ...TELLING, ...ADDITIONS]

/** An example that Meta publishes, and the pointer to the schema that it is an example of. */
export interface Example {
  name: string
  schema: string
  value: unknown
}

interface MediaType {
  schema?: object
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
type Content = Record<string, MediaType> | undefined
interface Operation {
  requestBody?: { content?: Content }
  responses: Record<string, { content?: Content }>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
}

const published = JSON.parse(readFileSync(new URL('cloud-api.json', import.meta.url), 'utf8')) as Document
const METHODS = ['get', 'post', 'delete']
const escaped = (step: string) => step.replaceAll('~', '~0').replaceAll('/', '~1')

/** Meta's description of the Cloud API with repairs made to it: what is asked and told is held against it. */
export class Description {
  private readonly document: Document
  private readonly ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: true })
  private readonly checks = new Map<string, ValidateFunction>()

  constructor(repairs: readonly Repair[] = REPAIRS) {
    this.document = repaired(published, repairs) as Document
    addFormats.default(this.ajv)
    this.ajv.addSchema(this.document, 'meta')
  }

  /** What of a value does not fit a schema, in words; nothing if all does. */
  faultsOf(value: unknown, schema: string): string[] {
    const check = this.checks.get(schema) ?? this.ajv.getSchema(`meta#${encodeURI(schema)}`)
    if (!check) throw new Error(`the description has no ${schema}`)
    this.checks.set(schema, check as ValidateFunction)
    return check(value) ? [] : (check.errors ?? []).map(inWords)
  }

  /** Whether the description has a schema there. */
  has(schema: string): boolean {
    return this.ajv.getSchema(`meta#${encodeURI(schema)}`) !== undefined
  }

  /** All examples that it publishes: of bodies, and of single fields beside their schemas. */
  examples(): Example[] {
    return [...this.bodies(), ...besideSchemas(this.document, '')]
  }

  private bodies(): Example[] {
    return Object.entries(this.document.paths).flatMap(([path, methods]) =>
      METHODS.filter((method) => methods[method]).flatMap((method) => {
        const at = `/paths/${escaped(path)}/${method}`
        const { requestBody, responses } = methods[method]!
        const answers = Object.entries(responses).flatMap(([status, { content }]) =>
          examplesOf(content, `${method} ${path} ${status}`, `${at}/responses/${status}`),
        )
        return [...examplesOf(requestBody?.content, `${method} ${path}`, `${at}/requestBody`), ...answers]
      }),
    )
  }
}

function examplesOf(content: Content, name: string, at: string): Example[] {
  return Object.entries(content ?? {}).flatMap(([type, { schema, example, examples }]) => {
    if (!schema) return []
    const pointer = `${at}/content/${escaped(type)}/schema`
    const one = example === undefined ? [] : [{ name, schema: pointer, value: example }]
    const named = Object.entries(examples ?? {}).map(([title, { value }]) => ({
      name: `${name}: ${title}`,
      schema: pointer,
      value,
    }))
    return [...one, ...named]
  })
}

/** Examples that stand within a schema, which is where a `type`, an `enum`, an `allOf` or a `oneOf` is beside them. */
function besideSchemas(node: unknown, at: string): Example[] {
  if (typeof node !== 'object' || node === null) return []
  // A field may be called `type` or `example` too.
  const isSchema = !at.endsWith('/properties') && ['type', 'enum', 'allOf', 'oneOf'].some((keyword) => keyword in node)
  const own = 'example' in node && isSchema ? [{ name: at, schema: at, value: node.example }] : []
  const below = Object.entries(node).filter(([key]) => key !== 'example' && key !== 'examples')
  return [...own, ...below.flatMap(([key, value]) => besideSchemas(value, `${at}/${escaped(key)}`))]
}

const inWords = ({ instancePath, message, params }: ErrorObject) =>
  `${instancePath || '/'} ${message}${Object.keys(params).length > 0 ? ` ${JSON.stringify(params)}` : ''}`
