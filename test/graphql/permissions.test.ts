import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  validate,
} from 'graphql'
import { EXTERNAL } from '../../src/apis/external.js'
import { endpointsOf } from '../../src/app.js'
import { assembly } from '../../src/assembly.js'
import { createSchema, demandsOf } from '../../src/graphql/index.js'
import { type Access, isPermission } from '../../src/kit/permissions.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { makeContact, makeKey, makeTenant } from '../support/factories.js'
import { GRANTABLE } from '../support/permissions.js'

const schema = createSchema(assembly)
const ROOTS = [schema.getQueryType()!, schema.getMutationType()!]
type Field = GraphQLField<unknown, unknown>

/** A way from a root field to a type: the fields on it, each with the arguments that it must have. */
interface Path {
  verb: 'query' | 'mutation'
  fields: readonly Field[]
  type: GraphQLObjectType
}

/** All ways from root fields to object types. */
function pathsFrom(verb: Path['verb'], fields: readonly Field[]): Path[] {
  const type = getNamedType(fields.at(-1)!.type)
  if (!isObjectType(type)) return []
  if (fields.length > 10) throw new Error(`a circle of types: ${fields.map(({ name }) => name).join('.')}`)
  return [
    { verb, fields, type },
    ...Object.values(type.getFields()).flatMap((field) => pathsFrom(verb, [...fields, field])),
  ]
}

const PATHS = ROOTS.flatMap((root, i) =>
  Object.values(root.getFields()).flatMap((field) => pathsFrom(i === 0 ? 'query' : 'mutation', [field])),
)

function literal(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literal(type.ofType)
  if (isListType(type)) return `[${literal(type.ofType)}]`
  if (isEnumType(type)) return type.getValues()[0]!.name
  if (isInputObjectType(type)) {
    const needed = Object.values(type.getFields()).filter((field) => isNonNullType(field.type))
    return `{${needed.map((field) => `${field.name}: ${literal(field.type)}`).join(', ')}}`
  }
  if (type.name === 'ID') return '"0190163d-8694-739b-aea5-966c26f8ad91"'
  if (type.name === 'Boolean') return 'true'
  if (type.name === 'DateTime') return '"2026-01-31T00:00:00Z"'
  return type.name === 'Int' || type.name === 'Float' ? '1' : '"2026-01-31"'
}

function spelled({ name, args }: { name: string; args: readonly GraphQLArgument[] }): string {
  const needed = args.filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined)
  return needed.length === 0 ? name : `${name}(${needed.map((arg) => `${arg.name}: ${literal(arg.type)}`).join(', ')})`
}

const isLeaf = ({ type }: Field) => !isObjectType(getNamedType(type))
const around = (verb: string, fields: readonly Field[], inner: string) =>
  `${verb} { ${fields.map(spelled).join(' { ')} { ${inner} ${'} '.repeat(fields.length)}}`

/** What the fields of a type take to be read, by the type's own declaration. */
const permissionOf = ({ extensions }: { extensions: { access?: unknown } }) =>
  isPermission(extensions.access as Access) ? (extensions.access as string) : undefined

/** Ways of writing a selection so that it does not look like what it is. */
const DISGUISES: ((type: string, inner: string, verb: string, fields: readonly Field[]) => string)[] = [
  (_, inner, verb, fields) => around(verb, fields, inner),
  (_, inner, verb, fields) => around(verb, fields, `x: ${inner} @include(if: false)`),
  (_, inner, verb, fields) => around(verb, fields, `__typename ${inner} @skip(if: true)`),
  (type, inner, verb, fields) => around(verb, fields, `... on ${type} { ${inner} }`),
  (type, inner, verb, fields) => `${around(verb, fields, '...A')} fragment A on ${type} { ...B }
    fragment B on ${type} { ... @include(if: true) { ${inner} } }`,
]

const demanded = (query: string) => {
  const document = parse(query)
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)!
  return new Set(demandsOf(schema, document, operation).shown.map(({ permission }) => permission as string))
}

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

test('each type says what it takes to read it', () => {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => isObjectType(type) && !isIntrospectionType(type) && !ROOTS.includes(type),
  )
  expect(types.filter(({ extensions }) => !extensions.access)).toEqual([])
})

test('each field of each type, on each path from a root field and however it is written, takes the permission', () => {
  let fields = 0
  for (const { verb, fields: path, type } of PATHS) {
    const wanted = [path[0]!, ...path.slice(0, -1).map((field) => getNamedType(field.type) as GraphQLObjectType), type]
      .map(permissionOf)
      .filter((one) => one !== undefined)
    for (const leaf of Object.values(type.getFields()).filter(isLeaf)) {
      fields++
      const disguise = DISGUISES[fields % DISGUISES.length]!
      const query = disguise(type.name, spelled(leaf), verb, path)
      const found = demanded(query)
      const missing = wanted.filter((one) => !found.has(one))
      if (missing.length > 0) throw new Error(`${query} does not demand ${missing.join(', ')}`)
    }
  }
  expect(fields).toBeGreaterThan(2000)
  const first = PATHS.find(({ type }) => Object.values(type.getFields()).some(isLeaf))
  const leaf = spelled(Object.values(first!.type.getFields()).find(isLeaf)!)
  for (const disguise of DISGUISES) {
    expect(validate(schema, parse(disguise(first!.type.name, leaf, first!.verb, first!.fields)))).toEqual([])
  }
})

test('a key that lacks one of the permissions is refused on every path, and nothing was written', async () => {
  const tenant = await makeTenant(service)
  await makeContact(service.database, tenant.accountId, { name: 'Ana' })
  const clients = new Map<string, ReturnType<typeof createClient>>()
  for (const lacking of GRANTABLE) {
    const permissions = GRANTABLE.filter((one) => one !== lacking)
    const { secret } = await makeKey(service.database, tenant.accountId, { permissions })
    clients.set(lacking, createClient(service.origin, secret))
  }
  const { api_key: _, ...before } = await dumpOf(service.database, tenant.accountId)
  const asked = new Set<string>()
  const { statements } = await service.statementsOf(async () => {
    for (const { verb, fields, type } of PATHS) {
      const leaf = Object.values(type.getFields()).find(isLeaf)
      const permission = permissionOf(type)
      if (!leaf || !permission || asked.has(`${fields[0]!.name} ${permission}`)) continue
      asked.add(`${fields[0]!.name} ${permission}`)
      const query = around(verb, fields, spelled(leaf))
      // What only operators have every key lacks, and it hears of the first.
      const { body } = await (clients.get(permission) ?? clients.get('tags:read')!).graphql(query)
      const required = clients.has(permission) ? permission : expect.stringMatching(/^agencies:/)
      const told = { code: 'INSUFFICIENT_PERMISSIONS', requiredPermission: required }
      expect([query, body.data, body.errors]).toEqual([
        query,
        undefined,
        [expect.objectContaining({ extensions: told })],
      ])
    }
  })
  expect(asked.size).toBeGreaterThan(100)
  // The use of a key is written down in the background.
  const of = statements.filter((text) => !/api_key|idempotency_record/.test(text))
  expect(of.filter((text) => /\b(insert|update|delete)\b/i.test(text))).toEqual([])
  const { api_key, ...after } = await dumpOf(service.database, tenant.accountId)
  expect(after).toEqual(before)
})

describe('what the documented answers of REST show besides', () => {
  test('is exactly what the API names', () => {
    const exceptions = Object.entries(EXTERNAL.shows).flatMap(([name, shown]) =>
      shown.map((one) => [name, one] as const),
    )
    for (const [name, one] of exceptions) {
      const shows = { ...EXTERNAL.shows, [name]: EXTERNAL.shows[name]!.filter((other) => other !== one) }
      expect(() => endpointsOf({ ...EXTERNAL, shows }, schema)).toThrow(/which takes \w+:\w+: its API names no such/)
    }
    const { shows } = EXTERNAL
    const more = { ...shows, GetContact: [...shows.GetContact!, 'User'] }
    expect(() => endpointsOf({ ...EXTERNAL, shows: more }, schema)).toThrow('excepts User, which it does not show')
    const unknown = { ...shows, Nobody: ['User'] }
    expect(() => endpointsOf({ ...EXTERNAL, shows: unknown }, schema)).toThrow('Nobody')
  })

  test('is no more than id, name and profile of the contact that is put into a campaign', () => {
    const { operation } = endpointsOf(EXTERNAL, schema).find(
      ({ operation: { name } }) => name === 'AddCampaignContact',
    )!
    const { shown } = demandsOf(schema, operation.document, operation.node)
    const contact = shown.filter(({ permission }) => permission === 'contacts:read').map(({ field }) => field)
    expect(contact.sort()).toEqual(['Contact.id', 'Contact.linkedinProfileUrl', 'Contact.name'])
  })

  test('is answered to a key that may write alone, and to no such key through /graphql', async () => {
    const { client } = await makeTenant(service, { permissions: ['contacts:write'] })
    const { status, body } = await client.post('/contacts', { name: 'Ana', phone: '+5511987654321' })
    expect([status, body.data.phone]).toEqual([201, '+5511987654321'])
    const mutation = 'mutation { createContact(input: { name: "Bia" }) { id } }'
    const refused = await client.graphql(mutation)
    expect(refused.body.errors[0].extensions.requiredPermission).toBe('contacts:read')
    expect(refused.body.data).toBeUndefined()
  })
})
