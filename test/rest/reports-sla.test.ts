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

const START = Date.parse('2026-02-01T09:30:00.000Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const later = (ms: number) => new Date(START + ms)

type Deal = Omit<Parameters<typeof makeDeal>[2], 'pipelineId' | 'stageId'>

/** A new account with these deals, created at the start unless they say otherwise. */
async function accountWith(...deals: Deal[]) {
  const tenant = await makeTenant(service)
  const pipeline = await makePipeline(service.database, tenant.accountId)
  const put = async (...more: Deal[]) => {
    const place = { pipelineId: pipeline.id, stageId: pipeline.stages[0]!.id }
    for (const deal of more) {
      await makeDeal(service.database, tenant.accountId, { createdAt: later(0), ...deal, ...place })
    }
  }
  await put(...deals)
  const user = (name: string, id = randomUUID()) =>
    makeUser(service.database, tenant.accountId, { id, name, email: `${id}@example.com` })
  return { ...tenant, pipeline, put, user, sla: () => report(tenant.client, 'sla') }
}

const NO_AVERAGES = {
  avg_hours_to_first_outreach: null,
  avg_hours_to_acceptance: null,
  avg_hours_to_qualification: null,
  avg_sales_cycle_days: null,
}
const NO_COUNTS = { with_outreach: 0, accepted: 0, qualified: 0, won: 0 }
const NO_FILTERS = { pipeline_id: null, sector_id: null, owner_user_id: null, from: null, to: null }
const NOBODY = { owner_user_id: null, owner_user_name: null, owner_user_email: null }

test('of an account without opportunities there are no averages and no sellers', async () => {
  const { sla, user } = await accountWith()
  await user('Idle')
  expect(await sla()).toEqual({
    overall: { ...NO_AVERAGES, counts: NO_COUNTS },
    by_seller: [],
    filters: NO_FILTERS,
  })
})

test('opportunities that got nowhere yield no averages', async () => {
  const { sla } = await accountWith({}, {})
  expect(await sla()).toEqual({
    overall: { ...NO_AVERAGES, counts: NO_COUNTS },
    by_seller: [{ ...NOBODY, ...NO_AVERAGES, won_count: 0 }],
    filters: NO_FILTERS,
  })
})

describe('each average', () => {
  test('is the time between its own two timestamps, in hours, and for the cycle in days', async () => {
    const { sla } = await accountWith({
      sentAt: later(90 * MINUTE),
      acceptedAt: later(90 * MINUTE + 2 * HOUR),
      qualifyingStartedAt: later(10 * HOUR),
      qualifiedAt: later(13.25 * HOUR),
      scheduledAt: later(100 * DAY), // tells nothing
      wonAt: later(4.5 * DAY),
    })
    const averages = {
      avg_hours_to_first_outreach: 1.5,
      avg_hours_to_acceptance: 2,
      avg_hours_to_qualification: 3.25,
      avg_sales_cycle_days: 4.5,
    }
    expect(await sla()).toEqual({
      overall: { ...averages, counts: { with_outreach: 1, accepted: 1, qualified: 1, won: 1 } },
      by_seller: [{ ...NOBODY, ...averages, won_count: 1 }],
      filters: NO_FILTERS,
    })
  })

  test('covers only those that have both, while each that got so far is counted', async () => {
    const { sla } = await accountWith(
      { sentAt: later(1 * HOUR), acceptedAt: later(5 * HOUR) },
      { sentAt: later(2 * HOUR) },
      { acceptedAt: later(1000 * HOUR) },
      { qualifyingStartedAt: later(0), qualifiedAt: later(6 * HOUR) },
      { qualifyingStartedAt: later(1000 * HOUR) },
      { qualifiedAt: later(2000 * HOUR) },
      { wonAt: later(3 * DAY) },
    )
    expect((await sla()).overall).toEqual({
      avg_hours_to_first_outreach: 1.5,
      avg_hours_to_acceptance: 4,
      avg_hours_to_qualification: 6,
      avg_sales_cycle_days: 3,
      counts: { with_outreach: 2, accepted: 2, qualified: 2, won: 1 },
    })
  })

  test.each([
    ['a third', [1, 0, 0], 0.33],
    ['two thirds', [1, 1, 0], 0.67],
    ['half of a hundredth, away from zero', [0.005], 0.01],
    ['less than that by a millisecond', [0.005 - 1 / HOUR], 0],
    ['nothing at all', [0], 0],
    ['a time that ran backwards', [-2, -1], -1.5],
    ['years', [24 * 365 * 30], 262_800],
  ])('has two decimals: %s', async (_, hours, average) => {
    const { sla } = await accountWith(...hours.map((each) => ({ sentAt: later(Math.round(each * HOUR)) })))
    expect((await sla()).overall).toMatchObject({ avg_hours_to_first_outreach: average })
  })

  test('counts lost and discarded opportunities like any other', async () => {
    const { sla } = await accountWith(
      { sentAt: later(HOUR), wonAt: later(DAY), discardedAt: later(2 * DAY) },
      { sentAt: later(3 * HOUR), lostAt: later(DAY) },
    )
    expect((await sla()).overall).toMatchObject({
      avg_hours_to_first_outreach: 2,
      avg_sales_cycle_days: 1,
      counts: { with_outreach: 2, won: 1 },
    })
  })

  test('is of the stages that an opportunity went through', async () => {
    const { accountId, client, sla } = await accountWith()
    const way = ['sent', 'accepted', 'qualifying_started', 'qualified'] as const
    const stages = [{}, ...way.map((lifecycle) => ({ lifecycle: lifecycle as never })), { isWinStage: true }]
    const pipeline = await makePipeline(service.database, accountId, { stages })
    const [start, ...others] = pipeline.stages.map(({ id }) => id)
    const { body } = await client.post('/opportunities', { name: 'Ana', stage_id: start })
    for (const stage_id of others)
      await client.call('PATCH', `/opportunities/${body.data.id}/stage`, { body: { stage_id } })
    expect((await sla()).overall.counts).toEqual({ with_outreach: 1, accepted: 1, qualified: 1, won: 1 })
    await service.database.pool.query(
      `update opportunity set created_at = sent_at - interval '36 hours' where account_id = $1`,
      [accountId],
    )
    expect((await sla()).overall).toMatchObject({ avg_hours_to_first_outreach: 36, avg_sales_cycle_days: 1.5 })
  })
})

describe('by seller', () => {
  test('each has averages of theirs, and overall is over all', async () => {
    const { sla, put, user } = await accountWith({ sentAt: later(9 * HOUR) })
    const [bia, leo] = [await user('Bia'), await user('Leo')]
    await put(
      { ownerUserId: bia.id, sentAt: later(1 * HOUR), wonAt: later(2 * DAY) },
      { ownerUserId: bia.id, sentAt: later(2 * HOUR) },
      { ownerUserId: leo.id },
    )
    expect(await sla()).toEqual({
      overall: {
        ...NO_AVERAGES,
        avg_hours_to_first_outreach: 4,
        avg_sales_cycle_days: 2,
        counts: { ...NO_COUNTS, with_outreach: 3, won: 1 },
      },
      by_seller: [
        {
          ...{ owner_user_id: bia.id, owner_user_name: 'Bia', owner_user_email: bia.email },
          ...{ ...NO_AVERAGES, avg_hours_to_first_outreach: 1.5, avg_sales_cycle_days: 2, won_count: 1 },
        },
        {
          ...{ owner_user_id: leo.id, owner_user_name: 'Leo', owner_user_email: leo.email },
          ...{ ...NO_AVERAGES, won_count: 0 },
        },
        { ...NOBODY, ...NO_AVERAGES, avg_hours_to_first_outreach: 9, won_count: 0 },
      ],
      filters: NO_FILTERS,
    })
  })

  test('most wins come first, equal ones by id, the unassigned last of these', async () => {
    const { sla, put, user } = await accountWith()
    const wins = [1, 0, 10, 2, 1, 0]
    const ids = wins.map(() => randomUUID()).toSorted()
    for (const [i, count] of wins.entries()) {
      const { id } = await user(`Seller ${i}`, ids[ids.length - 1 - i]!)
      await put({ ownerUserId: id }, ...Array(count).fill({ ownerUserId: id, wonAt: later(DAY) }))
    }
    await put({}, { wonAt: later(DAY) })
    const rows: { owner_user_id: string | null; won_count: number }[] = (await sla()).by_seller
    expect(rows.map(({ owner_user_id, won_count }) => [owner_user_id, won_count])).toEqual([
      [ids[3], 10],
      [ids[2], 2],
      [ids[1], 1],
      [ids[5], 1],
      [null, 1],
      [ids[0], 0],
      [ids[4], 0],
    ])
  })

  test('are named as they are called now, deleted ones too', async () => {
    const { accountId, sla, put, user } = await accountWith()
    const { id, email } = await user('Before')
    await put({ ownerUserId: id })
    await service.database.pool.query(
      `update app_user set name = 'After', deleted_at = now() where account_id = $1 and id = $2`,
      [accountId, id],
    )
    expect((await sla()).by_seller).toMatchObject([{ owner_user_name: 'After', owner_user_email: email }])
  })
})
