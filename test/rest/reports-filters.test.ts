import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { makePipeline } from '../support/factories/pipelines.js'
import { makeSector } from '../support/factories/reference.js'
import { makeDeal } from '../support/factories/reports.js'
import { makeUser } from '../support/factories/users.js'
import { makeKey, makeTenant } from '../support/factories.js'
import { askReport, type Parameters, type ReportName, report } from '../support/reports.js'

// What holds of the filters of all reports that have the same ones.

let service: TestApp
beforeAll(async () => {
  // Row security would hide a condition on the account that a report forgot.
  service = await startTestApp({ rowSecurity: false })
})
afterAll(() => service.stop())

const REPORTS: ReportName[] = ['sla', 'sales-summary', 'sellers']
const ROOTS: Record<string, string> = {
  sla: 'slaReport(filter: F) { overall { counts { won } } }',
  'sales-summary': 'salesSummary(filter: F) { won { count } }',
  sellers: 'sellersReport(filter: F) { wonCount }',
}

// biome-ignore lint/suspicious/noExplicitAny: a report of whatever kind
type Data = any

/** How many opportunities a report counts; all of them are won. */
const COUNTED: Record<string, (data: Data) => number> = {
  sla: ({ overall, by_seller }) => {
    const sum = by_seller.reduce((total: number, { won_count }: Data) => total + won_count, 0)
    expect(overall.counts).toEqual({ with_outreach: 0, accepted: 0, qualified: 0, won: sum })
    return sum
  },
  'sales-summary': ({ won, lost, open }) => {
    expect([lost.count, open.count]).toEqual([0, 0])
    return won.count
  },
  sellers: (rows) => rows.reduce((total: number, { won_count }: Data) => total + won_count, 0),
}

const at = (iso: string) => new Date(iso)

/** An account with two of everything, and a function that puts won opportunities of a time into the first pipeline. */
async function scene() {
  const tenant = await makeTenant(service)
  const { database } = service
  const pipelines = [await makePipeline(database, tenant.accountId), await makePipeline(database, tenant.accountId)]
  const sectors = [await makeSector(database, tenant.accountId), await makeSector(database, tenant.accountId)]
  const users = [await makeUser(database, tenant.accountId), await makeUser(database, tenant.accountId)]
  const put = (pipeline: number, fields: Partial<Data> = {}) => {
    const { id, stages } = pipelines[pipeline]!
    const won = { wonAt: at('2026-06-01T00:00:00.000Z'), ...fields }
    return makeDeal(database, tenant.accountId, { ...won, pipelineId: id, stageId: stages[0]!.id })
  }
  return { ...tenant, pipelines, sectors, users, put }
}

/** Created at these instants, one each. */
async function createdAt(...instants: string[]) {
  const made = await scene()
  for (const instant of instants) await made.put(0, { createdAt: at(instant) })
  return made
}

describe.each(REPORTS)('the filters of %s', (name) => {
  const count = async (client: Client, parameters: Parameters) => COUNTED[name]!(await report(client, name, parameters))

  test('by pipeline, sector and owner, alone and together', async () => {
    const { client, pipelines, sectors, users, put } = await scene()
    const createdAt = at('2026-03-10T10:00:00.000Z')
    for (const pipeline of [0, 1])
      for (const sectorId of [sectors[0]!.id, sectors[1]!.id, null])
        for (const ownerUserId of [users[0]!.id, users[1]!.id, null])
          await put(pipeline, { sectorId, ownerUserId, createdAt })
    const [pipeline_id, sector_id, owner_user_id] = [pipelines[1]!.id, sectors[1]!.id, users[1]!.id]
    // The totals of all times, of whole months, of whole days, and those that are counted row by row.
    const SPANS: Parameters[] = [
      {},
      { from: '2026-03-01', to: '2026-03-31' },
      { from: '2026-03-10', to: '2026-03-10' },
      { from: '2026-03-10T10:00:00Z', to: '2026-03-10T10:00:00Z' },
    ]
    for (const span of SPANS) {
      expect(await count(client, span)).toBe(18)
      expect(await count(client, { ...span, pipeline_id })).toBe(9)
      expect(await count(client, { ...span, sector_id })).toBe(6)
      expect(await count(client, { ...span, owner_user_id: owner_user_id.toUpperCase() })).toBe(6)
      expect(await count(client, { ...span, pipeline_id, sector_id })).toBe(3)
      expect(await count(client, { ...span, pipeline_id, owner_user_id })).toBe(3)
      expect(await count(client, { ...span, sector_id, owner_user_id })).toBe(2)
      expect(await count(client, { ...span, pipeline_id, sector_id, owner_user_id })).toBe(1)
    }
  })

  test('of an id that nothing has, or that is none, match nothing', async () => {
    const { client, users, put } = await scene()
    await put(0, { ownerUserId: users[0]!.id, createdAt: at('2026-03-10T10:00:00.000Z') })
    for (const field of ['pipeline_id', 'sector_id', 'owner_user_id']) {
      for (const id of [randomUUID(), users[1]!.id, 'nobody', '1', "'", '00000000-0000-0000-0000-000000000000']) {
        expect(await count(client, { [field]: id })).toBe(0)
        expect(await count(client, { [field]: id, from: '2026-01-01' })).toBe(0)
      }
      const { body } = await askReport(client, name, { [field]: '' })
      expect(COUNTED[name]!(body.data)).toBe(1) // empty is as good as absent
    }
    const empty = await report(client, name, { pipeline_id: 'nobody' })
    expect(empty).toEqual(
      name === 'sellers'
        ? []
        : {
            ...(await report((await scene()).client, name)),
            filters: expect.objectContaining({ pipeline_id: 'nobody' }),
          },
    )
    const nothing = await client.graphql(`{ ${ROOTS[name]!.replace('F', '{ ownerUserId: "" }')} }`)
    expect(nothing.body.errors).toBeUndefined()
    expect(JSON.stringify(nothing.body.data)).not.toMatch(/[1-9]/)
  })

  test('by time are inclusive to the millisecond at both ends', async () => {
    const INSTANTS = ['2026-03-10T10:00:00.000Z', '2026-03-10T10:00:00.001Z', '2026-03-10T10:00:00.002Z']
    const { client } = await createdAt(...INSTANTS)
    for (const [first, from] of INSTANTS.entries()) {
      expect(await count(client, { from })).toBe(3 - first)
      expect(await count(client, { to: from })).toBe(first + 1)
      for (const [last, to] of INSTANTS.entries()) {
        expect(await count(client, { from, to })).toBe(Math.max(0, last - first + 1))
      }
    }
    // A finer bound than what is kept lies between two instants.
    expect(await count(client, { from: '2026-03-10T10:00:00.0001Z' })).toBe(2)
    expect(await count(client, { to: '2026-03-10T10:00:00.0019Z' })).toBe(2)
  })

  test.each([
    ['a day', '2026-03-10T00:00:00.000Z', '2026-03-10T23:59:59.999Z', '2026-03-10', '2026-03-10'],
    ['some days', '2026-03-10T00:00:00.000Z', '2026-03-12T23:59:59.999Z', '2026-03-10', '2026-03-12'],
    ['a month', '2026-03-01T00:00:00.000Z', '2026-03-31T23:59:59.999Z', '2026-03-01', '2026-03-31'],
    ['a leap year', '2024-01-01T00:00:00.000Z', '2024-12-31T23:59:59.999Z', '2024-01-01', '2024-12-31'],
    ['February', '2024-02-01T00:00:00.000Z', '2024-02-29T23:59:59.999Z', '2024-02-01', '2024-02-29'],
    ['parts', '2025-12-31T00:00:00.000Z', '2026-02-01T23:59:59.999Z', '2025-12-31', '2026-02-01'],
  ])('take a date for its whole day: %s', async (_, first, last, from, to) => {
    const moved = (iso: string, ms: number) => new Date(Date.parse(iso) + ms).toISOString()
    const { client } = await createdAt(moved(first, -1), first, moved(first, 1), moved(last, -1), last, moved(last, 1))
    expect(await count(client, { from, to })).toBe(4)
    expect(await count(client, { from })).toBe(5)
    expect(await count(client, { to })).toBe(5)
    // The same bounds as date-times, and each a millisecond further in and out.
    expect(await count(client, { from: first, to: last })).toBe(4)
    expect(await count(client, { from: moved(first, 1), to: moved(last, -1) })).toBe(2)
    expect(await count(client, { from: moved(first, -1), to: moved(last, 1) })).toBe(6)
    expect(await count(client, { from: moved(first, 1), to: last })).toBe(3)
    expect(await count(client, { from: first, to: moved(last, -1) })).toBe(3)
  })

  test('honour an offset, and take a time without one for UTC', async () => {
    const { client } = await createdAt('2026-03-10T23:30:00.000Z', '2026-03-11T00:30:00.000Z')
    expect(await count(client, { from: '2026-03-11T00:00:00' })).toBe(1)
    expect(await count(client, { from: '2026-03-11T00:30:00+01:00' })).toBe(2)
    expect(await count(client, { from: '2026-03-11T00:30:01+01:00' })).toBe(1)
    expect(await count(client, { to: '2026-03-10T21:00:00-03:00' })).toBe(1)
    expect(await count(client, { to: '2026-03-10T21:30:00-03:00' })).toBe(2)
  })

  test('that end before they begin match nothing', async () => {
    const { client } = await createdAt('2026-03-10T10:00:00.000Z')
    for (const [from, to] of [
      ['2026-03-11', '2026-03-09'],
      ['2026-03-10T10:00:00.001Z', '2026-03-10T10:00:00.000Z'],
      ['2026-05-01', '2026-01-01'],
      ['2026-03-31T12:00:00Z', '2026-03-01T12:00:00Z'],
    ] as const) {
      expect(await count(client, { from, to })).toBe(0)
    }
  })

  test('reach as far as there are dates', async () => {
    const { client } = await createdAt('1999-12-31T23:59:59.999Z', '2026-03-10T10:00:00.000Z')
    for (const from of ['0001-01-01', '0050-03-10', '0099-11-30T12:00:00Z', '1900-02-28']) {
      expect(await count(client, { from })).toBe(2)
      expect(await count(client, { to: from })).toBe(0)
      expect(await count(client, { from, to: '0099-12-15' })).toBe(0)
      expect(await count(client, { from, to: '9999-12-31' })).toBe(2)
    }
    for (const far of ['9999-12-31', '9999-12-31T12:00:00Z', '9999-12-15', '9999-11-30', '9999-12-31T23:59:59.999Z']) {
      expect(await count(client, { from: far })).toBe(0)
      expect(await count(client, { to: far })).toBe(2)
      expect(await count(client, { from: far, to: far })).toBe(0)
    }
  })

  test('that are no dates are refused by name, both at once', async () => {
    const { client } = await scene()
    for (const wrong of ['yesterday', '2024-02-30', '2026-13-01', '2026-01-01T25:00:00Z', 'infinity', '1']) {
      const { status, body } = await askReport(client, name, { from: wrong, to: wrong, sector_id: 'nobody' })
      expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
      expect(body.error.details).toEqual([
        { field: 'from', message: 'must be an ISO 8601 date or date-time' },
        { field: 'to', message: 'must be an ISO 8601 date or date-time' },
      ])
    }
    const { body } = await client.graphql(`{ ${ROOTS[name]!.replace('F', '{ from: "yesterday" }')} }`)
    expect(body.errors).toHaveLength(1)
  })

  test('are told as they were applied', async () => {
    const { client, pipelines } = await scene()
    if (name === 'sellers') return expect(await report(client, name)).toEqual([]) // it has no place for them
    const given = { pipeline_id: pipelines[0]!.id, sector_id: 'nobody', from: '2026-01-31', to: '2026-02-28' }
    expect((await report(client, name, given)).filters).toEqual({
      ...given,
      owner_user_id: null,
      from: '2026-01-31T00:00:00.000Z',
      to: '2026-02-28T23:59:59.999Z',
    })
    const offset = { from: '2026-01-31T09:30:00.5-03:00', owner_user_id: randomUUID() }
    expect((await report(client, name, offset)).filters).toEqual({
      ...{ pipeline_id: null, sector_id: null, to: null },
      ...{ owner_user_id: offset.owner_user_id, from: '2026-01-31T12:30:00.500Z' },
    })
  })

  test("of another account's records match nothing, and its opportunities never count", async () => {
    const [mine, other] = [await scene(), await scene()]
    const createdAt = at('2026-03-10T10:00:00.000Z')
    await mine.put(0, { createdAt })
    const [sectorId, ownerUserId] = [other.sectors[0]!.id, other.users[0]!.id]
    await other.put(0, { createdAt, sectorId, ownerUserId })
    await other.put(0, { createdAt })
    const theirs = { pipeline_id: other.pipelines[0]!.id, sector_id: sectorId, owner_user_id: ownerUserId }
    const SPANS: Parameters[] = [
      {},
      { from: '2026-03-01', to: '2026-03-31' },
      { from: '2026-03-10', to: '2026-03-10' },
      { from: '2026-03-10T09:00:00Z', to: '2026-03-10T11:00:00Z' },
    ]
    for (const span of SPANS) {
      expect(await count(mine.client, span)).toBe(1)
      for (const [field, id] of Object.entries(theirs))
        expect(await count(mine.client, { ...span, [field]: id })).toBe(0)
    }
  })

  test('are for those who may read reports', async () => {
    const { accountId } = await scene()
    expect(await askReport(createClient(service.origin), name)).toMatchObject({
      status: 401,
      body: { error: { code: 'MISSING_API_KEY' } },
    })
    const { secret } = await makeKey(service.database, accountId, { permissions: ['opportunities:*', 'users:*'] })
    const client = createClient(service.origin, secret)
    // The permission comes before the input.
    expect(await askReport(client, name, { from: 'yesterday' })).toMatchObject({
      status: 403,
      body: { error: { code: 'INSUFFICIENT_PERMISSIONS', required_permission: 'reports:read' } },
    })
    const { body } = await client.graphql(`{ ${ROOTS[name]!.replace('(filter: F)', '')} }`)
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'INSUFFICIENT_PERMISSIONS' } }] })
    const allowed = await makeKey(service.database, accountId, { permissions: ['reports:read'] })
    await report(createClient(service.origin, allowed.secret), name)
  })

  test('cost one statement, and none for what cannot be there', async () => {
    const { client, put, users } = await scene()
    for (const { id } of users) await put(0, { ownerUserId: id })
    const statements = async (parameters: Parameters) => {
      const { statements } = await service.statementsOf(() => askReport(client, name, parameters))
      return statements.length
    }
    expect(await statements({})).toBe(1)
    expect(await statements({ from: '2025-01-15', to: '2026-03-20T10:00:00Z', owner_user_id: users[0]!.id })).toBe(1)
    expect(await statements({ owner_user_id: 'nobody' })).toBe(0)
    expect(await statements({ from: '2026-01-02', to: '2026-01-01' })).toBeLessThanOrEqual(1)
  })
})
