import { readFileSync } from 'node:fs'
import { breakingChanges } from '../../scripts/openapi/breaking.mjs'
import { namedAsBreaking } from '../../scripts/openapi/changelog.mjs'
import type { Json } from '../support/openapi.js'

const read = (name: string): Json =>
  JSON.parse(readFileSync(new URL(`../../schema/openapi/${name}.json`, import.meta.url), 'utf8'))
const before = { external: read('external'), agency: read('agency') }

const schemaOf = (document: Json, name: string): Json => document.components.schemas[name]
const answerOf = (operation: Json): Json => operation.responses[200].content['application/json'].schema
const parameter = (operation: Json, name: string): Json => operation.parameters.find((one: Json) => one.name === name)

type Change = (document: Json) => unknown
type Planted = [string, keyof typeof before, Change, string, RegExp]

/** Each with the operation that it breaks, and what is told of it. */
const BREAKS: Planted[] = [
  ['a path goes', 'external', ({ paths }) => delete paths['/tags'], 'GET /tags', /gone/],
  ['a method goes', 'external', ({ paths }) => delete paths['/contacts'].post, 'POST /contacts', /gone/],
  [
    'a parameter goes',
    'external',
    ({ paths }) => {
      const { get } = paths['/contacts']
      get.parameters = get.parameters.filter(({ name }: Json) => name !== 'search')
    },
    'GET /contacts',
    /query parameter search is gone/,
  ],
  [
    'a new parameter is mandatory',
    'external',
    ({ paths }) =>
      paths['/tags'].get.parameters.push({ name: 'team', in: 'query', required: true, schema: { type: 'string' } }),
    'GET /tags',
    /query parameter team must be sent/,
  ],
  [
    'a parameter becomes narrower',
    'external',
    ({ paths }) => Object.assign(parameter(paths['/contacts'].get, 'limit').schema, { maximum: 50 }),
    'GET /contacts',
    /limit: maximum 100 → 50/,
  ],
  [
    'a choice of a parameter goes',
    'external',
    ({ paths }) => void parameter(paths['/contacts'].get, 'sort_by').schema.enum.pop(),
    'GET /contacts',
    /sort_by: last_interaction does not fit/,
  ],
  [
    'a member of a body becomes mandatory',
    'external',
    (document) => void schemaOf(document, 'CreateContactRequest').required.push('email'),
    'POST /contacts',
    /body\.email must be sent now/,
  ],
  [
    'a member of a body goes',
    'external',
    (document) => delete schemaOf(document, 'CreateContactRequest').properties.phone,
    'POST /contacts',
    /body\.phone is gone/,
  ],
  [
    'a member of a body may not be null any more (a type list of 3.1)',
    'external',
    (document) => Object.assign(schemaOf(document, 'UpdateContactRequest').properties.email, { type: 'string' }),
    'PUT /contacts/{id}',
    /body\.email: type null/,
  ],
  [
    'a text of a body becomes shorter',
    'external',
    (document) => Object.assign(schemaOf(document, 'CreateOpportunityRequest').properties.name, { maxLength: 100 }),
    'POST /opportunities',
    /body\.name: maxLength 255 → 100/,
  ],
  [
    'a field of an answer goes, within a list',
    'external',
    (document) => {
      const tag = schemaOf(document, 'Tag')
      delete tag.properties.color
      tag.required = tag.required.filter((name: string) => name !== 'color')
    },
    'GET /tags',
    /data\[\]\.color is gone/,
  ],
  [
    'a field of an answer may be absent, within an allOf',
    'external',
    (document) => void schemaOf(document, 'FullContact').allOf[1].required.shift(),
    'GET /contacts/{id}',
    /data\.notes may be absent now/,
  ],
  [
    'a field of an answer may be null (a type list of 3.1)',
    'external',
    (document) => Object.assign(schemaOf(document, 'Contact').properties.name, { type: ['string', 'null'] }),
    'GET /contacts',
    /data\[\]\.name: type null/,
  ],
  [
    'a field of an answer may be another object (anyOf)',
    'external',
    (document) => {
      const { attribution } = schemaOf(document, 'FullContact').allOf[1].properties
      attribution.anyOf.push({ type: 'string' })
    },
    'GET /contacts/{id}',
    /data\.attribution/,
  ],
  [
    'an answer has a value that was none (const)',
    'agency',
    (document) =>
      Object.assign(schemaOf(document, 'Pending').properties, {
        status: { type: 'string', enum: ['pending', 'waiting'] },
      }),
    'POST /{agency_key}/sub-accounts',
    /waiting does not fit/,
  ],
  [
    'a success has another status',
    'external',
    ({ paths }) => {
      const { responses } = paths['/contacts'].post
      responses[200] = responses[201]
      delete responses[201]
    },
    'POST /contacts',
    /not answered with 201/,
  ],
  [
    'another permission is needed',
    'external',
    ({ paths }) => Object.assign(paths['/tags'].get, { 'x-required-permission': 'tags:write' }),
    'GET /tags',
    /takes tags:write instead of tags:read/,
  ],
  [
    'an operation is renamed',
    'external',
    ({ paths }) => Object.assign(paths['/tags'].get, { operationId: 'tags' }),
    'GET /tags',
    /operationId/,
  ],
  [
    'a header goes',
    'external',
    ({ paths }) => delete paths['/tags'].get.responses[429].headers['Retry-After'],
    'GET /tags',
    /header Retry-After of 429 is gone/,
  ],
  ['a credential goes', 'external', ({ components }) => delete components.securitySchemes.bearer, '*', /bearer/],
  [
    'the address moves',
    'agency',
    (document) => Object.assign(document.servers[0], { url: '/agency' }),
    '*',
    /became \/agency/,
  ],
]

test.each(BREAKS)('that %s (%s) is found', (_, api, change, operation, text) => {
  const after = structuredClone(before[api])
  change(after)
  const found = breakingChanges(before[api], after)
  expect(found).toContainEqual({ operation, text: expect.stringMatching(text) })
})

const HARMLESS: [string, Change][] = [
  ['nothing', () => undefined],
  ['another description', (document) => Object.assign(document.info, { description: 'New.' })],
  ['a new path', ({ paths }) => Object.assign(paths, { '/teams': paths['/tags'] })],
  [
    'a new field of an answer',
    (document) => {
      const tag = schemaOf(document, 'Tag')
      tag.properties.size = { type: 'integer' }
      tag.required.push('size')
    },
  ],
  [
    'a new optional parameter',
    ({ paths }) => paths['/tags'].get.parameters.push({ name: 'team', in: 'query', schema: { type: 'string' } }),
  ],
  [
    'a new optional member of a body',
    (document) => Object.assign(schemaOf(document, 'CreateContactRequest').properties, { team: { type: 'string' } }),
  ],
  ['a larger page', ({ paths }) => Object.assign(parameter(paths['/tags'].get, 'limit').schema, { maximum: 500 })],
  [
    'one more choice of a parameter',
    ({ paths }) => void parameter(paths['/contacts'].get, 'sort_by').schema.enum.push('email'),
  ],
  [
    'a field that is never null any more',
    (document) => Object.assign(schemaOf(document, 'Contact').properties.company, { type: 'string' }),
  ],
  [
    'one more code of a failure',
    (document) => void schemaOf(document, 'NotFound').allOf[1].properties.error.properties.code.enum.push('GONE'),
  ],
  ['a permission that is not needed any more', ({ paths }) => delete paths['/tags'].get['x-required-permission']],
]

test.each(HARMLESS)('%s breaks nobody', (_, change) => {
  const after = structuredClone(before.external)
  change(after)
  expect(answerOf(after.paths['/tags'].get)).toBeDefined()
  expect(breakingChanges(before.external, after)).toEqual([])
})

test('the changelog announces what the version at its top breaks, and nothing else does', () => {
  const changelog = `# Changelog\n\n## [2.0.0]\n\n### Breaking\n\n- \`GET /tags\` has no color; \`tag\` is new.\n- \`*\`: the address.\n
### Added\n\n- \`POST /tags\`\n\n## [1.0.0]\n\n### Breaking\n\n- \`GET /users\`\n`
  expect(namedAsBreaking(changelog)).toEqual(['GET /tags', '*'])
  expect(namedAsBreaking('# Changelog\n')).toEqual([])
})
