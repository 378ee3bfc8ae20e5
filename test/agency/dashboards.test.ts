import { createAgencyClient, makeAgency, newClient, type TestAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Client } from '../support/client.js'
import { makeOperator, makePerson, signIn, withSession } from '../support/factories/people.js'
import { dataOf, failureOf, TIMESTAMP } from '../support/graphql.js'

let service: TestApp
let operator: Client
let operatorId: string
beforeAll(async () => {
  service = await startTestApp()
  const { id, email } = await makeOperator(service)
  operatorId = id
  operator = (await signIn(service, email)).client
})
afterAll(() => service.stop())

const PAGING = 'pagination { page perPage total totalPages hasNext hasPrev nextCursor }'
const AGENCY = 'id name agencyKey seatPriceCents currency anchor billableChannels paymentMethod createdAt'
const TOKEN = 'id agencyId prefix scopes createdAt lastUsedAt revokedAt'
const SUB = `id agencyId name slug externalRef status createdAt deletedAt admin { id email }
  channels { linkedin whatsapp instagram emailMarketing } trial { status endsAt channels } paidSeats activeUsers`
const EVENT =
  'id agencyId action status attempts targetAccountId result errorCode lastError dueAt receivedAt processedAt'
const LINE = 'id agencyId chargeId sourceId kind cents at description subAccountId'
const BILLING = `agencyId currency seatPriceCents seats carriedCents unpaidCents renewsAt retryAt decline pendingCharges
  card { paymentMethod brand last4 expires } cardAsOf unpaidRenewals { chargeId }`

const LISTS = {
  agencies: `query ($filter: AgencyFilter, $order: SortOrder, $page: Int, $limit: Int, $cursor: String) {
    agencies(filter: $filter, order: $order, page: $page, limit: $limit, cursor: $cursor) { items { ${AGENCY} } ${PAGING} } }`,
  agencyTokens: `query ($filter: AgencyTokenFilter, $page: Int, $limit: Int, $cursor: String) {
    agencyTokens(filter: $filter, page: $page, limit: $limit, cursor: $cursor) { items { ${TOKEN} } ${PAGING} } }`,
  subAccounts: `query ($filter: SubAccountFilter! = { status: ACTIVE }, $sort: SubAccountSort, $page: Int, $limit: Int, $cursor: String) {
    subAccounts(filter: $filter, sort: $sort, page: $page, limit: $limit, cursor: $cursor) { items { ${SUB} } ${PAGING} } }`,
  agencyEvents: `query ($filter: AgencyEventFilter, $order: SortOrder, $page: Int, $limit: Int, $cursor: String) {
    agencyEvents(filter: $filter, order: $order, page: $page, limit: $limit, cursor: $cursor) { items { ${EVENT} } ${PAGING} } }`,
  ledgerEntries: `query ($filter: LedgerFilter, $order: SortOrder, $page: Int, $limit: Int, $cursor: String) {
    ledgerEntries(filter: $filter, order: $order, page: $page, limit: $limit, cursor: $cursor) { items { ${LINE} } ${PAGING} } }`,
}
type List = keyof typeof LISTS
const OF_TOKENS: List[] = ['agencies', 'subAccounts', 'agencyEvents', 'ledgerEntries']

const SINGLES = {
  agency: `query ($id: ID!) { agency(id: $id) { ${AGENCY} } }`,
  subAccount: `query ($id: ID!) { subAccount(id: $id) { ${SUB} } }`,
  agencyEvent: `query ($id: ID!) { agencyEvent(id: $id) { ${EVENT} } }`,
  agencyBilling: `query ($id: ID!) { agencyBilling(agencyId: $id) { ${BILLING} } }`,
}

const list = async (client: Client, name: List, variables: Record<string, unknown> = {}) =>
  dataOf(await client.graphql(LISTS[name], variables))
const query = async (text: string, values: unknown[]) => (await service.database.pool.query(text, values)).rows

interface Stocked extends TestAgency {
  dashboard: Client
  subAccountId: string
  eventId: string
}

/** An agency with a sub-account, events and a ledger, and a client that asks /graphql with its token. */
async function withRecords(overrides: object = {}, scopes?: string[]): Promise<Stocked> {
  const agency = await makeAgency(service, { seatPriceCents: 1000, scopes })
  const made = await agency.client.create(newClient({ channels: { linkedin: 2 }, ...overrides }))
  if (made.status !== 201) throw new Error(made.text)
  const { body } = await agency.client.channels(made.body.data.id, { linkedin: 2, whatsapp: 1 })
  await agency.client.channels(made.body.data.id, { fax: 1 })
  return {
    ...agency,
    dashboard: withSession(service.origin, agency.token),
    subAccountId: made.body.data.id,
    eventId: body.event_id,
  }
}

describe("an agency's dashboards, behind its token", () => {
  test('show it, its sub-accounts with quotas and use, its events, ledger and standing', async () => {
    const agency = await withRecords({ name: 'Padaria Central', external_ref: 'client-1' })
    const { dashboard, agencyId, subAccountId } = agency
    const mine = await list(dashboard, 'agencies')
    expect(mine.items).toEqual([
      {
        id: agencyId,
        name: expect.stringMatching(/^Agency \d+$/),
        agencyKey: agency.agencyKey,
        seatPriceCents: 1000,
        currency: 'BRL',
        anchor: TIMESTAMP,
        billableChannels: ['linkedin', 'whatsapp', 'instagram', 'email_marketing'],
        paymentMethod: expect.any(String),
        createdAt: TIMESTAMP,
      },
    ])
    const [sub, ...others] = (await list(dashboard, 'subAccounts')).items
    expect(others).toEqual([])
    expect(sub).toEqual({
      id: subAccountId,
      agencyId,
      name: 'Padaria Central',
      slug: expect.stringMatching(/^padaria-central/),
      externalRef: 'client-1',
      status: 'ACTIVE',
      createdAt: TIMESTAMP,
      deletedAt: null,
      admin: { id: expect.any(String), email: expect.stringContaining('@') },
      channels: { linkedin: 2, whatsapp: 1, instagram: 0, emailMarketing: 0 },
      trial: null,
      paidSeats: 3,
      activeUsers: 1,
    })
    const events = (await list(dashboard, 'agencyEvents')).items
    expect(events.map((one: Record<string, unknown>) => [one.action, one.status, one.errorCode, one.attempts])).toEqual(
      [
        ['sub_account.channels.update', 'FAILED', 'INVALID_CHANNELS', 1],
        ['sub_account.channels.update', 'PROCESSED', null, 1],
        ['sub_account.create', 'PROCESSED', null, 1],
      ],
    )
    expect(events[1]).toMatchObject({ id: agency.eventId, agencyId, targetAccountId: subAccountId })
    const lines = (await list(dashboard, 'ledgerEntries', { order: 'ASC' })).items
    expect(lines.map((one: { kind: string; cents: number }) => [one.kind, one.cents]).sort()).toEqual([
      ['payment', -1000],
      ['payment', -2000],
      ['seats', 1000],
      ['seats', 2000],
    ])
    expect(lines[0]).toMatchObject({ subAccountId, description: expect.stringMatching(/^Padaria Central: 2 seats/) })
    for (const [name, id, record] of [
      ['agency', agencyId, mine.items[0]],
      ['subAccount', subAccountId, sub],
      ['agencyEvent', agency.eventId, events[1]],
    ] as const) {
      expect(dataOf(await dashboard.graphql(SINGLES[name], { id }))).toEqual(record)
    }
    expect(dataOf(await dashboard.graphql(SINGLES.agencyBilling, { id: agencyId }))).toEqual({
      agencyId,
      currency: 'BRL',
      seatPriceCents: 1000,
      seats: 3,
      carriedCents: 0,
      unpaidCents: 0,
      renewsAt: TIMESTAMP,
      retryAt: null,
      decline: null,
      pendingCharges: 0,
      card: { paymentMethod: 'pm_card_visa', brand: null, last4: null, expires: null },
      cardAsOf: TIMESTAMP,
      unpaidRenewals: [],
    })
  })

  test('need no scope, tell the allowance of an hour, and are closed with the token', async () => {
    const agency = await makeAgency(service, { scopes: ['sub_account.delete'] })
    const dashboard = withSession(service.origin, agency.token)
    const { headers, body } = await dashboard.graphql('{ agencies { items { id } } }')
    expect([body.data.agencies.items, headers.get('X-RateLimit-Limit')]).toEqual([[{ id: agency.agencyId }], '10000'])
    dataOf(await operator.graphql('mutation ($id: ID!) { revokeAgencyToken(id: $id) { id } }', { id: agency.tokenId }))
    expect(failureOf(await dashboard.graphql('{ agencies { items { id } } }')).code).toBe('INVALID_API_KEY')
  })

  test('change nothing, be it with every scope', async () => {
    const { dashboard, agencyId, subAccountId, tokenId } = await withRecords()
    const refused: [string, string][] = [
      [
        `startTrial(subAccountId: "${subAccountId}", endsAt: "2099-01-01T00:00:00Z") { id }`,
        'INSUFFICIENT_PERMISSIONS',
      ],
      [`endTrial(subAccountId: "${subAccountId}") { id }`, 'INSUFFICIENT_PERMISSIONS'],
      [`setAgencyPaymentMethod(id: "${agencyId}", paymentMethod: "pm_card_visa") { id }`, 'INSUFFICIENT_PERMISSIONS'],
      [`createAgencyToken(input: { agencyId: "${agencyId}", scopes: [] }) { secret }`, 'INSUFFICIENT_PERMISSIONS'],
      [`revokeAgencyToken(id: "${tokenId}") { id }`, 'INSUFFICIENT_PERMISSIONS'],
      [`deleteSubAccount(reference: "${subAccountId}") { id }`, 'VALIDATION_ERROR'],
    ]
    for (const [mutation, code] of refused) {
      expect(failureOf(await dashboard.graphql(`mutation { ${mutation} }`)).code).toBe(code)
    }
    expect(failureOf(await dashboard.graphql(LISTS.agencyTokens)).code).toBe('INSUFFICIENT_PERMISSIONS')
    expect((await list(dashboard, 'subAccounts')).items).toHaveLength(1)
  })
})

describe('between two agencies', () => {
  test('no list, filter, id or cursor of the one shows anything of the other', async () => {
    const [mine, theirs] = [await withRecords(), await withRecords({ external_ref: 'theirs' })]
    for (const name of OF_TOKENS) {
      const all = JSON.stringify(await list(mine.dashboard, name, { limit: 100 }))
      expect(all).toContain(mine.agencyId)
      for (const id of [theirs.agencyId, theirs.subAccountId, theirs.eventId]) expect(all).not.toContain(id)
    }
    const nothing = (name: List, filter: object) => list(mine.dashboard, name, { filter })
    for (const page of [
      await nothing('agencies', { agencyKey: theirs.agencyKey }),
      await nothing('subAccounts', { agencyId: theirs.agencyId }),
      await nothing('subAccounts', { externalRef: 'theirs' }),
      await nothing('agencyEvents', { agencyId: theirs.agencyId }),
      await nothing('agencyEvents', { subAccountId: theirs.subAccountId }),
      await nothing('ledgerEntries', { agencyId: theirs.agencyId }),
      await nothing('ledgerEntries', { subAccountId: theirs.subAccountId }),
    ]) {
      expect([page.items, page.pagination.total]).toEqual([[], 0])
    }
    const ids = [theirs.agencyId, theirs.subAccountId, theirs.eventId, 'nonsense', '']
    for (const text of Object.values(SINGLES)) {
      for (const id of ids) {
        expect(failureOf(await mine.dashboard.graphql(text, { id })).code).toMatch(/^(EVENT_)?NOT_FOUND$/)
      }
    }
    for (const name of ['agencyEvents', 'ledgerEntries'] as const) {
      const { nextCursor: cursor } = (await list(theirs.dashboard, name, { limit: 1 })).pagination
      expect(cursor).toEqual(expect.any(String))
      const follow = (client: Client) => client.graphql(LISTS[name], { limit: 1, cursor })
      expect(failureOf(await follow(mine.dashboard)).code).toBe('VALIDATION_ERROR')
      expect(failureOf(await follow(operator)).code).toBe('VALIDATION_ERROR')
      expect(dataOf(await follow(theirs.dashboard)).items).toHaveLength(1)
    }
    const stranger = createAgencyClient(service.origin, mine.agencyKey, mine.token)
    expect((await stranger.event(theirs.eventId)).body.error.code).toBe('EVENT_NOT_FOUND')
    expect((await stranger.remove(theirs.subAccountId)).body.error.code).toBe('SUB_ACCOUNT_FORBIDDEN')
    expect((await stranger.remove('ext:theirs')).body.error.code).toBe('SUB_ACCOUNT_NOT_FOUND')
  })

  test("neither sees an account's records, and no account sees an agency's", async () => {
    const { dashboard } = await withRecords()
    const { email } = await makePerson(service)
    const { client: admin } = await signIn(service, email)
    for (const name of Object.keys(LISTS) as List[]) {
      expect(failureOf(await admin.graphql(LISTS[name])).code).toMatch(/TOKEN_REQUIRED|INSUFFICIENT_PERMISSIONS/)
    }
    for (const text of [
      '{ contacts { items { id } } }',
      '{ users { items { id } } }',
      '{ auditEntries { items { id } } }',
    ]) {
      expect(failureOf(await dashboard.graphql(text)).code).toBe('INSUFFICIENT_PERMISSIONS')
    }
  })
})

describe('an operator', () => {
  test('sees all agencies, and by filters one of them', async () => {
    const [one, other] = [await withRecords(), await withRecords()]
    for (const name of OF_TOKENS) {
      const all = JSON.stringify((await list(operator, name, { limit: 100 })).items)
      for (const { agencyId } of [one, other]) expect(all).toContain(agencyId)
    }
    for (const name of ['subAccounts', 'agencyEvents', 'ledgerEntries', 'agencyTokens'] as const) {
      const { items } = await list(operator, name, { filter: { agencyId: one.agencyId } })
      expect(new Set(items.map(({ agencyId }: { agencyId: string }) => agencyId))).toEqual(new Set([one.agencyId]))
    }
    const ids = {
      agency: one.agencyId,
      subAccount: one.subAccountId,
      agencyEvent: one.eventId,
      agencyBilling: one.agencyId,
    }
    for (const [name, id] of Object.entries(ids)) {
      const text = SINGLES[name as keyof typeof SINGLES]
      expect(dataOf(await operator.graphql(text, { id }))).toEqual(dataOf(await one.dashboard.graphql(text, { id })))
    }
  })

  test('finds events by agency, action, state, error and time', async () => {
    const agency = await withRecords()
    const { agencyId, subAccountId } = agency
    const actions = async (filter: object) =>
      (await list(operator, 'agencyEvents', { filter: { agencyId, ...filter } })).items.map(
        ({ action, status }: Record<string, string>) => `${action} ${status}`,
      )
    const [failed, changed, created] = [
      'sub_account.channels.update FAILED',
      'sub_account.channels.update PROCESSED',
      'sub_account.create PROCESSED',
    ]
    expect(await actions({ action: 'sub_account.create' })).toEqual([created])
    expect(await actions({ status: 'FAILED' })).toEqual([failed])
    expect(await actions({ errorCode: 'INVALID_CHANNELS' })).toEqual([failed])
    expect(await actions({ subAccountId })).toEqual([changed, created])
    expect(await actions({ from: new Date(Date.now() - 60_000).toISOString() })).toEqual([failed, changed, created])
    expect(await actions({ to: new Date(Date.now() - 600_000).toISOString() })).toEqual([])
    expect(await actions({ status: 'PENDING' })).toEqual([])
  })

  test('sees a creation that is not done yet without the sub-account that it is about', async () => {
    const agency = await makeAgency(service, { seatPriceCents: 1000 })
    await agency.sandbox.disturb({ kind: 'down', method: 'charge', customerId: agency.customerId, times: 9 })
    const { body, status } = await agency.client.create(newClient({ channels: { linkedin: 1 } }))
    expect(status).toBe(202)
    const filter = { agencyId: agency.agencyId }
    const [event] = (await list(operator, 'agencyEvents', { filter })).items
    expect(event).toMatchObject({ id: body.event_id, status: 'PENDING', targetAccountId: null, dueAt: TIMESTAMP })
    expect(event.lastError).toMatch(/not settled/)
    for (const state of ['ACTIVE', 'DELETED', 'PROVISIONING']) {
      expect((await list(operator, 'subAccounts', { filter: { ...filter, status: state } })).items).toEqual([])
    }
    const [{ id }] = await query('select id from sub_account where agency_id = $1', [agency.agencyId])
    expect(failureOf(await operator.graphql(SINGLES.subAccount, { id })).code).toBe('NOT_FOUND')
    expect((await list(operator, 'agencyEvents', { filter: { subAccountId: id } })).items).toEqual([])
  })

  test('sees the trial of a sub-account while it runs, and finds deleted ones only by their state', async () => {
    const agency = await makeAgency(service)
    const { data } = (await agency.client.create(newClient({ name: 'Água Viva' }))).body
    const endsAt = '2099-01-31T12:00:00.000Z'
    const start =
      'mutation ($id: ID!, $endsAt: DateTime!) { startTrial(subAccountId: $id, endsAt: $endsAt) { status } }'
    dataOf(await operator.graphql(start, { id: data.id, endsAt }))
    const filter = { agencyId: agency.agencyId }
    const [sub] = (await list(operator, 'subAccounts', { filter: { ...filter, inTrial: true, search: 'agua' } })).items
    expect(sub.trial).toEqual({ status: 'active', endsAt, channels: ['whatsapp'] })
    const sort = { by: 'TRIAL_ENDS_AT', order: 'ASC' }
    expect((await list(operator, 'subAccounts', { filter, sort })).items).toEqual([sub])
    expect((await list(operator, 'subAccounts', { filter: { ...filter, inTrial: false } })).items).toEqual([])
    await agency.client.remove(data.id)
    expect((await list(operator, 'subAccounts', { filter })).items).toEqual([])
    const [gone] = (await list(operator, 'subAccounts', { filter: { ...filter, status: 'DELETED' } })).items
    expect(gone).toMatchObject({ id: data.id, deletedAt: TIMESTAMP, trial: null, activeUsers: 0, paidSeats: 0 })
  })

  test('creates an agency, changes its card, issues a token that works and revokes it, each in their own name', async () => {
    const create = `mutation ($input: CreateAgencyInput!) { createAgency(input: $input) { ${AGENCY} } }`
    const input = { name: ' Norte Digital ', seatPriceCents: 2500, currency: 'usd', billableChannels: ['linkedin'] }
    const agency = dataOf(await operator.graphql(create, { input }))
    expect(agency).toMatchObject({
      name: 'Norte Digital',
      seatPriceCents: 2500,
      currency: 'USD',
      billableChannels: ['linkedin'],
      paymentMethod: null,
    })
    expect((await list(operator, 'agencies', { filter: { agencyKey: agency.agencyKey } })).items).toEqual([agency])
    const pay =
      'mutation ($id: ID!, $card: String!) { setAgencyPaymentMethod(id: $id, paymentMethod: $card) { paymentMethod } }'
    const paid = dataOf(await operator.graphql(pay, { id: agency.id, card: 'pm_card_visa' }))
    expect(paid.paymentMethod).toEqual(expect.any(String))
    const issue = `mutation ($id: ID!, $scopes: [String!]!) {
      createAgencyToken(input: { agencyId: $id, scopes: $scopes }) { token { ${TOKEN} } secret } }`
    const { token, secret } = dataOf(await operator.graphql(issue, { id: agency.id, scopes: ['sub_account.create'] }))
    expect(token).toMatchObject({ agencyId: agency.id, prefix: secret.slice(0, token.prefix.length), lastUsedAt: null })
    const client = createAgencyClient(service.origin, agency.agencyKey, secret)
    expect((await client.create(newClient({ channels: { linkedin: 1 } }))).status).toBe(201)
    await service.app.lastUse.stop()
    const filter = { agencyId: agency.id }
    const { items } = await list(operator, 'agencyTokens', { filter: { ...filter, isActive: true } })
    expect(items).toEqual([{ ...token, lastUsedAt: TIMESTAMP }])
    expect(JSON.stringify([items, service.logs()])).not.toContain(secret)
    const revoke = `mutation ($id: ID!) { revokeAgencyToken(id: $id) { revokedAt } }`
    const { revokedAt } = dataOf(await operator.graphql(revoke, { id: token.id }))
    expect(dataOf(await operator.graphql(revoke, { id: token.id })).revokedAt).toBe(revokedAt)
    expect((await client.create(newClient())).status).toBe(401)
    expect((await list(operator, 'agencyTokens', { filter: { ...filter, isActive: true } })).items).toEqual([])
    const entries = `select action, subject_kind, fields, user_id from audit_entry where subject_id = any($1) order by created_at`
    const by = { user_id: operatorId }
    expect(await query(entries, [[agency.id, token.id]])).toEqual([
      { action: 'created', subject_kind: 'agency', fields: [], ...by },
      { action: 'updated', subject_kind: 'agency', fields: ['paymentMethod'], ...by },
      { action: 'created', subject_kind: 'agency_token', fields: [], ...by },
      { action: 'revoked', subject_kind: 'agency_token', fields: [], ...by },
    ])
  })

  test('is told what is wrong with an agency, a card or a token, and nothing is stored then', async () => {
    const agency = await makeAgency(service)
    const count = async () => (await query('select count(*)::int as n from agency', []))[0].n
    const before = await count()
    const refused: [string, string][] = [
      ['createAgency(input: { name: " " }) { id }', 'VALIDATION_ERROR'],
      ['createAgency(input: { name: "A", currency: "XYZ" }) { id }', 'VALIDATION_ERROR'],
      ['createAgency(input: { name: "A", seatPriceCents: -1 }) { id }', 'VALIDATION_ERROR'],
      ['createAgency(input: { name: "A", billableChannels: ["fax"] }) { id }', 'VALIDATION_ERROR'],
      ['createAgency(input: { name: "A", paymentMethod: "pm_x" }) { id }', 'VALIDATION_ERROR'],
      [`setAgencyPaymentMethod(id: "${agency.agencyId}", paymentMethod: "pm_x") { id }`, 'VALIDATION_ERROR'],
      [`setAgencyPaymentMethod(id: "${agency.tokenId}", paymentMethod: "pm_card_visa") { id }`, 'NOT_FOUND'],
      [
        `createAgencyToken(input: { agencyId: "${agency.agencyId}", scopes: ["contacts:read"] }) { secret }`,
        'VALIDATION_ERROR',
      ],
      [`createAgencyToken(input: { agencyId: "${agency.agencyId}", scopes: [] }) { secret }`, 'VALIDATION_ERROR'],
      [
        `createAgencyToken(input: { agencyId: "${agency.tokenId}", scopes: ["sub_account.delete"] }) { secret }`,
        'NOT_FOUND',
      ],
      [`revokeAgencyToken(id: "${agency.agencyId}") { id }`, 'NOT_FOUND'],
    ]
    for (const [mutation, code] of refused) {
      expect([mutation, failureOf(await operator.graphql(`mutation { ${mutation} }`)).code]).toEqual([mutation, code])
    }
    expect(await count()).toBe(before)
  })
})

describe('the lists', () => {
  test('come in pages by number and by cursor, and miss and repeat nothing', async () => {
    const agency = await withRecords()
    for (let i = 0; i < 4; i++) await agency.client.channels(agency.subAccountId, { linkedin: 2, whatsapp: 2 + i })
    for (const name of ['agencyEvents', 'ledgerEntries'] as const) {
      const ids = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id)
      for (const [client, filter] of [
        [agency.dashboard, undefined],
        [operator, { agencyId: agency.agencyId }],
      ] as const) {
        const whole = await list(client, name, { filter, limit: 100 })
        expect(whole.items.length).toBeGreaterThan(5)
        const [numbered, followed]: [string[], string[]] = [[], []]
        let cursor: string | null = null
        for (let page = 1; page <= Math.ceil(whole.items.length / 2); page++) {
          const byNumber = await list(client, name, { filter, limit: 2, page })
          numbered.push(...ids(byNumber))
          const byCursor = await list(client, name, { filter, limit: 2, cursor })
          followed.push(...ids(byCursor))
          expect(byCursor.pagination).toMatchObject({ page, perPage: 2, total: whole.items.length })
          cursor = byCursor.pagination.nextCursor
        }
        expect([numbered, followed, cursor]).toEqual([ids(whole), ids(whole), null])
      }
      const past = await list(agency.dashboard, name, { page: 99 })
      expect([past.items, past.pagination.hasNext]).toEqual([[], false])
    }
  })

  test('take one statement each, and two past their end, and what is asked for by its id one', async () => {
    const agency = await withRecords()
    const isRead = (text: string) =>
      /^(select|with)\b/i.test(text) && !/ from (agency_token|sign_in_session)\b.*hash/s.test(text)
    const ids = {
      agency: agency.agencyId,
      subAccount: agency.subAccountId,
      agencyEvent: agency.eventId,
      agencyBilling: agency.agencyId,
    }
    for (const client of [agency.dashboard, operator]) {
      for (const [name, id] of Object.entries(ids)) {
        const ask = () => client.graphql(SINGLES[name as keyof typeof SINGLES], { id })
        dataOf(await ask())
        const { statements } = await service.statementsOf(ask)
        expect([name, statements.filter(isRead).length]).toEqual([name, 1])
      }
    }
    for (const [client, names] of [
      [agency.dashboard, OF_TOKENS],
      [operator, Object.keys(LISTS) as List[]],
    ] as const) {
      for (const name of names) {
        await list(client, name)
        const pages = await service.statementsOf(() => list(client, name, { limit: 2 }))
        expect([name, pages.statements.filter(isRead).length]).toEqual([name, 1])
        const past = await service.statementsOf(() => list(client, name, { page: 999 }))
        expect([name, past.statements.filter(isRead).length]).toEqual([name, 2])
      }
    }
  })

  test('bound their limits, and warn of it', async () => {
    const agency = await makeAgency(service)
    const dashboard = withSession(service.origin, agency.token)
    const { pagination } = await list(dashboard, 'agencyEvents', { page: 0, limit: 1000 })
    expect(pagination).toEqual({
      page: 1,
      perPage: 100,
      total: 0,
      totalPages: 0,
      hasNext: false,
      hasPrev: false,
      nextCursor: null,
    })
  })
})
