import { randomUUID } from 'node:crypto'
import { Keys } from '../../src/domains/accounts/index.js'
import { Agencies, AgencyTokens } from '../../src/domains/agencies/index.js'
import { People } from '../../src/domains/sessions/index.js'
import { SandboxBilling } from '../../src/integrations/billing/index.js'
import { NIL_ID } from '../../src/shared/ids.js'
import { makeAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Deed } from '../support/audited.js'
import type { Client } from '../support/client.js'
import { PASSWORD, signIn } from '../support/factories/people.js'
import { makeTenant } from '../support/factories.js'
import { dataOf, failureOf } from '../support/graphql.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const LIST = `query ($filter: AuditFilter) { auditEntries(filter: $filter, order: ASC, limit: 100) {
  items { action subjectKind subjectId fields actorKind actorId actorName userId address } } }`
const ofSubject = async (client: Client, subjectId: string): Promise<Deed[]> =>
  dataOf(await client.graphql(LIST, { filter: { subjectId } })).items
const byCommand = { actorKind: 'command', actorId: null, actorName: 'command', userId: null, address: null }

/** An operator as the command line makes one, with a password of its own. */
async function makeOperator(): Promise<{ id: string; client: Client }> {
  const email = `op.${randomUUID()}@example.com`
  const { id, temporaryPassword } = await new People(service.database).createOperator({ email, name: 'Op' })
  const { client } = await signIn(service, email, temporaryPassword)
  const change = 'mutation ($old: String!, $new: String!) { changePassword(currentPassword: $old, newPassword: $new) }'
  dataOf(await client.graphql(change, { old: temporaryPassword, new: PASSWORD }))
  return { id, client }
}

describe('what the command line does is written down', () => {
  test('of agencies: that they are made, and that their card is another', async () => {
    const { client } = await makeOperator()
    const agencies = new Agencies(service.database, new SandboxBilling(service.database))
    const { id } = await agencies.create({ name: 'Norte', paymentMethod: 'pm_card_visa' })
    await agencies.changePaymentMethod(id, 'pm_card_mastercard')
    await agencies.changePaymentMethod(id, 'pm_card_mastercard')
    const own = { subjectKind: 'agency', subjectId: id, ...byCommand }
    expect(await ofSubject(client, id)).toEqual([
      { ...own, action: 'created', fields: [] },
      { ...own, action: 'updated', fields: ['paymentMethod'] },
    ])
  })

  test('of tokens: that they are made and end, once, even if that is said twice at the same moment', async () => {
    const { client } = await makeOperator()
    const { tokenId, token } = await makeAgency(service)
    const tokens = new AgencyTokens(service.database)
    await Promise.all([tokens.revoke(tokenId), tokens.revoke(tokenId)])
    await tokens.revoke(tokenId)
    const own = { subjectKind: 'agency_token', subjectId: tokenId, ...byCommand, fields: [] }
    expect(await ofSubject(client, tokenId)).toEqual([
      { ...own, action: 'created' },
      { ...own, action: 'revoked' },
    ])
    const { rows } = await service.database.pool.query('select a::text as entry from audit_entry a')
    expect(rows.map(({ entry }) => entry).join()).not.toContain(token)
  })

  test('of operators: that they are made, and what they do with their password', async () => {
    const { id, client } = await makeOperator()
    const entries = await ofSubject(client, id)
    expect(entries.map(({ action, subjectKind }) => `${action} ${subjectKind}`)).toEqual([
      'created operator',
      'password_changed operator',
      'signed_in operator',
      'password_changed operator',
    ])
    expect(entries[0]).toMatchObject(byCommand)
    expect(entries[3]).toMatchObject({ actorKind: 'session', userId: id, address: '127.0.0.1' })
  })

  test('of users and keys: in the audit of their account', async () => {
    const tenant = await makeTenant(service)
    const email = `bia.${randomUUID()}@example.com`
    const { id, temporaryPassword } = await new People(service.database).createUser(
      tenant.accountId,
      { email },
      'admin',
    )
    const keys = new Keys(service.database)
    const first = await keys.create({ accountId: tenant.accountId, name: 'First', permissions: ['*'] })
    const second = await keys.rotate(first.key.id, 60)
    await keys.revoke(second.key.id)
    const actions = async (subject: string) => (await ofSubject(tenant.client, subject)).map(({ action }) => action)
    expect(await actions(id)).toEqual(['created', 'password_changed'])
    expect(await actions(first.key.id)).toEqual(['created', 'rotated'])
    expect(await actions(second.key.id)).toEqual(['created', 'revoked'])
    for (const entry of await ofSubject(tenant.client, id)) expect(entry).toMatchObject(byCommand)
    const { rows } = await service.database.pool.query('select a::text as entry from audit_entry a')
    const all = rows.map(({ entry }) => entry).join()
    for (const secret of [temporaryPassword, email, first.secret, second.secret]) expect(all).not.toContain(secret)
  })
})

describe('the audit of no account', () => {
  test('is read by operators, who read no other, and by nobody else', async () => {
    const { client } = await makeOperator()
    const { agencyId } = await makeAgency(service)
    const tenant = await makeTenant(service)
    expect(await ofSubject(client, agencyId)).toHaveLength(1)
    expect(await ofSubject(tenant.client, agencyId)).toEqual([])
    expect(await ofSubject(client, tenant.accountId)).toEqual([])
    expect(await ofSubject(tenant.client, tenant.accountId)).toHaveLength(1)
  })

  test('is closed to an operator whose password is a temporary one', async () => {
    const email = `op.${randomUUID()}@example.com`
    const { temporaryPassword } = await new People(service.database).createOperator({ email })
    const { client } = await signIn(service, email, temporaryPassword)
    expect(failureOf(await client.graphql(LIST)).code).toBe('PASSWORD_CHANGE_REQUIRED')
  })

  test('is part of the transaction: where it cannot be written, there is no agency either', async () => {
    const { pool } = service.database
    const stored = async () => (await pool.query('select count(*)::int as n from agency')).rows[0].n
    const before = await stored()
    await pool.query(`alter table audit_entry add constraint full_up
      check (subject_kind <> 'agency' or account_id <> '${NIL_ID}') not valid`)
    try {
      await expect(makeAgency(service)).rejects.toThrow(/full_up/)
    } finally {
      await pool.query('alter table audit_entry drop constraint full_up')
    }
    expect(await stored()).toBe(before)
  })
})
