import { verifyTally } from '../../src/database/index.js'
import { contactTally } from '../../src/domains/contacts/index.js'
import { type SeedPlan, seedAccount } from '../../src/seed/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const seed = (accountId: string, plan: Partial<SeedPlan> = {}) =>
  seedAccount(service.database, { accountId, contacts: 120, notes: 2, seed: 1, ...plan }, () => {})

test('fills an account with contacts, two tags and the notes on each, and keeps the totals right', async () => {
  const { accountId, client } = await makeTenant(service)
  expect(await seed(accountId)).toBe(20 + 120 + 240 + 240)
  const { body } = await client.get('/contacts?limit=100')
  expect(body.pagination.total).toBe(120)
  for (const contact of body.data) expect(contact.tags).toHaveLength(2)
  expect((await client.get(`/contacts/${body.data[0].id}`)).body.data.notes).toHaveLength(2)
  expect((await client.get('/tags')).body.pagination.total).toBe(20)
  expect((await verifyTally(service.database.pool, contactTally)).filter((m) => m.account_id === accountId)).toEqual([])
})

test('the same seed gives the same people, another seed others', async () => {
  const [one, same, other] = [await makeTenant(service), await makeTenant(service), await makeTenant(service)]
  await Promise.all([seed(one.accountId), seed(same.accountId), seed(other.accountId, { seed: 2 })])
  const people = async ({ client }: typeof one) =>
    (await client.get('/contacts?limit=100&sort_by=name&sort_order=asc')).body.data.map(
      ({ name, email, company }: Record<string, string>) => [name, email, company],
    )
  expect(await people(same)).toEqual(await people(one))
  expect(await people(other)).not.toEqual(await people(one))
})

test('an account takes several seeds, each once', async () => {
  const { accountId, client } = await makeTenant(service)
  await seed(accountId)
  await expect(seed(accountId)).rejects.toMatchObject({ code: 'DUPLICATE_ERROR' })
  await seed(accountId, { seed: 2, contacts: 10 })
  expect((await client.get('/contacts')).body.pagination.total).toBe(130)
})

test('an account that does not exist is an error', async () => {
  await expect(seed('01980000-0000-7000-8000-000000000000')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(seed('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('tells how far it is', async () => {
  const { accountId } = await makeTenant(service)
  const heard: number[] = []
  await seedAccount(service.database, { accountId, contacts: 6000, notes: 0, seed: 1 }, (done) => heard.push(done))
  expect(heard).toHaveLength(2)
  expect(Math.max(...heard)).toBe(6000)
})
