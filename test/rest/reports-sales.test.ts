import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { makePipeline } from '../support/factories/pipelines.js'
import { makeDeal } from '../support/factories/reports.js'
import { makeUser } from '../support/factories/users.js'
import { makeTenant } from '../support/factories.js'
import { report } from '../support/reports.js'

let service: TestApp
beforeAll(async () => {
  // Row security would hide a condition on the account that a report forgot.
  service = await startTestApp({ rowSecurity: false })
})
afterAll(() => service.stop())

const WHEN = new Date('2026-02-01T09:30:00.000Z')
const WON = { wonAt: WHEN }
const LOST = { lostAt: WHEN }

type Deal = Omit<Parameters<typeof makeDeal>[2], 'pipelineId' | 'stageId'>

/** A new account with these deals, and functions that ask for its reports. */
async function accountWith(...deals: Deal[]) {
  const tenant = await makeTenant(service)
  const pipeline = await makePipeline(service.database, tenant.accountId)
  const put = async (...more: Deal[]) => {
    const place = { pipelineId: pipeline.id, stageId: pipeline.stages[0]!.id }
    for (const deal of more) await makeDeal(service.database, tenant.accountId, { ...deal, ...place })
  }
  await put(...deals)
  return {
    ...tenant,
    put,
    user: (name: string, id = randomUUID()) =>
      makeUser(service.database, tenant.accountId, { id, name, email: `${id}@example.com` }),
    summary: () => report(tenant.client, 'sales-summary'),
    sellers: () => report(tenant.client, 'sellers'),
  }
}

const sortedIds = (count: number) => Array.from({ length: count }, () => randomUUID()).toSorted()

const NO_FILTERS = { pipeline_id: null, sector_id: null, owner_user_id: null, from: null, to: null }

describe('the sales summary', () => {
  test('of an account without opportunities has counts of 0 and no ratios', async () => {
    const { summary } = await accountWith()
    const none = { count: 0, value: 0 }
    expect(await summary()).toEqual({
      ...{ open: none, won: none, lost: none },
      ...{ win_rate: null, average_ticket: null, filters: NO_FILTERS },
    })
  })

  test('tells open, won and lost apart: lost and discarded beat won, open is neither', async () => {
    const { summary } = await accountWith(
      { value: 1.01 },
      { value: 2, currency: 'USD' },
      { value: 4, ...WON },
      { value: 8.5, ...WON },
      { value: 16, ...LOST },
      { value: 32, discardedAt: WHEN },
      { value: 64, ...WON, ...LOST },
      { value: 128, ...WON, discardedAt: WHEN },
      { value: 256, ...LOST, discardedAt: WHEN },
    )
    expect(await summary()).toEqual({
      open: { count: 2, value: 3.01 },
      won: { count: 2, value: 12.5 },
      lost: { count: 5, value: 496 },
      win_rate: 28.57, // 2 of 7
      average_ticket: 6.25,
      filters: NO_FILTERS,
    })
  })

  test.each([
    ['nothing is decided', [{}], null, null],
    ['all are lost', [LOST, LOST], 0, null],
    ['all are won', [WON, WON], 100, 0],
    ['one of three is won', [{ ...WON, value: 10 }, LOST, LOST], 33.33, 10],
    ['two of three are won', [{ ...WON, value: 10 }, { ...WON, value: 10.01 }, LOST], 66.67, 10.01],
    ['a ticket is a third of a cent', [{ ...WON, value: 0.01 }, WON, WON], 100, 0],
    ['a ticket is two thirds of one', [{ ...WON, value: 0.02 }, WON, WON], 100, 0.01],
  ])('has ratios with two decimals when %s', async (_, deals, win_rate, average_ticket) => {
    const { summary } = await accountWith(...deals)
    expect(await summary()).toMatchObject({ win_rate, average_ticket })
  })

  test('values are added up to the cent over all owners', async () => {
    const { summary, put, user } = await accountWith({ ...WON, value: 0.1 })
    for (const value of [0.2, 999_999_999_999.99, 999_999_999_999.99]) {
      await put({ ...WON, value, ownerUserId: (await user('Seller')).id })
    }
    expect(await summary()).toMatchObject({ won: { count: 4, value: 2_000_000_000_000.28 } })
  })
})

describe('the sellers', () => {
  test('are nobody where there are no opportunities', async () => {
    const { sellers, user } = await accountWith()
    await user('Idle')
    expect(await sellers()).toEqual([])
  })

  test('have what is open, won and lost of theirs, their revenue, ticket and conversion', async () => {
    const { sellers, put, user } = await accountWith()
    const { id, email } = await user('Bia')
    await put(
      { ownerUserId: id, value: 1000 },
      { ownerUserId: id, value: 10.1, ...WON },
      { ownerUserId: id, value: 20.25, ...WON },
      { ownerUserId: id, value: 2000, ...LOST },
      { ownerUserId: id, value: 4000, ...WON, discardedAt: WHEN },
      { ownerUserId: id, value: 8000, discardedAt: WHEN },
    )
    expect(await sellers()).toEqual([
      {
        ...{ owner_user_id: id, owner_user_name: 'Bia', owner_user_email: email },
        ...{ open_count: 1, won_count: 2, lost_count: 3, revenue: 30.35, average_ticket: 15.18, conversion_rate: 40 },
      },
    ])
  })

  test('what nobody owns is one row without ids', async () => {
    const { sellers } = await accountWith({ value: 5, ...WON }, { value: 7 }, LOST)
    expect(await sellers()).toEqual([
      {
        ...{ owner_user_id: null, owner_user_name: null, owner_user_email: null },
        ...{ open_count: 1, won_count: 1, lost_count: 1, revenue: 5, average_ticket: 5, conversion_rate: 50 },
      },
    ])
  })

  test('have no ticket and no conversion without a win and without an end', async () => {
    const { sellers, put, user } = await accountWith()
    const [first, second] = sortedIds(2)
    const [open, loser] = [await user('Open', first), await user('Loser', second)]
    await put({ ownerUserId: open.id, value: 3 }, { ownerUserId: loser.id, value: 3, ...LOST })
    expect(await sellers()).toMatchObject([
      { owner_user_name: 'Open', revenue: 0, average_ticket: null, conversion_rate: null },
      { owner_user_name: 'Loser', revenue: 0, average_ticket: null, conversion_rate: 0 },
    ])
  })

  test('stand by revenue, equal ones by id, the unassigned last of these', async () => {
    const { sellers, put, user } = await accountWith({ value: 10, ...WON }, { value: 500 })
    const values = [10, 10, 0, 10.01, 200, 0]
    const ids = sortedIds(values.length)
    for (const [i, value] of values.entries()) {
      const { id } = await user(`Seller ${i}`, ids[ids.length - 1 - i]!)
      await put({ ownerUserId: id, value, ...WON }, { ownerUserId: id, value: 900 - i * 100 })
    }
    const rows: { owner_user_id: string | null; revenue: number }[] = await sellers()
    expect(rows.map(({ owner_user_id, revenue }) => [owner_user_id, revenue])).toEqual([
      [ids[1], 200],
      [ids[2], 10.01],
      [ids[4], 10],
      [ids[5], 10],
      [null, 10],
      [ids[0], 0],
      [ids[3], 0],
    ])
  })

  test('are named as they are called now, deleted and inactive ones too', async () => {
    const { accountId, sellers, put, user } = await accountWith()
    const { id } = await user('Before')
    await put({ ownerUserId: id, ...WON })
    await service.database.pool.query(
      `update app_user set name = 'After', is_active = false, deleted_at = now() where account_id = $1 and id = $2`,
      [accountId, id],
    )
    expect(await sellers()).toMatchObject([{ owner_user_id: id, owner_user_name: 'After', won_count: 1 }])
  })

  test('one who has lost all opportunities is gone', async () => {
    const { client, sellers, put, user } = await accountWith()
    const [from, to] = [await user('From'), await user('To')]
    await put({ ownerUserId: from.id, value: 7, ...WON })
    const [{ id }] = (await client.get('/opportunities')).body.data
    await client.put(`/opportunities/${id}`, { owner_user_id: to.id })
    expect(await sellers()).toMatchObject([{ owner_user_id: to.id, revenue: 7 }])
    await client.delete(`/opportunities/${id}`)
    expect(await sellers()).toEqual([])
  })
})
