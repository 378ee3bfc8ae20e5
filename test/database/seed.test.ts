import { assembly } from '../../src/assembly.js'
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

const PLAN = { contacts: 120, notes: 2, opportunities: 0, history: false, seed: 1 }

const seed = (accountId: string, plan: Partial<SeedPlan> = {}) =>
  seedAccount(service.database, assembly.tallies, { ...PLAN, accountId, ...plan }, () => {})

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
  const plan = { ...PLAN, accountId, contacts: 6000, notes: 0 }
  await seedAccount(service.database, assembly.tallies, plan, (done) => heard.push(done))
  expect(heard).toHaveLength(2)
  expect(Math.max(...heard)).toBe(6000)
})

describe('opportunities', () => {
  const rowsOf = async (sql: string, accountId: string) => (await service.database.pool.query(sql, [accountId])).rows

  const OPPORTUNITIES = { contacts: 60, notes: 0, opportunities: 500 }
  const SETTING = 4 + 20 + 3 + 1 + 6

  test('stand in all stages of the default and a second pipeline, with what they refer to', async () => {
    const { accountId } = await makeTenant(service)
    expect(await seed(accountId, OPPORTUNITIES)).toBe(20 + 60 + 120 + SETTING + 500)
    const [counts] = await rowsOf(
      `select count(*)::int as n, count(distinct stage_id)::int as stages, count(distinct pipeline_id)::int as pipelines,
         count(distinct contact_id)::int as contacts, count(distinct owner_user_id)::int as owners,
         count(distinct sector_id)::int as sectors, count(distinct campaign_id)::int as campaigns,
         count(distinct source)::int as sources, count(*) filter (where contact_id is null)::int as strangers,
         count(*) filter (where title <> contact_name)::int as misnamed
       from opportunity where account_id = $1`,
      accountId,
    )
    const wanted = { n: 500, stages: 12, pipelines: 2, contacts: 60, owners: 20, sectors: 4, campaigns: 3, sources: 5 }
    expect(counts).toEqual({ ...wanted, strangers: 0, misnamed: 0 })
    const [some] = await rowsOf(
      `select bool_or(owner_user_id is null) as unowned, bool_or(sector_id is null) as nowhere,
         bool_or(campaign_id is null) as uncampaigned, bool_or(discarded_at is not null) as discarded,
         bool_or(value <> round(value)) as cents, max(created_at) - min(created_at) > interval '11 months' as spread
       from opportunity where account_id = $1`,
      accountId,
    )
    expect(Object.values(some).every(Boolean)).toBe(true)
    for (const tally of assembly.tallies) {
      const wrong = await verifyTally(service.database.pool, tally)
      expect(wrong.filter(({ account_id }) => account_id === accountId)).toEqual([])
    }
  })

  test('have the moments of the stages that they went through, in the past and in order', async () => {
    const { accountId } = await makeTenant(service)
    await seed(accountId, { ...OPPORTUNITIES, contacts: 0 })
    const MOMENTS = ['sent', 'accepted', 'qualifying_started', 'qualified', 'scheduled', 'won', 'lost']
    const all = await rowsOf(
      `select o.*, s.position, s.is_win_stage as win, s.is_loss_stage as loss,
         (select array_agg(t.lifecycle) from stage t where t.pipeline_id = s.pipeline_id
            and (t.id = s.id or t.position < s.position and not t.is_win_stage and not t.is_loss_stage)) as passed
       from opportunity o join stage s on s.id = o.stage_id where o.account_id = $1`,
      accountId,
    )
    expect(all).toHaveLength(500)
    for (const one of all) {
      const set = MOMENTS.filter((name) => one[`${name}_at`] !== null)
      expect(set).toEqual(MOMENTS.filter((name) => one.passed.includes(name)))
      expect([one.won_at !== null, one.lost_at !== null, one.loss_reason !== null]).toEqual([
        one.win,
        one.loss,
        one.loss,
      ])
      const times = [one.created_at, ...set.map((name) => one[`${name}_at`])]
      expect(times).toEqual(times.toSorted())
      expect(Date.parse(times.at(-1))).toBeLessThan(Date.now())
      if (one.discarded_at) expect([one.win, one.loss, one.discarded_at > times.at(-1)]).toEqual([false, false, true])
    }
    for (const name of MOMENTS.filter((name) => name !== 'scheduled')) {
      expect(all.some((one) => one[`${name}_at`] !== null)).toBe(true)
    }
  })

  test('come with their history when it is asked for: creation, and each stage at its moment', async () => {
    const { accountId } = await makeTenant(service)
    const rows = await seed(accountId, { ...OPPORTUNITIES, history: true })
    const history = await rowsOf(
      `select h.*, o.created_at as born, o.value, o.stage_id, s.lifecycle, to_jsonb(o) ->> (s.lifecycle || '_at') as at,
         row_number() over (partition by h.opportunity_id order by h.created_at desc) as back,
         lag(h.to_stage_id) over (partition by h.opportunity_id order by h.created_at) as before
       from opportunity_history h join opportunity o on o.id = h.opportunity_id join stage s on s.id = h.to_stage_id
       where h.account_id = $1`,
      accountId,
    )
    expect(rows).toBe(20 + 60 + 120 + SETTING + 500 + history.length)
    expect(history.filter(({ action }) => action === 'created')).toHaveLength(500)
    for (const row of history) {
      expect(row.from_stage_id).toBe(row.before)
      if (row.action === 'created') expect([row.created_at, row.to_value]).toEqual([row.born, row.value])
      else expect(row).toMatchObject({ action: 'stage_changed', to_value: null })
      if (row.lifecycle) expect(Date.parse(row.created_at)).toBe(Date.parse(row.at))
      if (row.back === '1') expect(row.to_stage_id).toBe(row.stage_id)
    }
  })

  test('are the same for the same seed, and an account takes several seeds, each once', async () => {
    const [one, same] = [await makeTenant(service), await makeTenant(service)]
    await seed(one.accountId, OPPORTUNITIES)
    await seed(same.accountId, OPPORTUNITIES)
    const list = ({ accountId }: typeof one) =>
      rowsOf(
        `select o.title, o.value, o.created_at, s.name, u.name as owner from opportunity o
           join stage s on s.id = o.stage_id left join app_user u on u.id = o.owner_user_id
         where o.account_id = $1 order by 1, 2, 3`,
        accountId,
      )
    expect(await list(same)).toEqual(await list(one))
    const again = { ...OPPORTUNITIES, contacts: 0 }
    await expect(seed(one.accountId, again)).rejects.toMatchObject({ code: 'DUPLICATE_ERROR' })
    await seed(one.accountId, { ...OPPORTUNITIES, seed: 2 })
    expect(await list(one)).toHaveLength(1000)
    const other = await makeTenant(service)
    await seed(other.accountId, { ...OPPORTUNITIES, seed: 2 })
    expect(await list(other)).not.toEqual(await list(same))
  })

  test('are counted in the progress after the contacts', async () => {
    const { accountId } = await makeTenant(service)
    const heard: number[] = []
    const plan = { ...PLAN, accountId, contacts: 10, notes: 0, opportunities: 5010 }
    const rows = await seedAccount(service.database, assembly.tallies, plan, (done) => heard.push(done))
    expect(heard[0]).toBe(10)
    expect(heard.at(-1)).toBe(5020)
    expect(rows).toBe(20 + 30 + SETTING + 5010)
  })
})
