import { createAgencyClient, makeAgency, newClient, type TestAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const code = ({ body }: { body: { error?: { code: string } } }) => body.error?.code
const statusAndCode = (answer: { status: number; body: { error?: { code: string } } }) => [answer.status, code(answer)]

const accounts = async () => Number((await service.database.pool.query('select count(*) from account')).rows[0].count)

const LOGIN =
  'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { mustChangePassword } }'
const login = async (email: string, password: string) =>
  (await createClient(service.origin).graphql(LOGIN, { email, password })).body

describe('creating a sub-account', () => {
  test('without channels costs nothing and makes a whole account', async () => {
    const { client } = await makeAgency(service)
    const body = newClient({ name: 'Padaria Central', external_ref: 'c-1' })
    const { status, body: answer } = await client.create(body)
    expect(status).toBe(201)
    expect(answer).toEqual({
      ok: true,
      event_id: expect.any(String),
      data: {
        id: expect.any(String),
        name: 'Padaria Central',
        slug: 'padaria-central',
        external_ref: 'c-1',
        created_at: expect.any(String),
        admin: { id: expect.any(String), email: body.admin_email },
        channels: { linkedin: 0, whatsapp: 0, instagram: 0, email_marketing: 0 },
        billing: { invoiceStatus: 'none', totalCents: 0, currency: 'BRL', periodEnd: expect.any(String), items: [] },
        trial: null,
      },
    })
    const event = await client.event(answer.event_id)
    expect(event.body.data).toMatchObject({
      id: answer.event_id,
      action: 'sub_account.create',
      status: 'processed',
      attempts: 1,
      target_account_id: answer.data.id,
      result: answer.data,
      error_code: null,
      last_error: null,
    })
    const { rows } = await service.database.pool.query(
      'select p.is_default, count(*)::int as stages from pipeline p join stage s on s.pipeline_id = p.id where p.account_id = $1 group by 1',
      [answer.data.id],
    )
    expect(rows).toEqual([{ is_default: true, stages: 6 }])
  })

  test('with channels charges the seats for the rest of the cycle', async () => {
    const { client } = await makeAgency(service, { seatPriceCents: 4900 })
    const { status, body } = await client.create(newClient({ channels: { linkedin: 2, whatsapp: 1 } }))
    expect([status, body.error]).toEqual([201, undefined])
    expect(body.data.channels).toEqual({ linkedin: 2, whatsapp: 1, instagram: 0, email_marketing: 0 })
    expect(body.data.billing).toMatchObject({
      invoiceStatus: 'paid',
      totalCents: 14_700,
      items: [
        { channelType: 'linkedin', count: 2 },
        { channelType: 'whatsapp', count: 1 },
      ],
    })
  })

  test('tells the temporary password once, with which the admin signs in and must choose another', async () => {
    const { client } = await makeAgency(service)
    const body = newClient({ include_credentials: true })
    const key = { 'Idempotency-Key': 'once' }
    const first = await client.create(body, key)
    const password = first.body.data.temporary_password
    expect(password).toEqual(expect.any(String))
    const again = await client.create(body, key)
    const { temporary_password, ...told } = first.body.data
    expect([again.status, again.body]).toEqual([201, { ok: true, event_id: first.body.event_id, data: told }])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await client.event(first.body.event_id)).body.data.result).toEqual(told)
    expect((await login(body.admin_email, password)).data.login).toEqual({ mustChangePassword: true })
    const stored = await service.database.pool.query(
      `select e::text from agency_event e where id = $1 union all select s::text from sign_in s`,
      [first.body.event_id],
    )
    expect(JSON.stringify(stored.rows)).not.toContain(password)
    const { body: none } = await client.create(newClient({ include_credentials: null }))
    expect(none.data).not.toHaveProperty('temporary_password')
  })

  test('is refused with the code of what is wrong, in order; what is wrong in form leaves a failed event', async () => {
    const { client } = await makeAgency(service)
    const taken = newClient({ external_ref: 'same' })
    await client.create(taken)
    const before = await accounts()
    const cases: [object, string][] = [
      [{}, 'MISSING_FIELDS'],
      [{ name: 'x', admin_email: ' ' }, 'MISSING_FIELDS'],
      [{ name: null, admin_email: 'a@b.example', external_ref: 5, channels: { fax: 1 } }, 'MISSING_FIELDS'],
      [newClient({ external_ref: '', channels: { fax: 1 } }), 'INVALID_EXTERNAL_REF'],
      [newClient({ external_ref: 'x'.repeat(121) }), 'INVALID_EXTERNAL_REF'],
      [newClient({ external_ref: 'a\tb' }), 'INVALID_EXTERNAL_REF'],
      [newClient({ external_ref: 7 }), 'INVALID_EXTERNAL_REF'],
      [newClient({ channels: { fax: 1 }, admin_email: 'no address' }), 'INVALID_CHANNELS'],
      [newClient({ channels: { linkedin: '5' } }), 'INVALID_CHANNELS'],
      [newClient({ channels: { linkedin: 5.5 } }), 'INVALID_CHANNELS'],
      [newClient({ channels: { linkedin: null } }), 'INVALID_CHANNELS'],
      [newClient({ channels: { linkedin: -1 } }), 'INVALID_CHANNELS'],
      [newClient({ channels: { linkedin: 101 } }), 'INVALID_CHANNELS'],
      [newClient({ channels: [1] }), 'INVALID_CHANNELS'],
      [newClient({ admin_email: 'no address' }), 'VALIDATION_ERROR'],
      [newClient({ admin_email: taken.admin_email.toUpperCase() }), 'EMAIL_ALREADY_REGISTERED'],
      [newClient({ external_ref: 'same' }), 'EXTERNAL_REF_ALREADY_USED'],
    ]
    for (const [body, wanted] of cases) {
      const answer = await client.create(body)
      expect([body, ...statusAndCode(answer)]).toEqual([body, wanted.match(/ALREADY/) ? 409 : 400, wanted])
      const { data } = (await client.event(answer.body.event_id)).body
      expect(data).toMatchObject({ status: 'failed', error_code: wanted, result: null, target_account_id: null })
    }
    expect(await accounts()).toBe(before)
  })

  test('takes no card that is declined, and none that is not there: nothing stays behind', async () => {
    const before = await accounts()
    const declined = await makeAgency(service, { paymentMethod: 'pm_card_chargeCustomerFail' })
    const none = await makeAgency(service, { paymentMethod: undefined })
    const body = newClient({ external_ref: 'r', channels: { linkedin: 1 } })
    expect(statusAndCode(await declined.client.create(body))).toEqual([402, 'SEAT_CHARGE_FAILED'])
    expect(statusAndCode(await none.client.create(body))).toEqual([402, 'NO_PAYMENT_METHOD'])
    expect(await accounts()).toBe(before)
    expect((await declined.client.create({ ...body, channels: {} })).status).toBe(201)
  })
})

describe('whoever may not', () => {
  test('is refused before anything is looked at, and leaves no event', async () => {
    const [one, other] = [await makeAgency(service), await makeAgency(service, { scopes: ['sub_account.channels'] })]
    const mixed = [
      await foreign(one, other.agencyKey).create({}),
      await foreign({ ...one, token: '' }, one.agencyKey).create({}),
      await foreign({ ...one, token: 'fl_agency_nothing' }, one.agencyKey).create({}),
      await foreign(one, 'unknown').create({}),
    ]
    expect(mixed.map(statusAndCode)).toEqual(mixed.map(() => [401, 'UNAUTHORIZED']))
    const scope = await other.client.create({})
    expect(statusAndCode(scope)).toEqual([403, 'INVALID_SCOPE'])
    expect(scope.body.error.message).toContain('sub_account.create')
    const plain = await makeAgency(service, { scopes: ['sub_account.create'] })
    const credentials = await plain.client.create({ include_credentials: true })
    expect(statusAndCode(credentials)).toEqual([403, 'INVALID_SCOPE'])
    const ids = [one, other, plain].map(({ agencyId }) => agencyId)
    const { rows } = await service.database.pool.query('select id from agency_event where agency_id = any($1)', [ids])
    expect(rows).toEqual([])
    expect([...mixed, scope, credentials].map(({ body }) => body.event_id)).toEqual(
      [...mixed, 1, 2].map(() => undefined),
    )
  })
})

const foreign = ({ token }: Pick<TestAgency, 'token'>, agencyKey: string) =>
  createAgencyClient(service.origin, agencyKey, token)
