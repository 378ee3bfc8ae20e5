import { randomUUID } from 'node:crypto'
import { AgencyTokens } from '../../src/domains/agencies/index.js'
import { createAgencyClient, makeAgency, type TestAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import type { Tenant } from '../support/factories.js'
import { type Caller, KEYS, keyCaller, makeHome, OTHERS, otherCaller } from '../support/matrix/callers.js'
import { expectedOf, outcomeOf } from '../support/matrix/expected.js'
import { OF_TOKENS, words } from '../support/matrix/holders.js'
import { OPERATIONS_OF_KEYS, OPERATIONS_OF_TOKENS } from '../support/matrix/operation-table.js'
import { AGENCY_API, OPERATIONS, type Operation } from '../support/openapi.js'
import { stockOf } from '../support/stock.js'

let service: TestApp
let home: Tenant
let agency: TestAgency
beforeAll(async () => {
  service = await startTestApp({ sessionRateLimit: 1_000_000 })
  home = await makeHome(service)
  await stockOf(service.database, home.accountId)
  agency = await makeAgency(service)
})
afterAll(() => service.stop())

const idOf = ({ object }: Operation): string => object.operationId
const wordOf = (table: Readonly<Record<string, string>>, operation: Operation) =>
  Object.keys(table).find((word) => words(table[word]!).includes(idOf(operation))) ?? `no entry of ${idOf(operation)}`

/** Asks for a record that is not there, with a body in which everything is missing. */
const askedOf = ({ method, path }: Operation) => ({
  method,
  path: path.replace('/{agency_key}', '').replaceAll(/\{\w+\}/g, randomUUID()),
  body: ['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined,
})

describe.each([
  { name: 'external', table: OPERATIONS_OF_KEYS, operations: OPERATIONS },
  { name: 'agency', table: OPERATIONS_OF_TOKENS, operations: AGENCY_API.operations },
])('the table of the $name API', ({ table, operations }) => {
  test('has an entry for each operation, and none besides', () => {
    expect(Object.values(table).flatMap(words).sort()).toEqual(operations.map(idOf).sort())
  })

  test('is what the document says', () => {
    const told = operations.map((one) => `${idOf(one)} ${one.object['x-required-permission'] ?? 'any'}`)
    expect(told).toEqual(operations.map((one) => `${idOf(one)} ${wordOf(table, one)}`))
  })
})

describe('each operation of the external API answers', () => {
  const ask = ({ client, headers }: Caller, operation: Operation): Promise<Answer> => {
    const { method, path, body } = askedOf(operation)
    return client.call(method, path, { body, headers })
  }
  const surprises = async (caller: Caller) => {
    const found = await Promise.all(
      OPERATIONS.map(async (operation) => {
        const { status, body } = await ask(caller, operation)
        const answer = `${statusOf(status)} ${outcomeOf(body.error)}`
        const outcome = expectedOf(caller, [wordOf(OPERATIONS_OF_KEYS, operation)])
        const expected = `${caller.refused ? 401 : outcome === 'allowed' ? 'beyond' : 403} ${outcome}`
        return answer === expected ? [] : [`${idOf(operation)}: ${answer}, not ${expected}`]
      }),
    )
    return found.flat()
  }

  test.each(KEYS)('$name', async (key) => {
    expect(await surprises(await keyCaller(service, home, key))).toEqual([])
  })

  test.each(OTHERS)('%s, who has no key', async (name) => {
    const caller = await otherCaller(service, home, name)
    const refused = name === 'nobody' ? 'MISSING_API_KEY' : 'INVALID_API_KEY'
    expect(await surprises({ ...caller, refused })).toEqual([])
  })

  test('and has changed nothing', async () => {
    const all = await keyCaller(service, home, KEYS.find(({ name }) => name === 'a key of *')!)
    const stored = async () => {
      const { api_key: _, ...rest } = await dumpOf(service.database, home.accountId)
      return rest
    }
    const before = await stored()
    for (const operation of OPERATIONS) await ask(all, operation)
    expect(await stored()).toEqual(before)
  })
})

/** Which 401 and 403 there are; all else comes after them. */
const statusOf = (status: number) => (status === 401 || status === 403 ? status : 'beyond')

describe('each operation of the agency API answers', () => {
  const LATER = /^(MISSING_FIELDS|INVALID_CHANNELS|VALIDATION_ERROR|EVENT_NOT_FOUND|SUB_ACCOUNT_NOT_FOUND)$/

  async function expectAnswers(token: string | undefined, expected: (scope: string) => string): Promise<void> {
    const client = createAgencyClient(service.origin, agency.agencyKey, token)
    for (const operation of AGENCY_API.operations) {
      const { method, path, body } = askedOf(operation)
      const { body: answer } = await client.call(method, path, { body })
      const outcome = LATER.test(answer.error.code) ? 'allowed' : answer.error.code
      expect([idOf(operation), outcome]).toEqual([idOf(operation), expected(wordOf(OPERATIONS_OF_TOKENS, operation))])
    }
  }

  test.each(OF_TOKENS)('a token of %s', async (scope) => {
    const { secret } = await new AgencyTokens(service.database).create(agency.agencyKey, [scope])
    await expectAnswers(secret, (word) => (word === scope || word === 'any' ? 'allowed' : 'INVALID_SCOPE'))
  })

  test('a token of all scopes', async () => {
    await expectAnswers(agency.token, () => 'allowed')
  })

  test('a token of another agency', async () => {
    const { token } = await makeAgency(service)
    await expectAnswers(token, () => 'UNAUTHORIZED')
  })

  test.each(OTHERS.filter((name) => name !== 'token of an agency'))('%s, who has no token', async (name) => {
    const { headers } = await otherCaller(service, home, name)
    await expectAnswers(headers.Authorization?.replace('Bearer ', ''), () => 'UNAUTHORIZED')
  })

  test('a key of *', async () => {
    await expectAnswers(home.key, () => 'UNAUTHORIZED')
  })
})
