import { randomUUID } from 'node:crypto'
import { People } from '../../src/domains/sessions/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { signIn } from '../support/factories/people.js'
import { makeTenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'

let service: TestApp
let people: People
beforeAll(async () => {
  service = await startTestApp()
  people = new People(service.database)
})
afterAll(() => service.stop())

const address = () => `Bia.${randomUUID()}@Example.com`
const ME = '{ me { id kind name email role mustChangePassword } }'

test.each(['admin', 'manager', 'seller'])('a new %s signs in with a temporary password', async (role) => {
  const { accountId } = await makeTenant(service)
  const email = address()
  const { id, temporaryPassword } = await people.createUser(accountId, { email: ` ${email} ` }, role)
  const { client } = await signIn(service, email, temporaryPassword)
  const me = { id, kind: 'USER', name: email, email, role: role.toUpperCase(), mustChangePassword: true }
  expect(dataOf(await client.graphql(ME))).toEqual(me)
})

test('a new operator signs in with one, too', async () => {
  const email = address()
  const { id, temporaryPassword } = await people.createOperator({ email, name: 'Op' })
  const { client } = await signIn(service, email, temporaryPassword)
  const me = { id, kind: 'OPERATOR', name: 'Op', email, role: null, mustChangePassword: true }
  expect(dataOf(await client.graphql(ME))).toEqual(me)
})

test('an email that a user or an operator has is taken, for those made at once too', async () => {
  const { accountId } = await makeTenant(service)
  for (let round = 0; round < 3; round++) {
    const email = address()
    const made = await Promise.allSettled([
      people.createOperator({ email }),
      people.createOperator({ email: email.toUpperCase() }),
      people.createUser(accountId, { email: email.toLowerCase() }, 'seller'),
    ])
    const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(refused).toHaveLength(2)
    for (const reason of refused) expect(reason).toMatchObject({ code: 'DUPLICATE_ERROR' })
  }
})

test('nothing is made of what is wrong', async () => {
  const { accountId } = await makeTenant(service)
  const stored = async () => (await service.database.pool.query('select id from sign_in order by id')).rows
  const before = await stored()
  const email = address()
  for (const [work, code] of [
    [() => people.createUser(accountId, { email }, 'owner'), 'VALIDATION_ERROR'],
    [() => people.createUser(accountId, { email: 'bia' }, 'admin'), 'VALIDATION_ERROR'],
    [() => people.createUser(accountId, { email, name: ' ' }, 'admin'), 'VALIDATION_ERROR'],
    [() => people.createUser(randomUUID(), { email }, 'admin'), 'NOT_FOUND'],
    [() => people.createUser('acme', { email }, 'admin'), 'NOT_FOUND'],
    [() => people.createOperator({ email: '' }), 'VALIDATION_ERROR'],
    [() => people.createOperator({ email, name: 'x'.repeat(256) }), 'VALIDATION_ERROR'],
  ] as const) {
    await expect(work()).rejects.toMatchObject({ code })
  }
  expect(await stored()).toEqual(before)
})
