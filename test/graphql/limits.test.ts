import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant, type Tenant } from '../support/factories.js'

let service: TestApp
let tenant: Tenant
beforeAll(async () => {
  service = await startTestApp({ production: true })
  tenant = await makeTenant(service)
})
afterAll(() => service?.stop())

const times = (n: number, part: (i: number) => string) => Array.from({ length: n }, (_, i) => part(i)).join(' ')
const post = async (body: string) => {
  const response = await fetch(`${service.origin}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': tenant.key },
    body,
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}
const ask = (query: string) => post(JSON.stringify({ query }))

/** Contacts and opportunities refer to each other for ever. */
const deep = (levels: number) =>
  `{ contacts { items { ${'opportunities { contact { '.repeat(levels)}id${' } }'.repeat(levels)} } } }`

describe('refused before anything of it runs is', () => {
  test.each([
    ['300 aliases', `{ ${times(300, (i) => `a${i}: session { key { id } }`)} }`],
    [
      '300 aliases that come by a fragment',
      `{ ${times(60, (i) => `b${i}: session { ...f }`)} } fragment f on Session { ${times(5, (i) => `k${i}: key { id }`)} }`,
    ],
    ['depth 30', deep(15)],
    [
      'depth 30 that comes by fragments',
      `{ contacts { items { ...f0 } } } ${times(15, (i) => `fragment f${i} on Contact { opportunities { contact { ${i < 14 ? `...f${i + 1}` : 'id'} } } }`)}`,
    ],
    ['a circle of fragments', '{ session { ...a } } fragment a on Session { ...b } fragment b on Session { ...a }'],
    ['a fragment within itself', '{ session { ...a } } fragment a on Session { ...a }'],
    ['more tokens than any query needs', `{ session { key { ${times(3000, () => 'id')} } } }`],
    ['a flood of directives', `{ session { key { id ${times(1500, () => '@include(if: true)')} } } }`],
    ['a flood of variables', `query (${times(1500, (i) => `$v${i}: Int`)}) { session { key { id } } }`],
    ['a query of 200 KiB', `{ session { key { id } } } # ${'x'.repeat(200_000)}`],
    ['a query over 1 MiB', `{ session { key { id } } } # ${'x'.repeat(1_100_000)}`],
  ])('%s', async (_, query) => {
    await ask('{ session { key { id } } }') // so that the key itself is known
    const { result, statements } = await service.statementsOf(() => ask(query))
    expect(result.status).toBeLessThan(500)
    expect(result.body.data).toBeUndefined()
    expect(result.body.errors.length).toBeLessThanOrEqual(25)
    expect(statements.filter((text) => !/api_key/.test(text))).toEqual([])
    expect(JSON.stringify(result.body).length).toBeLessThan(20_000)
  })
})

test('an array of operations is no body', async () => {
  const { status, body } = await post(JSON.stringify(Array(3).fill({ query: '{ session { key { id } } }' })))
  expect({ status, code: body.errors[0].extensions.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
})

test('of many wrong variables the first are told, and that there are more is no fault of ours', async () => {
  const variables = times(9, (i) => `$v${i}: Int!`)
  const { body } = await ask(
    `query (${variables}) { ${times(9, (i) => `a${i}: contacts(page: $v${i}) { items { id } }`)} }`,
  )
  const codes = body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)
  expect(codes).toEqual(Array(4).fill('BAD_USER_INPUT'))
})

test('a page has at most a hundred records, whatever is asked for', async () => {
  const { body } = await ask('{ contacts(limit: 1000000) { items { id } pagination { perPage } } }')
  expect(body.data.contacts.pagination.perPage).toBe(100)
})

test('in production nothing is suggested, and no fault of the program is told', async () => {
  const { body } = await ask('{ contact(idd: "x") { nam } contactz { id } }')
  const text = JSON.stringify(body)
  expect(text).not.toMatch(/Did you mean|contacts|"name"|stacktrace/)
  const { body: closed } = await ask('{ __schema { types { name } } }')
  expect(closed.data).toBeUndefined()
})
