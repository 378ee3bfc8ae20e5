import { MAX_KEPT_WHILE_USED } from '../../src/database/prepare.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeContact, makeTenant, type Tenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'

// One connection, so that everything that is prepared is prepared on it.
const POOL_SIZE = 1
const SELECTIONS = 2000
const ALIASES = 50

let service: TestApp
let tenant: Tenant
beforeAll(async () => {
  service = await startTestApp({ poolSize: POOL_SIZE, rowSecurity: false })
  tenant = await makeTenant(service)
})
afterAll(() => service.stop())

interface Prepared {
  /** Texts of the statements that PostgreSQL keeps for the connection. */
  texts: string[]
  /** How many the driver believes to be kept. */
  believed: number
}

async function prepared(): Promise<Prepared> {
  const client = await service.database.requests.pool.connect()
  try {
    const { rows } = await client.query<{ statement: string }>('select statement from pg_prepared_statements')
    const { parsedStatements } = (client as unknown as { connection: { parsedStatements: object } }).connection
    return { texts: rows.map(({ statement }) => statement), believed: Object.keys(parsedStatements).length }
  } finally {
    client.release()
  }
}

/** The names of a type's plain fields. */
async function fieldsOf(type: string): Promise<string[]> {
  const query = `{ __type(name: "${type}") { fields { name args { name } type { kind ofType { kind } } } } }`
  const { fields } = dataOf(await tenant.client.graphql(query)) as unknown as { fields: Field[] }
  const kinds = ['SCALAR', 'ENUM']
  return fields
    .filter(({ args, type }) => args.length === 0 && kinds.includes(type.ofType?.kind ?? type.kind))
    .map(({ name }) => name)
}
interface Field {
  name: string
  args: unknown[]
  type: { kind: string; ofType: { kind: string } | null }
}

/** Another set of the names for each number. */
const subset = (names: readonly string[], number: number) =>
  names.filter((_, i) => ((number + 1) >> i) & 1).join(' ') || names[0]

test('2,000 selections leave stored operations prepared that nobody has called before, and tables that do not grow', async () => {
  const { id } = await makeContact(service.database, tenant.accountId)
  const contact = await fieldsOf('Contact')
  const opportunity = await fieldsOf('Opportunity')
  const vary = async (selections: number) => {
    for (let first = 0; first < selections; first += ALIASES) {
      const fields = Array.from({ length: ALIASES }, (_, i) => {
        const number = (first + i) >> 2
        return [
          `a${i}: contacts(limit: 1) { items { ${subset(contact, number)} } }`,
          `a${i}: contact(id: "${id}") { ${subset(contact, number)} }`,
          `a${i}: opportunities(limit: 1) { items { ${subset(opportunity, number)} } }`,
          `a${i}: opportunity(id: "${id}") { ${subset(opportunity, number)} }`,
        ][i % 4]
      })
      await tenant.client.graphql(`{ ${fields.join('\n')} }`)
    }
  }
  const before = await prepared()
  for (let times = 0; times < 6; times++) await vary(200)
  await vary(SELECTIONS)
  const after = await prepared()
  expect(after.believed).toBe(after.texts.length)
  expect(after.texts.length).toBeGreaterThan(before.texts.length)
  expect(after.texts.length).toBeLessThanOrEqual(before.texts.length + MAX_KEPT_WHILE_USED)

  const { statements } = await service.statementsOf(async () => {
    for (const path of ['/contacts', `/contacts/${id}`, '/opportunities', '/opportunities?stage_id=none', '/tags']) {
      expect((await tenant.client.get(path)).status).toBe(200)
    }
    expect((await tenant.client.get(`/opportunities/${id}`)).status).toBe(404)
  })
  expect(statements.length).toBeGreaterThanOrEqual(5)
  const { texts } = await prepared()
  for (const statement of statements.filter((text) => !text.includes('from api_key')))
    expect(texts.includes(statement) || statement).toBe(true)
}, 120_000)

test('writes of the unit of work, which carry their values in their texts, leave nothing behind', async () => {
  const { id } = await makeContact(service.database, tenant.accountId)
  const put = (i: number) => tenant.client.put(`/contacts/${id}`, { company: `Company ${i}`, title: `Title ${i % 3}` })
  for (let i = 0; i < 5; i++) await put(i)
  const before = await prepared()
  const { statements } = await service.statementsOf(async () => {
    for (let i = 0; i < 50; i++) expect((await put(i)).status).toBe(200)
  })
  expect(statements.filter((text) => text.startsWith('update "contact"')).length).toBeGreaterThanOrEqual(50)
  expect(await prepared()).toEqual(before)
})
