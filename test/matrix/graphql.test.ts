import { assembly } from '../../src/assembly.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { dumpOf } from '../support/dump.js'
import type { Tenant } from '../support/factories.js'
import { ROOT_FIELDS, TYPES } from '../support/matrix/access-table.js'
import { type Caller, KEYS, keyCaller, makeHome, OTHERS, otherCaller } from '../support/matrix/callers.js'
import { expectedOf, outcomeOfGraphql } from '../support/matrix/expected.js'
import { ADMIN_ONLY, OF_OPERATORS, OF_TOKENS, ORDINARY, words } from '../support/matrix/holders.js'
import {
  fieldQuestions,
  type Question,
  questionsInside,
  rootQuestions,
  rootsOfSchema,
  typesOfSchema,
} from '../support/matrix/questions.js'
import { type Stock, stockOf } from '../support/stock.js'

const AT_ONCE = 8
/** Of keys with one permission each asks for every so manieth field inside of records, another one by key; of root fields for all. */
const SHARES = process.env.FULL === 'true' ? 1 : 12

let service: TestApp
let home: Tenant
let stock: Stock
beforeAll(async () => {
  // A model that nobody asks: with one, there is a budget to be seen.
  const ai = { apiBase: 'http://127.0.0.1:1/v1', apiKey: 'none', model: 'none', dailyTokens: 1000 }
  service = await startTestApp({ sessionRateLimit: 1_000_000, ai })
  home = await makeHome(service)
  stock = await stockOf(service.database, home.accountId)
})
afterAll(() => service.stop())

/** Asks everything, and says of each answer that is not the expected one what it is. */
async function surprises(caller: Caller, questions: readonly Question[]): Promise<string[]> {
  const found: string[] = []
  const left = questions.values()
  const ask = async () => {
    for (const { name, root, verb, query, demanded } of left) {
      const answer = outcomeOfGraphql(await caller.client.graphql(query), verb === 'query')
      const expected = expectedOf(caller, demanded, root)
      if (answer !== expected) found.push(`${name}: ${answer}, not ${expected}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  return found
}

/** Every field or a share of those inside of records, and at last `logout`, when nothing else is under way. */
async function expectMatrix(caller: Caller, share: (place: number) => boolean = () => true): Promise<void> {
  const roots = rootQuestions(stock)
  const inside = fieldQuestions(stock).filter((_, i) => share(i))
  const [before, last] = [[...inside, ...roots.slice(0, -1)], roots.slice(-1)]
  expect(await surprises(caller, before)).toEqual([])
  expect(await surprises(caller, last)).toEqual([])
}

describe('the table', () => {
  test('has an entry for each root field, and none besides', () => {
    const named = Object.values(ROOT_FIELDS).flatMap(words)
    expect(named.sort()).toEqual(rootsOfSchema().sort())
  })

  test('has an entry for each type and each of its fields, and none besides', () => {
    const told = Object.entries(TYPES).map(([name, [, fields]]) => `${name}: ${words(fields).sort().join(' ')}`)
    const found = typesOfSchema().map((type) => `${type.name}: ${Object.keys(type.getFields()).sort().join(' ')}`)
    expect(told.sort()).toEqual(found.sort())
  })

  test('says of each permission who can hold it', () => {
    expect([...ORDINARY, ...ADMIN_ONLY, ...OF_TOKENS, ...OF_OPERATORS].sort()).toEqual(
      Object.keys(assembly.permissions).sort(),
    )
  })

  test('is asked about as a whole', () => {
    const asked = new Set(fieldQuestions(stock).map(({ name }) => name.slice(name.indexOf(': ') + 2)))
    const fields = Object.entries(TYPES).flatMap(([type, [, names]]) => words(names).map((name) => `${type}.${name}`))
    expect([...asked].sort()).toEqual(fields.sort())
    expect(rootQuestions(stock).at(-1)!.name).toBe('logout')
  })
})

describe('each field answers', () => {
  test.each(OTHERS)('%s', async (name) => {
    await expectMatrix(await otherCaller(service, home, name))
  })

  test.each(KEYS.filter(({ lacks }) => !lacks).map((key, turn) => [key.name, key, turn] as const))(
    '%s',
    async (_, key, turn) => {
      const all = key.holds.length > 1
      await expectMatrix(await keyCaller(service, home, key), (i) => all || i % SHARES === turn % SHARES)
    },
  )

  test.each(KEYS.filter(({ lacks }) => lacks))('$name, where it is reached without', async (key) => {
    const caller = await keyCaller(service, home, key)
    const roots = rootQuestions(stock).filter(({ demanded }) => demanded[0] === key.lacks)
    expect(await surprises(caller, [...roots, ...questionsInside(key.lacks!, stock)])).toEqual([])
  })
})

test('each query shows an admin something, so that what is allowed is really read', async () => {
  const admin = await otherCaller(service, home, 'admin')
  const empty: string[] = []
  for (const { name, verb, query, demanded } of rootQuestions(stock)) {
    if (verb === 'mutation' || expectedOf(admin, demanded) !== 'allowed') continue
    const { body } = await admin.client.graphql(query)
    if (Object.values(body.data ?? {})[0] == null) empty.push(name)
  }
  expect(empty).toEqual([])
})

test('all that was asked has changed nothing', async () => {
  const apart = async () => {
    const {
      api_key: _,
      sign_in_session: __,
      audit_entry: ___,
      ...rest
    } = await dumpOf(service.database, home.accountId)
    return rest
  }
  const admin = await otherCaller(service, home, 'admin')
  const key = await keyCaller(service, home, { name: 'everything', granted: ['*', ...ADMIN_ONLY], holds: [] })
  const before = await apart()
  for (const caller of [admin, key]) for (const { query } of rootQuestions(stock)) await caller.client.graphql(query)
  expect(await apart()).toEqual(before)
})
