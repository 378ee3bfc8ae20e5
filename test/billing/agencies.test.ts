import { sql } from 'kysely'
import { type Database, param, Scope, Statement } from '../../src/database/index.js'
import { Agencies, AgencyTokens } from '../../src/domains/agencies/index.js'
import { SandboxBilling } from '../../src/integrations/billing/index.js'
import { openTestDatabase } from '../support/open-database.js'

let database: Database
let stop: () => Promise<void>
beforeAll(async () => {
  ;({ database, stop } = await openTestDatabase())
})
afterAll(() => stop())

const now = new Date('2026-01-31T23:59:59.700Z')
const agenciesOf = () => new Agencies(database, new SandboxBilling(database), () => now)
const customers = async () => (await database.pool.query('select id, payment_method from sandbox_customer')).rows

describe('an agency', () => {
  test('has a key, a customer at billing, and cycles from the second of its creation', async () => {
    const made = await agenciesOf().create({ name: '  Norte  Digital ', paymentMethod: 'pm_card_visa' })
    const { name, agencyKey, seatPriceCents, currency, anchor, billableChannels, billingCustomer, paymentMethod } = made
    expect({ name, seatPriceCents, currency, paymentMethod }).toEqual({
      name: 'Norte  Digital',
      seatPriceCents: 4900,
      currency: 'BRL',
      paymentMethod: 'pm_card_visa',
    })
    expect(anchor.toISOString()).toBe('2026-01-31T23:59:59.000Z')
    expect(billableChannels).toEqual(['linkedin', 'whatsapp', 'instagram', 'email_marketing'])
    expect(await customers()).toContainEqual({ id: billingCustomer, payment_method: 'pm_card_visa' })
    expect(await agenciesOf().findByKey(agencyKey)).toMatchObject({ id: made.id, name: 'Norte  Digital' })
    expect(await agenciesOf().findByKey('ag_unknown')).toBeNull()
  })

  test('with pm_card_chargeDeclined keeps the card that is declined when it is charged', async () => {
    const made = await agenciesOf().create({ name: 'Sul', paymentMethod: 'pm_card_chargeDeclined' })
    expect(made.paymentMethod).toBe('pm_card_chargeCustomerFail')
  })

  test('may have no card, and get one later', async () => {
    const { id, paymentMethod } = await agenciesOf().create({ name: 'Leste' })
    expect(paymentMethod).toBeUndefined()
    const changed = await agenciesOf().changePaymentMethod(id, 'pm_card_visa')
    expect(changed.paymentMethod).toBe('pm_card_visa')
  })

  test.each([
    [{ name: ' ' }, /name must not be empty/],
    [{ name: 'A', seatPriceCents: -1 }, /seat price/],
    [{ name: 'A', seatPriceCents: 0.5 }, /seat price/],
    [{ name: 'A', currency: 'XXX' }, /currency must be one of AED/],
    [{ name: 'A', paymentMethod: 'pm_card_nobodys' }, /no payment method pm_card_nobodys/],
  ])('is refused with %j', async (given, message) => {
    await expect(agenciesOf().create(given)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(message),
    })
  })

  test('is not made while billing is down, and can be made after', async () => {
    const billing = new SandboxBilling(database)
    await billing.disturb({ kind: 'down', method: 'createCustomer' })
    await expect(agenciesOf().create({ name: 'Oeste' })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(await agenciesOf().create({ name: 'Oeste' })).toMatchObject({ name: 'Oeste' })
  })
})

describe('its tokens', () => {
  test('are shown once, kept as a hash, listed by agency and revoked for good', async () => {
    const [mine, other] = [await agenciesOf().create({ name: 'Um' }), await agenciesOf().create({ name: 'Dois' })]
    const tokens = new AgencyTokens(database)
    const { token, secret } = await tokens.create(mine.agencyKey, ['sub_account.create', 'sub_account.create'])
    await tokens.create(other.agencyKey, ['sub_account.delete'])
    expect(secret).toMatch(/^fl_agency_[0-9A-Za-z]{38}$/)
    expect(token.scopes).toEqual(['sub_account.create'])
    const { rows } = await database.pool.query('select t::text as row from agency_token t where id = $1', [token.id])
    expect(rows[0].row).not.toContain(secret)
    expect((await tokens.list(mine.agencyKey)).map(({ id }) => id)).toEqual([token.id])
    const first = (await tokens.revoke(token.id)).revokedAt
    expect(first).toEqual(expect.any(Date))
    expect((await tokens.revoke(token.id)).revokedAt).toEqual(first)
  })

  test.each([
    [[], /at least one scope/],
    [['sub_account.create', '*'], /Unknown scope: \*/],
  ])('are refused with the scopes %j', async (scopes, message) => {
    const { agencyKey } = await agenciesOf().create({ name: 'Tres' })
    const refused = new AgencyTokens(database).create(agencyKey, scopes)
    await expect(refused).rejects.toMatchObject({ message: expect.stringMatching(message) })
  })

  test('are of an agency that there is', async () => {
    await expect(new AgencyTokens(database).create('ag_none', ['sub_account.create'])).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    await expect(new AgencyTokens(database).list('ag_none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('between agencies', () => {
  test('a statement gets the agency of its scope, whatever it is given', async () => {
    const [mine, other] = [await agenciesOf().create({ name: 'Quatro' }), await agenciesOf().create({ name: 'Cinco' })]
    const own = new Statement<{ id: string }>(sql`select id from agency where id = ${param('agency')}`)
    const db = Scope.ofAgency(database, mine.id)
    expect(await db.rows(own, { agency: other.id })).toEqual([{ id: mine.id }])
  })

  test('a view of an account has no agency', async () => {
    const own = new Statement<{ id: string }>(sql`select id from agency where id = ${param('agency')}`)
    const { id } = await agenciesOf().create({ name: 'Seis' })
    await expect(Scope.ofSystem(database, id).rows(own, { agency: id })).rejects.toThrow(/no view of an agency/)
  })

  test('every table with an agency, and the agencies themselves, are hidden from tenants', async () => {
    const { rows } = await database.pool.query<{ name: string; secured: boolean; policies: number }>(
      `select c.relname as name, c.relrowsecurity as secured,
         (select count(*)::int from pg_policy p where p.polrelid = c.oid) as policies
       from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
         and (c.relname = 'agency' or c.relname like 'sandbox%'
           or exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'agency_id'))`,
    )
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.filter(({ secured, policies }) => !secured || policies > 0)).toEqual([])
  })

  test('a tenant who names an agency sees nothing of it', async () => {
    const { id } = await agenciesOf().create({ name: 'Sete' })
    const forgetful = new Statement<{ id: string }>(
      sql`select id from agency where ${param('account')}::uuid is not null`,
    )
    expect(await Scope.ofSystem(database, id).rows(forgetful, {})).toEqual([])
  })
})
