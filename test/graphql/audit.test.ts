import { assembly } from '../../src/assembly.js'
import { createSchema } from '../../src/graphql/index.js'
import { NIL_ID } from '../../src/shared/ids.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { AUDITED, type Deed } from '../support/audited.js'
import { createClient } from '../support/client.js'
import { LOGIN, makePerson, PASSWORD, signIn } from '../support/factories/people.js'
import { makeContact, makeKey, makeTenant, type Tenant } from '../support/factories.js'
import { dataOf, failureOf, faultsOf, TIMESTAMP } from '../support/graphql.js'
import { GRANTABLE } from '../support/permissions.js'
import { stockOf } from '../support/stock.js'

let service: TestApp
beforeAll(async () => {
  const ai = { apiBase: 'http://127.0.0.1:1/v1', apiKey: 'none', model: 'none', dailyTokens: 100_000 }
  service = await startTestApp({ ai })
})
afterAll(() => service.stop())

const ENTRY = 'id action subjectKind subjectId fields actorKind actorId actorName userId address createdAt'
const LIST = `query ($filter: AuditFilter, $order: SortOrder, $page: Int, $limit: Int, $cursor: String) {
  auditEntries(filter: $filter, order: $order, page: $page, limit: $limit, cursor: $cursor) {
    items { ${ENTRY} } pagination { page total hasNext nextCursor } } }`

const auditOf = async ({ client }: Pick<Tenant, 'client'>, variables: Record<string, unknown> = {}) =>
  dataOf(await client.graphql(LIST, variables))

/** What was written down, oldest first, as `action subjectKind`. */
async function deedsOf(tenant: Pick<Tenant, 'client'>): Promise<string[]> {
  const { items } = await auditOf(tenant, { order: 'ASC', limit: 100 })
  return items.map(({ action, subjectKind }: Deed) => `${action} ${subjectKind}`)
}

describe('each mutation', () => {
  const schema = createSchema(assembly)
  const mutations = Object.keys(schema.getMutationType()!.getFields()).sort()

  test('is said to leave an entry or none', () => {
    expect(Object.keys(AUDITED).sort()).toEqual(mutations)
  })

  const audited = Object.entries(AUDITED).flatMap(([name, one]) => (typeof one === 'string' ? [] : [{ name, ...one }]))

  test.each(audited)('$name says: $says', async ({ says, subject, call }) => {
    const tenant = await makeTenant(service)
    const ids = await stockOf(service.database, tenant.accountId)
    const before = await auditOf(tenant)
    const made = dataOf(await tenant.client.graphql(`mutation { ${call(ids)} }`))
    const { items } = await auditOf(tenant)
    const added: Deed[] = items.slice(0, items.length - before.items.length)
    expect(added.map(({ action, subjectKind, fields }) => `${action} ${subjectKind} ${fields}`.trim()).join()).toBe(
      says,
    )
    expect(added[0]).toMatchObject({
      subjectId: subject ? ids[subject] : [made.key ?? made].flat()[0].id,
      actorKind: 'api_key',
      actorId: tenant.keyId,
      actorName: expect.stringMatching(/^Key \d+$/),
      userId: null,
      address: '127.0.0.1',
      createdAt: TIMESTAMP,
    })
  })
})

test('what changes nothing, and what is refused, leaves no entry', async () => {
  const tenant = await makeTenant(service)
  const create = 'mutation ($name: String!) { createSector(input: {name: $name}) { id } }'
  const { id } = dataOf(await tenant.client.graphql(create, { name: 'North' }))
  const update = 'mutation ($id: ID!, $name: String!) { updateSector(id: $id, input: {name: $name}) { id } }'
  dataOf(await tenant.client.graphql(update, { id, name: 'North' }))
  expect(failureOf(await tenant.client.graphql(create, { name: 'north' })).code).toBe('DUPLICATE_ERROR')
  expect(await deedsOf(tenant)).toEqual(['created account', 'created api_key', 'created sector'])
})

test('the creation of an account is its first entry, by the command line', async () => {
  const tenant = await makeTenant(service)
  const [entry] = (await auditOf(tenant, { order: 'ASC' })).items
  expect(entry).toEqual({
    id: expect.any(String),
    action: 'created',
    subjectKind: 'account',
    subjectId: tenant.accountId,
    fields: [],
    actorKind: 'command',
    actorId: null,
    actorName: 'command',
    userId: null,
    address: null,
    createdAt: TIMESTAMP,
  })
})

describe('of people who sign in', () => {
  /** The entries of an account about its people, oldest first, without those of their making. */
  const entriesOf = async (tenant: Tenant) =>
    (await auditOf(tenant, { order: 'ASC', filter: { subjectKind: 'user' } })).items.filter(
      ({ action }: Deed) => action !== 'created',
    )

  test('a sign-in, a wrong password, another password and the end of sessions are written down, and no secret', async () => {
    const { id, email, tenant } = await makePerson(service, { name: 'Bia Ramos' })
    const { client, token } = await signIn(service, email)
    const wrong = await createClient(service.origin).graphql(LOGIN, { email, password: 'wrong horse battery' })
    expect(failureOf(wrong).code).toBe('INVALID_CREDENTIALS')
    const change = `mutation ($old: String!) { changePassword(currentPassword: $old, newPassword: "another horse and battery") }`
    dataOf(await client.graphql(change, { old: PASSWORD }))
    dataOf(await client.graphql('mutation { revokeSessions }'))
    const entries = await entriesOf(tenant)
    const session = entries[0].actorId
    const own = { subjectKind: 'user', subjectId: id, address: '127.0.0.1', fields: [] }
    const byBia = { actorKind: 'session', actorId: session, actorName: 'Bia Ramos', userId: id }
    expect(entries).toEqual([
      expect.objectContaining({ ...own, ...byBia, action: 'signed_in', actorId: expect.any(String) }),
      expect.objectContaining({
        ...own,
        action: 'sign_in_failed',
        actorKind: 'unknown',
        actorId: null,
        actorName: 'unknown',
        userId: null,
      }),
      expect.objectContaining({ ...own, ...byBia, action: 'password_changed' }),
      expect.objectContaining({ ...own, ...byBia, action: 'sessions_ended' }),
    ])
    const { rows } = await service.database.pool.query('select a::text as entry from audit_entry a')
    const all = rows.map(({ entry }) => entry).join()
    for (const secret of [token, email, PASSWORD, 'wrong horse']) expect(all).not.toContain(secret)
  })

  test('what a session changes names the person and its session', async () => {
    const { id, email, tenant } = await makePerson(service, { name: 'Bia Ramos' })
    const { client } = await signIn(service, email)
    dataOf(await client.graphql('mutation { createSector(input: {name: "North"}) { id } }'))
    const [entry] = (await auditOf({ client })).items
    expect(entry).toMatchObject({ action: 'created', actorKind: 'session', actorName: 'Bia Ramos', userId: id })
    expect((await auditOf(tenant, { filter: { actorId: id } })).items.map(({ action }: Deed) => action)).toEqual([
      'created',
      'signed_in',
    ])
  })

  test('an email that nobody has costs the same statements, and leaves an entry of no account', async () => {
    const { email } = await makePerson(service)
    const statementsFor = async (tried: string) => {
      const variables = { email: tried, password: 'wrong horse battery' }
      const { statements } = await service.statementsOf(() => createClient(service.origin).graphql(LOGIN, variables))
      return statements
    }
    const known = await statementsFor(email)
    expect(known.some((text) => /insert into audit_entry/.test(text))).toBe(true)
    const count = async () => {
      const query = 'select count(*)::int as n from audit_entry where account_id = $1'
      return (await service.database.pool.query(query, [NIL_ID])).rows[0].n
    }
    const before = await count()
    expect(await statementsFor('nobody@example.com')).toEqual(known)
    expect(await count()).toBe(before + 1)
  })
})

describe('the list', () => {
  test('takes the permission to read it, and shows nothing of other accounts', async () => {
    const [mine, theirs] = [await makeTenant(service), await makeTenant(service)]
    const all = GRANTABLE.filter((one) => one !== 'audit:read')
    const { secret } = await makeKey(service.database, mine.accountId, { permissions: all })
    const refused = failureOf(await createClient(service.origin, secret).graphql(LIST))
    expect(refused).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', requiredPermission: 'audit:read' })
    expect(failureOf(await createClient(service.origin).graphql(LIST)).code).toBe('MISSING_API_KEY')
    const subjects = (await auditOf(mine, { filter: { subjectId: theirs.accountId } })).items
    expect(subjects).toEqual([])
    expect((await auditOf(mine)).items).toHaveLength(3)
  })

  test('is filtered by action, subject, actor and time, all of which must hold', async () => {
    const tenant = await makeTenant(service)
    const create = 'mutation ($name: String!) { createSector(input: {name: $name}) { id } }'
    const { id: first } = dataOf(await tenant.client.graphql(create, { name: 'North' }))
    const { key, secret } = await makeKey(service.database, tenant.accountId)
    const other = createClient(service.origin, secret)
    const { id: second } = dataOf(await other.graphql(create, { name: 'South' }))
    const remove = 'mutation ($id: ID!) { deleteSector(id: $id) { id } }'
    dataOf(await other.graphql(remove, { id: first }))
    const found = async (filter: Record<string, unknown>) =>
      (await auditOf(tenant, { filter, order: 'ASC' })).items
        .filter(({ subjectKind }: Deed) => subjectKind === 'sector')
        .map(({ action, subjectId }: Deed & { subjectId: string }) => `${action} ${subjectId === first ? 1 : 2}`)
    expect(await found({})).toEqual(['created 1', 'created 2', 'deleted 1'])
    expect(await found({ action: 'DELETED' })).toEqual(['deleted 1'])
    expect(await found({ subjectKind: 'Sector' })).toHaveLength(3)
    expect(await found({ subjectKind: 'contact' })).toEqual([])
    expect(await found({ subjectId: second.toUpperCase() })).toEqual(['created 2'])
    expect(await found({ actorId: key.id })).toEqual(['created 2', 'deleted 1'])
    expect(await found({ actorId: tenant.keyId, action: 'created' })).toEqual(['created 1'])
    expect(await found({ actorId: 'nobody' })).toEqual([])
    expect(await found({ actorKind: 'session' })).toEqual([])
    const { createdAt } = (await auditOf(tenant, { filter: { action: 'deleted' } })).items[0]
    expect(await found({ from: createdAt })).toContain('deleted 1')
    expect(await found({ to: '2020-01-01' })).toEqual([])
    expect(faultsOf(await tenant.client.graphql(LIST, { filter: { action: 'x'.repeat(33) } }))).toHaveLength(1)
  })

  test('comes newest first or oldest first, page by page with its total, and goes on by cursor', async () => {
    const tenant = await makeTenant(service)
    const create = 'mutation ($name: String!) { createSector(input: {name: $name}) { id } }'
    for (let i = 0; i < 3; i++) dataOf(await tenant.client.graphql(create, { name: `Sector ${i}` }))
    const all = (await auditOf(tenant)).items
    expect(all).toHaveLength(5)
    expect((await auditOf(tenant, { order: 'ASC' })).items).toEqual(all.toReversed())
    const first = await auditOf(tenant, { limit: 2 })
    expect(first.pagination).toMatchObject({ page: 1, total: 5, hasNext: true })
    const second = await auditOf(tenant, { limit: 2, cursor: first.pagination.nextCursor })
    expect([...first.items, ...second.items]).toEqual(all.slice(0, 4))
    expect((await auditOf(tenant, { limit: 2, page: 3 })).items).toEqual(all.slice(4))
    expect((await auditOf(tenant, { page: 9 })).pagination.total).toBe(5)
  })
})

describe('what was written down', () => {
  test.each(['update audit_entry set action = $$x$$', 'delete from audit_entry', 'truncate audit_entry'])(
    'stays, whoever says: %s',
    async (statement) => {
      await makeTenant(service)
      const { pool } = service.database
      const refusal = /can only be added to/
      await expect(pool.query(statement)).rejects.toThrow(refusal)
      const client = await pool.connect()
      try {
        await client.query('begin; set local session_replication_role = replica')
        await expect(client.query(statement)).rejects.toThrow(refusal)
      } finally {
        await client.query('rollback')
        client.release()
      }
    },
  )

  test('outlives its key, its subject and its account', async () => {
    const { database } = service
    const tenant = await makeTenant(service)
    const { id } = await makeContact(database, tenant.accountId)
    expect((await tenant.client.call('DELETE', `/contacts/${id}`)).status).toBe(200)
    await database.pool.query('delete from account where id = $1', [tenant.accountId])
    const { rows } = await database.pool.query(
      'select action, subject_id, actor_id from audit_entry where account_id = $1 order by id',
      [tenant.accountId],
    )
    expect(rows).toEqual([
      { action: 'created', subject_id: tenant.accountId, actor_id: null },
      { action: 'created', subject_id: tenant.keyId, actor_id: null },
      { action: 'deleted', subject_id: id, actor_id: tenant.keyId },
    ])
  })

  test('is part of the transaction: where it cannot be written, nothing else happens', async () => {
    const tenant = await makeTenant(service)
    const { id } = await makeContact(service.database, tenant.accountId)
    const { pool } = service.database
    await pool.query(`alter table audit_entry add constraint full_up check (subject_id <> '${id}')`)
    try {
      expect((await tenant.client.call('DELETE', `/contacts/${id}`)).status).toBe(500)
    } finally {
      await pool.query('alter table audit_entry drop constraint full_up')
    }
    expect((await tenant.client.get(`/contacts/${id}`)).status).toBe(200)
    expect(await deedsOf(tenant)).toEqual(['created account', 'created api_key'])
  })

  test('costs a deletion one statement, for which nothing waits', async () => {
    const tenant = await makeTenant(service)
    const { id } = await makeContact(service.database, tenant.accountId)
    const { statements } = await service.statementsOf(() => tenant.client.call('DELETE', `/contacts/${id}`))
    expect(statements.filter((text) => /audit_entry/.test(text))).toHaveLength(1)
    expect(statements.at(-1)).toBe('commit')
  })
})
