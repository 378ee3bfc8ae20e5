import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { makeDiscardReason, makeProduct, makeSector } from '../support/factories/reference.js'
import { makeKey, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const at = (ms: number) => new Date(Date.parse('2026-03-01T12:00:00.000Z') + ms)

test('shows what the list shows but for the place and the profile of the contact, and more', async () => {
  const { accountId, client } = await makeTenant(service)
  const { database } = service
  const product = await makeProduct(database, accountId, { name: 'Renamed since' })
  const sector = await makeSector(database, accountId, { name: 'Inside' })
  const reason = await makeDiscardReason(database, accountId, { name: 'Budget' })
  const { id } = await makeOpportunity(database, accountId, {
    value: 100.1,
    sectorId: sector.id,
    discardReasonId: reason.id,
    contact: { name: 'Ana', email: 'ana@x.test', location: 'Lisboa', linkedinProfileUrl: 'x', profilePicture: 'x' },
    products: [
      { name: 'Later', quantity: 0.5, unitPrice: 0.01, createdAt: at(2) },
      {
        ...{ name: 'Kit', productId: product.id, quantity: 2.125, unitPrice: 1990.5 },
        ...{ discountPercent: 12.5, discountValue: 0.01, createdAt: at(1) },
      },
    ],
    comments: [
      { content: 'second', createdAt: at(2) },
      { content: 'first', userName: 'Bia', createdAt: at(1) },
    ],
  })
  await makeOpportunity(database, accountId, { products: [{ name: 'of another' }], comments: ['of another'] })
  const listed = (await client.get('/opportunities')).body.data.find((one: { id: string }) => one.id === id)
  const { contact_location, contact_profile_url, contact_profile_picture, ...common } = listed
  const { status, body } = await client.get(`/opportunities/${id}`)
  expect(status).toBe(200)
  expect(body).toEqual({
    success: true,
    data: {
      ...common,
      sector_name: 'Inside',
      discard_reason: 'Budget',
      products: [
        {
          id: expect.any(String),
          product_id: product.id,
          name: 'Kit',
          quantity: 2.125,
          unit_price: 1990.5,
          total_price: 3701.08, // 2.125 × 1990.50 × 0.875 − 0.01 = 3701.0759375
          discount_percent: 12.5,
          discount_value: 0.01,
        },
        {
          id: expect.any(String),
          product_id: null,
          name: 'Later',
          quantity: 0.5,
          unit_price: 0.01,
          total_price: 0.01, // 0.005, rounded away from zero
          discount_percent: null,
          discount_value: null,
        },
      ],
      comments: [
        { id: expect.any(String), content: 'first', user_name: 'Bia', created_at: at(1).toISOString() },
        { id: expect.any(String), content: 'second', user_name: null, created_at: at(2).toISOString() },
      ],
    },
  })
})

test('shows the names of a sector and a reason that have been deleted since', async () => {
  const { accountId, client } = await makeTenant(service)
  const deletedAt = at(0)
  const sector = await makeSector(service.database, accountId, { name: 'Inside', deletedAt })
  const reason = await makeDiscardReason(service.database, accountId, { name: 'Budget', deletedAt })
  const of = { sectorId: sector.id, discardReasonId: reason.id }
  const { id } = await makeOpportunity(service.database, accountId, of)
  const { data } = (await client.get(`/opportunities/${id}`)).body
  expect(data).toMatchObject({ sector_name: 'Inside', discard_reason: 'Budget' })
})

test('takes one statement', async () => {
  const { accountId, client } = await makeTenant(service)
  const { id } = await makeOpportunity(service.database, accountId, { products: [{}], comments: ['x'] })
  await client.get('/opportunities')
  const { result, statements } = await service.statementsOf(() => client.get(`/opportunities/${id.toUpperCase()}`))
  expect(result.body.data.id).toBe(id)
  expect(statements).toHaveLength(1)
})

test.each([
  ['opportunities/:id', 'GET', ''],
  ['opportunities/:id/history', 'GET', '/history'],
])('%s of nobody, or of another account, is not found', async (_, method, rest) => {
  const { client } = await makeTenant(service)
  const { accountId } = await makeTenant(service)
  const { id } = await makeOpportunity(service.database, accountId)
  for (const unknown of [id, randomUUID(), 'nobody', '1', '%00']) {
    const { status, body } = await client.call(method, `/opportunities/${unknown}${rest}`)
    expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
  }
})

test.each(['', '/history'])('only keys that may read opportunities see one%s', async (rest) => {
  const { accountId } = await makeTenant(service)
  const { id } = await makeOpportunity(service.database, accountId)
  expect((await createClient(service.origin).get(`/opportunities/${id}${rest}`)).status).toBe(401)
  for (const [permission, status] of [
    ['opportunities:read', 200],
    ['opportunities:*', 200],
    ['opportunities:write', 403],
    ['contacts:read', 403],
  ] as const) {
    const { secret } = await makeKey(service.database, accountId, { permissions: [permission] })
    expect((await createClient(service.origin, secret).get(`/opportunities/${id}${rest}`)).status).toBe(status)
  }
})
