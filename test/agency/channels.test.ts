import { type Answered, createAgencyClient, makeAgency, newClient, type TestAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeKey } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const statusAndCode = ({ status, body }: Answered) => [status, body.error?.code]

async function withSubAccount(channels: object = {}, agency: Parameters<typeof makeAgency>[1] = {}) {
  const made = await makeAgency(service, agency)
  const { body } = await made.client.create(newClient({ external_ref: 'c/1 é', channels }))
  return { ...made, id: body.data.id as string, adminEmail: body.data.admin.email as string }
}

/** What the sandbox has collected from an agency. */
const collected = async ({ customerId }: TestAgency): Promise<number> => {
  const { rows } = await service.database.pool.query(
    "select coalesce(sum(cents), 0)::int as sum from sandbox_invoice where customer = $1 and status = 'paid'",
    [customerId],
  )
  return rows[0].sum
}

const NONE = { linkedin: 0, whatsapp: 0, instagram: 0, email_marketing: 0 }

describe('changing channels', () => {
  test('charges what is added and gives nothing back for what goes, by PUT and POST, id and reference alike', async () => {
    const agency = await withSubAccount({ linkedin: 1 }, { seatPriceCents: 1000 })
    const raised = await agency.client.channels(agency.id, { linkedin: 2, whatsapp: 2 })
    expect([raised.status, raised.body]).toEqual([
      200,
      {
        ok: true,
        event_id: expect.any(String),
        data: {
          id: agency.id,
          channels: { ...NONE, linkedin: 2, whatsapp: 2 },
          delta_channels: 3,
          seat_charge: { ok: true, paid: true, chargedCents: 3000, addedChannels: 3 },
        },
      },
    ])
    expect(await collected(agency)).toBe(4000)
    const path = `/sub-accounts/${encodeURIComponent('ext:c/1 é')}/channels`
    const lowered = await agency.client.call('POST', path, { body: { channels: { whatsapp: 1 } } })
    expect(lowered.body.data).toEqual({
      id: agency.id,
      channels: { ...NONE, whatsapp: 1 },
      delta_channels: -3,
      seat_charge: null,
    })
    expect(await collected(agency)).toBe(4000)
    const swapped = await agency.client.channels(agency.id, { linkedin: 1 })
    expect(swapped.body.data).toMatchObject({ delta_channels: 0, seat_charge: null, channels: { linkedin: 1 } })
    const { data } = (await agency.client.event(raised.body.event_id)).body
    expect(data).toMatchObject({ action: 'sub_account.channels.update', status: 'processed', result: raised.body.data })
  })

  test('that ask for what is so already have no effect', async () => {
    const agency = await withSubAccount({ linkedin: 1 })
    const same = await agency.client.channels(agency.id, { linkedin: 1, instagram: 0 })
    expect([same.status, same.body.data.delta_channels, same.body.data.seat_charge]).toEqual([200, 0, null])
    expect((await agency.client.event(same.body.event_id)).body.data.status).toBe('ignored')
  })

  test('is refused with the code of what is wrong, and then changes nothing', async () => {
    const agency = await withSubAccount({ linkedin: 1 }, { paymentMethod: 'pm_card_visa' })
    const other = await withSubAccount()
    const path = `/sub-accounts/${agency.id}/channels`
    const answers: [Answered, number, string][] = [
      [await agency.client.call('PUT', path, { body: {} }), 400, 'MISSING_FIELDS'],
      [await agency.client.call('PUT', path, { body: { channels: null } }), 400, 'MISSING_FIELDS'],
      [await agency.client.channels(agency.id, { fax: 1 }), 400, 'INVALID_CHANNELS'],
      [await agency.client.channels(agency.id, { linkedin: 101 }), 400, 'INVALID_CHANNELS'],
      [await agency.client.channels(other.id, { linkedin: 1 }), 403, 'SUB_ACCOUNT_FORBIDDEN'],
      [await agency.client.channels('ext:nobody', { linkedin: 1 }), 404, 'SUB_ACCOUNT_NOT_FOUND'],
      [await agency.client.channels(' ', { linkedin: 1 }), 400, 'VALIDATION_ERROR'],
      [await agency.client.channels('nonsense', { linkedin: 1 }), 404, 'SUB_ACCOUNT_NOT_FOUND'],
    ]
    for (const [answer, status, code] of answers) {
      expect(statusAndCode(answer)).toEqual([status, code])
      const { data } = (await agency.client.event(answer.body.event_id)).body
      expect([data.status, data.error_code]).toEqual(['failed', code])
    }
    const stranger = createAgencyClient(service.origin, agency.agencyKey, other.token)
    expect(statusAndCode(await stranger.channels(agency.id, {}))).toEqual([401, 'UNAUTHORIZED'])
    const weak = await makeAgency(service, { scopes: ['sub_account.create'] })
    expect(statusAndCode(await weak.client.channels(agency.id, {}))).toEqual([403, 'INVALID_SCOPE'])
    const same = await agency.client.channels(agency.id, { linkedin: 1 })
    expect((await agency.client.event(same.body.event_id)).body.data.status).toBe('ignored')
  })

  test('of a declined card changes nothing, and a repeat hears so again', async () => {
    const agency = await withSubAccount({}, { paymentMethod: 'pm_card_chargeCustomerFail' })
    const key = { 'Idempotency-Key': 'k' }
    const [first, again] = [
      await agency.client.channels(agency.id, { linkedin: 1 }, key),
      await agency.client.channels(agency.id, { linkedin: 1 }, key),
    ]
    expect([first, again].map(statusAndCode)).toEqual([1, 2].map(() => [402, 'SEAT_CHARGE_FAILED']))
    expect([again.body.event_id, again.headers.get('idempotent-replayed')]).toEqual([first.body.event_id, 'true'])
    expect(await collected(agency)).toBe(0)
    const other = await agency.client.channels(agency.id, { linkedin: 2 }, key)
    expect([...statusAndCode(other), other.body.event_id]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED', undefined])
  })

  test('sent twenty times with one key at once are charged once', async () => {
    const agency = await withSubAccount({}, { seatPriceCents: 1000 })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        agency.client.channels(agency.id, { linkedin: 3 }, { 'Idempotency-Key': 'once' }),
      ),
    )
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.event_id}`)).size).toBe(1)
    expect(await collected(agency)).toBe(3000)
  })
})

describe('deleting a sub-account', () => {
  test('shuts its people and keys out, and frees its reference and its address', async () => {
    const agency = await withSubAccount({ linkedin: 1 })
    const { secret } = await makeKey(service.database, agency.id)
    const call = () => fetch(`${service.base}/tags`, { headers: { 'X-API-Key': secret } }).then(({ status }) => status)
    expect(await call()).toBe(200)
    const key = { 'Idempotency-Key': 'gone' }
    const deleted = await agency.client.remove('ext:c/1 é', key)
    expect([deleted.status, deleted.body.data]).toEqual([200, { id: agency.id, deleted_at: expect.any(String) }])
    expect(await call()).toBe(401)
    expect((await agency.client.remove('ext:c/1 é', key)).body).toEqual(deleted.body)
    expect(statusAndCode(await agency.client.remove(agency.id))).toEqual([404, 'SUB_ACCOUNT_NOT_FOUND'])
    expect(statusAndCode(await agency.client.channels(agency.id, {}))).toEqual([404, 'SUB_ACCOUNT_NOT_FOUND'])
    const again = newClient({ external_ref: 'c/1 é', admin_email: agency.adminEmail })
    expect((await agency.client.create(again)).status).toBe(201)
  })

  test('is refused to who may not, and of what is not there', async () => {
    const [agency, other] = [await withSubAccount(), await withSubAccount()]
    expect(statusAndCode(await agency.client.remove(other.id))).toEqual([403, 'SUB_ACCOUNT_FORBIDDEN'])
    const weak = await makeAgency(service, { scopes: ['sub_account.create'] })
    expect(statusAndCode(await weak.client.remove(agency.id))).toEqual([403, 'INVALID_SCOPE'])
    const nobody = createAgencyClient(service.origin, agency.agencyKey)
    expect(statusAndCode(await nobody.remove(agency.id))).toEqual([401, 'UNAUTHORIZED'])
  })

  test('has a repeat of its creation hear that it is gone', async () => {
    const { client } = await makeAgency(service)
    const body = newClient()
    const { body: created } = await client.create(body, { 'Idempotency-Key': 'c' })
    await client.remove(created.data.id)
    const again = await client.create(body, { 'Idempotency-Key': 'c' })
    expect(statusAndCode(again)).toEqual([410, 'RESOURCE_DELETED'])
  })
})

describe('an event', () => {
  test('is told to its own agency alone, with any of its tokens', async () => {
    const [agency, other] = [await withSubAccount(), await withSubAccount()]
    const { body } = await agency.client.channels(agency.id, { linkedin: 1 })
    for (const id of [body.event_id, 'nonsense', '0190163d-8694-739b-aea5-966c26f8ad91']) {
      expect(statusAndCode(await other.client.event(id))).toEqual([404, 'EVENT_NOT_FOUND'])
    }
    const nobody = createAgencyClient(service.origin, agency.agencyKey)
    expect(statusAndCode(await nobody.event(body.event_id))).toEqual([401, 'UNAUTHORIZED'])
    const weak = await makeAgency(service, { scopes: ['sub_account.delete'] })
    expect(statusAndCode(await weak.client.event(body.event_id))).toEqual([404, 'EVENT_NOT_FOUND'])
  })
})
