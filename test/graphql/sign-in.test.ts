import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { hashed } from '../../src/domains/sessions/index.js'
import { UserRole } from '../../src/domains/users/index.js'
import { makeCredential } from '../../src/shared/credential.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { givePassword, LOGIN, makePerson, PASSWORD, signIn, withSession } from '../support/factories/people.js'
import { makeTenant } from '../support/factories.js'
import { dataOf, failureOf, TIMESTAMP } from '../support/graphql.js'

let service: TestApp
let another: TestApp
beforeAll(async () => {
  service = await startTestApp()
  another = await startTestApp({}, undefined, service)
})
afterAll(async () => {
  await another.stop()
  await service.stop()
})

const UPDATE = 'mutation ($id: ID!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }'
const CHANGE = `mutation ($currentPassword: String!, $newPassword: String!) {
  changePassword(currentPassword: $currentPassword, newPassword: $newPassword) }`
const OTHER = 'a quite other password'

const tryLogin = (email: string, password = PASSWORD, app = service) =>
  createClient(app.origin).graphql(LOGIN, { email, password })
const codeOf = ({ body }: Awaited<ReturnType<typeof tryLogin>>) => body.errors?.[0].extensions.code ?? 'done'
const isIn = async (client: ReturnType<typeof withSession>) => codeOf(await client.graphql('{ me { id } }'))

describe('signing in', () => {
  test('opens /graphql with what the role allows, whatever the case of the email', async () => {
    const { id, email, tenant } = await makePerson(service, { name: 'Bia Ramos' })
    const answer = dataOf(await tryLogin(` ${email.toUpperCase()} `))
    expect(answer).toEqual({
      token: expect.stringMatching(/^fl_session_[0-9A-Za-z]{38}$/),
      expiresAt: TIMESTAMP,
      mustChangePassword: false,
    })
    const client = withSession(service.origin, answer.token)
    const fields = 'id kind name email role permissions mustChangePassword account { id }'
    expect(dataOf(await client.graphql(`{ me { ${fields} } }`))).toEqual({
      id,
      kind: 'USER',
      name: 'Bia Ramos',
      email,
      role: 'ADMIN',
      permissions: expect.arrayContaining(['users:write', 'conversations:write']),
      mustChangePassword: false,
      account: { id: tenant.accountId },
    })
    const { contacts } = (await client.graphql('mutation { createContact(input: { name: "Ana" }) { id } }')).body.data
    expect(contacts).toBeUndefined()
    expect(dataOf(await client.graphql('{ contacts { items { name } } }')).items).toEqual([{ name: 'Ana' }])
  })

  test('is stored as hashes alone', async () => {
    const person = await makePerson(service)
    const { token } = await signIn(service, person.email)
    const stored = JSON.stringify(await dumpOf(service.database, person.tenant.accountId))
    expect(stored).not.toContain(token.slice(11, 30))
    expect(stored).not.toContain(PASSWORD)
  })

  test('a manager and a seller may do what their roles may, and nothing of another account', async () => {
    const tenant = await makeTenant(service)
    for (const [role, may] of [
      [UserRole.MANAGER, true],
      [UserRole.SELLER, false],
    ] as const) {
      const { email } = await makePerson(service, { tenant, role })
      const { client } = await signIn(service, email)
      const answer = await client.graphql('mutation { createTag(input: { name: "x", color: "#ffffff" }) { id } }')
      expect(codeOf(answer)).toBe(may ? 'done' : 'INSUFFICIENT_PERMISSIONS')
      const input = { name: 'Eve', email: `${randomUUID()}@example.com` }
      const users = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }'
      expect(failureOf(await client.graphql(users, { input })).requiredPermission).toBe('users:write')
    }
    const stranger = await makePerson(service)
    const { client } = await signIn(service, stranger.email)
    const { id } = await makePerson(service, { tenant })
    expect(codeOf(await client.graphql(UPDATE, { id, input: { name: 'x' } }))).toBe('NOT_FOUND')
  })

  test('says nothing of whether somebody has the email: one answer, and one hashing', async () => {
    const { email, tenant } = await makePerson(service)
    const idle = await makePerson(service, { tenant, isActive: false })
    const gone = await makePerson(service, { tenant, deletedAt: new Date() })
    const without = await makePerson(service, { tenant })
    await service.database.pool.query('update sign_in set password_hash = null where id = $1', [without.id])
    const wrong = [
      [email, 'wrong password'],
      [`${randomUUID()}@example.com`, PASSWORD],
      [idle.email, PASSWORD],
      [gone.email, PASSWORD],
      [without.email, PASSWORD],
      [email, 'x'],
      ['nobody', PASSWORD],
    ]
    const first = (await tryLogin(...(wrong[0] as [string, string]))).text
    for (const [address, password] of wrong) {
      const before = hashed.count
      const { text, status } = await tryLogin(address!, password)
      expect([text, status, hashed.count - before]).toEqual([first, 200, 1])
    }
    expect(JSON.parse(first).errors[0].extensions).toEqual({ code: 'INVALID_CREDENTIALS' })
    expect(await dumpOf(service.database, tenant.accountId)).toMatchObject({ sign_in_session: [] })
  })

  test('white space and the ways to type a letter are as people mean them', async () => {
    const { id, email } = await makePerson(service)
    await givePassword(service.database, id, ' pÁssword with space '.normalize('NFKC'))
    expect(codeOf(await tryLogin(email, ' pÁssword with space '.normalize('NFD')))).toBe('done')
    expect(codeOf(await tryLogin(email, 'pÁssword with space'))).toBe('INVALID_CREDENTIALS')
  })

  test.each([
    [{ email: '', password: PASSWORD }, ['email']],
    [{ email: 'a@example.com', password: '' }, ['password']],
    [{ email: 'x'.repeat(321), password: 'y'.repeat(1025) }, ['email', 'password']],
  ])('a malformed call is refused before anything is hashed: %j', async (variables, fields) => {
    const before = hashed.count
    const { code, details } = failureOf(await createClient(service.origin).graphql(LOGIN, variables))
    expect([code, details.map(({ path }: { path: string[] }) => path[0])]).toEqual(['VALIDATION_ERROR', fields])
    expect(hashed.count).toBe(before)
  })

  test('an email belongs to one person of the service, be it an operator', async () => {
    const { email, tenant } = await makePerson(service)
    const insert = (address: string) =>
      service.database.pool.query("insert into operator (id, name, email) values ($1, 'Op', $2)", [
        randomUUID(),
        address,
      ])
    await expect(insert(email.toUpperCase())).rejects.toMatchObject({ constraint: 'sign_in_email_key' })
    const operator = `op.${randomUUID()}@example.com`
    await insert(operator)
    const create = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }'
    const taken = await tenant.client.graphql(create, { input: { name: 'x', email: operator.toUpperCase() } })
    expect(failureOf(taken)).toEqual({
      code: 'DUPLICATE_ERROR',
      details: [{ path: ['input', 'email'], message: expect.any(String) }],
    })
  })
})

describe('an operator', () => {
  test('signs in the same way, and belongs to no account', async () => {
    const [id, email] = [randomUUID(), `Op.${randomUUID()}@example.com`]
    await service.database.pool.query("insert into operator (id, name, email) values ($1, 'Op', $2)", [id, email])
    await givePassword(service.database, id)
    const { client } = await signIn(service, email)
    const fields = 'id kind email role account { id }'
    expect(dataOf(await client.graphql(`{ me { ${fields} } }`))).toEqual({
      id,
      kind: 'OPERATOR',
      email,
      role: null,
      account: null,
    })
    expect(dataOf(await client.graphql('{ sessions { isCurrent } }'))).toEqual([{ isCurrent: true }])
    expect(codeOf(await client.graphql('{ session { account { id } } }'))).toBe('NOT_FOUND')
    for (const field of ['contacts', 'users', 'opportunities']) {
      expect(codeOf(await client.graphql(`{ ${field} { items { id } } }`))).toBe('INSUFFICIENT_PERMISSIONS')
    }
  })
})

describe('a session', () => {
  test('is no key: REST tells what to send, and keys have none of what is a person’s', async () => {
    const person = await makePerson(service)
    const { token } = await signIn(service, person.email)
    const answer = await createClient(service.origin).get('/contacts', { Authorization: `Bearer ${token}` })
    expect([answer.status, answer.body.error.code]).toEqual([401, 'INVALID_API_KEY'])
    expect(answer.body.error.message).toMatch(/session .* API key/)
    for (const query of [
      '{ me { id } }',
      '{ sessions { id } }',
      'mutation { logout }',
      'mutation { revokeSessions }',
    ]) {
      expect(codeOf(await person.tenant.client.graphql(query))).toBe('SESSION_REQUIRED')
      expect(codeOf(await createClient(service.origin).graphql(query))).toBe('MISSING_API_KEY')
    }
  })

  test('that is unknown, malformed or no longer in force is 401 INVALID_SESSION', async () => {
    const { email } = await makePerson(service)
    const { token } = await signIn(service, email)
    for (const wrong of [makeCredential('fl_session_'), token.slice(0, -1), 'fl_session_']) {
      const { status, body } = await withSession(service.origin, wrong).graphql('{ me { id } }')
      expect([status, body.errors[0].extensions.code]).toEqual([401, 'INVALID_SESSION'])
    }
  })

  test('shows its device, address and last use, and which one asks', async () => {
    const { id, email } = await makePerson(service)
    const response = await fetch(`${service.origin}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'User-Agent': `Dash/1 ${'x'.repeat(300)}` },
      body: JSON.stringify({ query: LOGIN, variables: { email, password: PASSWORD } }),
    })
    const { login } = ((await response.json()) as { data: { login: { token: string } } }).data
    await signIn(service, email)
    const fields = 'id device address createdAt lastUsedAt expiresAt isCurrent'
    const list = dataOf(await withSession(service.origin, login.token).graphql(`{ sessions { ${fields} } }`))
    expect(list).toHaveLength(2)
    const own = list.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent)
    expect(own).toMatchObject({
      address: '127.0.0.1',
      createdAt: TIMESTAMP,
      lastUsedAt: TIMESTAMP,
      expiresAt: TIMESTAMP,
    })
    expect(own.device).toBe(`Dash/1 ${'x'.repeat(248)}`)
    await service.database.pool.query("update sign_in_session set last_used_at = now() - interval '2 h'")
    await service.app.lastUse.flush()
    const { rows } = await service.database.pool.query(
      "select count(*)::int as n from sign_in_session where sign_in_id = $1 and last_used_at > now() - interval '1 h'",
      [id],
    )
    expect(rows[0].n).toBe(1)
  })

  test('ends when it is not used, and in any case at its end', async () => {
    const { email } = await makePerson(service)
    const [idle, old, live] = [await signIn(service, email), await signIn(service, email), await signIn(service, email)]
    const set = (token: string, what: string) =>
      service.database.pool.query(`update sign_in_session set ${what} where hash = sha256($1::bytea)`, [token])
    await set(idle.token, "last_used_at = now() - interval '24 h 1 s'")
    await set(old.token, "expires_at = now() - interval '1 s'")
    await set(live.token, "last_used_at = now() - interval '23 h 59 min'")
    const list = dataOf(await withSession(another.origin, live.token).graphql('{ sessions { id } }'))
    expect(list).toHaveLength(1)
    for (const { token } of [idle, old]) {
      expect(await isIn(withSession(another.origin, token))).toBe('INVALID_SESSION')
    }
  })

  test('is ended by itself, one by one and all together, at once here and within a second elsewhere', async () => {
    const { email } = await makePerson(service)
    const all = await Promise.all(Array.from({ length: 4 }, () => signIn(service, email)))
    const [a, b, c, d] = all.map(({ token }) => ({
      here: withSession(service.origin, token),
      there: withSession(another.origin, token),
    }))
    for (const { here, there } of [a!, b!, c!, d!])
      expect([await isIn(here), await isIn(there)]).toEqual(['done', 'done'])
    expect(dataOf(await a!.here.graphql('mutation { logout }'))).toBe(true)
    expect(await isIn(a!.here)).toBe('INVALID_SESSION')
    const list = dataOf(await b!.here.graphql('{ sessions { id isCurrent } }'))
    expect(list).toHaveLength(3)
    const { id } = list.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
    const revoke = 'mutation ($id: ID!) { revokeSession(id: $id) }'
    expect(dataOf(await b!.here.graphql(revoke, { id }))).toBe(true)
    expect(codeOf(await b!.here.graphql(revoke, { id }))).toBe('NOT_FOUND')
    expect(dataOf(await b!.here.graphql('mutation { revokeSessions(keepThis: true) }'))).toBe(1)
    expect([await isIn(b!.here), await isIn(c!.here), await isIn(d!.here)]).toEqual([
      'done',
      'INVALID_SESSION',
      'INVALID_SESSION',
    ])
    await delay(1000)
    for (const { there } of [a!, c!, d!]) expect(await isIn(there)).toBe('INVALID_SESSION')
    expect(dataOf(await b!.here.graphql('mutation { revokeSessions }'))).toBe(1)
    expect(await isIn(b!.here)).toBe('INVALID_SESSION')
  })

  test('of somebody else is not found', async () => {
    const tenant = await makeTenant(service)
    const [mine, theirs] = [await makePerson(service, { tenant }), await makePerson(service, { tenant })]
    const [{ client }, other] = [await signIn(service, mine.email), await signIn(service, theirs.email)]
    const [{ id }] = dataOf(await other.client.graphql('{ sessions { id } }'))
    for (const target of [id, randomUUID(), 'nothing', '']) {
      const answer = await client.graphql('mutation ($id: ID!) { revokeSession(id: $id) }', { id: target })
      expect(codeOf(answer)).toBe('NOT_FOUND')
    }
    expect(await isIn(other.client)).toBe('done')
  })

  test('that is ended beside its use or beside another end is ended once', async () => {
    const { email } = await makePerson(service)
    const { client } = await signIn(service, email)
    const uses = Array.from({ length: 10 }, () => client.graphql('{ me { id } }'))
    const ends = Array.from({ length: 4 }, () => client.graphql('mutation { revokeSessions }'))
    const counts = (await Promise.all(ends)).map(({ body }) => body.data?.revokeSessions ?? 0)
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(1)
    for (const answer of await Promise.all(uses)) expect(['done', 'INVALID_SESSION']).toContain(codeOf(answer))
    expect(await isIn(client)).toBe('INVALID_SESSION')
  })
})

describe('a password', () => {
  test('is changed with the present one; other sessions end and the one that asks goes on', async () => {
    const { email } = await makePerson(service)
    const [mine, other] = [await signIn(service, email), await signIn(service, email)]
    const wrong = await mine.client.graphql(CHANGE, { currentPassword: 'not this one', newPassword: OTHER })
    expect(failureOf(wrong)).toEqual({ code: 'INVALID_CREDENTIALS' })
    expect(await isIn(other.client)).toBe('done')
    dataOf(await mine.client.graphql(CHANGE, { currentPassword: PASSWORD, newPassword: OTHER }))
    expect([await isIn(mine.client), await isIn(other.client)]).toEqual(['done', 'INVALID_SESSION'])
    expect([codeOf(await tryLogin(email)), codeOf(await tryLogin(email, OTHER))]).toEqual([
      'INVALID_CREDENTIALS',
      'done',
    ])
  })

  test.each([
    ['short', 'ab3 d6 8'],
    ['long', 'ab3d'.repeat(51)],
    ['white space', ' '.repeat(12)],
    ['uniform', 'abababababab'],
    ['the present one', PASSWORD],
  ])('is not changed to one that is %s', async (_, newPassword) => {
    const { email } = await makePerson(service)
    const { client } = await signIn(service, email)
    const answer = await client.graphql(CHANGE, { currentPassword: PASSWORD, newPassword })
    expect(failureOf(answer)).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: ['newPassword'] }] })
    expect(answer.text).not.toContain(newPassword)
    expect(codeOf(await tryLogin(email))).toBe('done')
  })

  test('or the email address in it', async () => {
    const { email } = await makePerson(service)
    const { client } = await signIn(service, email)
    const answer = await client.graphql(CHANGE, { currentPassword: PASSWORD, newPassword: `my ${email}` })
    expect(failureOf(answer).code).toBe('VALIDATION_ERROR')
  })

  test('that is temporary must be changed before anything else, along whatever path', async () => {
    const { email } = await makePerson(service, { temporary: true })
    expect(dataOf(await tryLogin(email)).mustChangePassword).toBe(true)
    const { client } = await signIn(service, email)
    for (const query of [
      '{ contacts { items { id } } }',
      '{ session { account { id } } }',
      '{ service { version } }',
      '{ sessions { id } }',
      'mutation { revokeSessions }',
      '{ me { id } contacts { items { id } } }',
      'mutation { logout createTag(input: { name: "x", color: "#ffffff" }) { id } }',
    ]) {
      const answer = await client.graphql(query)
      expect([query, codeOf(answer), answer.body.data]).toEqual([query, 'PASSWORD_CHANGE_REQUIRED', undefined])
    }
    expect(dataOf(await client.graphql('{ me { permissions mustChangePassword } }'))).toEqual({
      permissions: [],
      mustChangePassword: true,
    })
    dataOf(await client.graphql(CHANGE, { currentPassword: PASSWORD, newPassword: OTHER }))
    expect(dataOf(await client.graphql('{ contacts { items { id } } }'))).toEqual({ items: [] })
    expect(dataOf(await tryLogin(email, OTHER)).mustChangePassword).toBe(false)
  })

  test('changed by several at once is changed by one', async () => {
    for (let round = 0; round < 3; round++) {
      const { email } = await makePerson(service)
      const clients = await Promise.all([1, 2, 3].map(() => signIn(service, email)))
      const answers = await Promise.all(
        clients.map(({ client }, i) =>
          client.graphql(CHANGE, { currentPassword: PASSWORD, newPassword: `${OTHER} ${i}` }),
        ),
      )
      const codes = answers.map(codeOf)
      expect(codes.filter((code) => code === 'done')).toHaveLength(1)
      for (const code of codes) expect(['done', 'INVALID_SESSION', 'INVALID_CREDENTIALS']).toContain(code)
      const live = await Promise.all(clients.map(({ client }) => isIn(client)))
      expect(live.map((code) => code === 'done')).toEqual(codes.map((code) => code === 'done'))
    }
  })

  test('lets nobody in with the old one who signs in beside the change', async () => {
    for (let round = 0; round < 4; round++) {
      const { id, email } = await makePerson(service)
      const { client } = await signIn(service, email)
      const logins = Array.from({ length: 3 }, () => tryLogin(email, PASSWORD, round % 2 ? another : service))
      dataOf(await client.graphql(CHANGE, { currentPassword: PASSWORD, newPassword: OTHER }))
      for (const answer of await Promise.all(logins)) expect(['done', 'INVALID_CREDENTIALS']).toContain(codeOf(answer))
      const { rows } = await service.database.pool.query('select 1 from sign_in_session where sign_in_id = $1', [id])
      expect(rows).toHaveLength(1)
    }
  })
})

describe('a user who', () => {
  test('is deactivated is shut out at once, also for when it comes back', async () => {
    const admin = await makePerson(service)
    const { client } = await signIn(service, admin.email)
    const { id, email } = await makePerson(service, { tenant: admin.tenant })
    const session = await signIn(service, email)
    expect(await isIn(session.client)).toBe('done')
    dataOf(await client.graphql(UPDATE, { id, input: { isActive: false } }))
    expect(await isIn(session.client)).toBe('INVALID_SESSION')
    expect(codeOf(await tryLogin(email))).toBe('INVALID_CREDENTIALS')
    dataOf(await client.graphql(UPDATE, { id, input: { isActive: true } }))
    expect(await isIn(session.client)).toBe('INVALID_SESSION')
    expect(codeOf(await tryLogin(email))).toBe('done')
  })

  test('is deleted is shut out at once', async () => {
    const admin = await makePerson(service)
    const { client } = await signIn(service, admin.email)
    const { id, email } = await makePerson(service, { tenant: admin.tenant })
    const session = await signIn(service, email)
    expect(await isIn(session.client)).toBe('done')
    dataOf(await client.graphql('mutation ($id: ID!) { deleteUser(id: $id) { id } }', { id }))
    expect([await isIn(session.client), codeOf(await tryLogin(email))]).toEqual([
      'INVALID_SESSION',
      'INVALID_CREDENTIALS',
    ])
  })

  test('gets another role may at once do what that allows', async () => {
    const admin = await makePerson(service)
    const { client } = await signIn(service, admin.email)
    const { id, email } = await makePerson(service, { tenant: admin.tenant, role: UserRole.SELLER })
    const session = await signIn(service, email)
    const act = () => session.client.graphql('mutation { createTag(input: { name: "x", color: "#ffffff" }) { id } }')
    expect(codeOf(await act())).toBe('INSUFFICIENT_PERMISSIONS')
    dataOf(await client.graphql(UPDATE, { id, input: { role: 'MANAGER' } }))
    expect(codeOf(await act())).toBe('done')
  })

  test('is deactivated beside signing in has no session afterwards', async () => {
    const admin = await makePerson(service)
    const { client } = await signIn(service, admin.email)
    for (let round = 0; round < 4; round++) {
      const { id, email } = await makePerson(service, { tenant: admin.tenant })
      const logins = Array.from({ length: 3 }, () => tryLogin(email, PASSWORD, round % 2 ? another : service))
      await delay(round * 10)
      dataOf(await client.graphql(UPDATE, { id, input: { isActive: false } }))
      for (const answer of await Promise.all(logins)) expect(['done', 'INVALID_CREDENTIALS']).toContain(codeOf(answer))
      const { rows } = await service.database.pool.query('select 1 from sign_in_session where sign_in_id = $1', [id])
      expect(rows).toEqual([])
    }
  })

  test('is one of two last admins stays one when both are lowered at once, by each other', async () => {
    for (let round = 0; round < 4; round++) {
      const tenant = await makeTenant(service)
      await service.database.pool.query("update app_user set role = 'seller' where account_id = $1", [tenant.accountId])
      const people = [await makePerson(service, { tenant }), await makePerson(service, { tenant })]
      const [a, b] = await Promise.all(people.map(({ email }) => signIn(service, email)))
      const input = round % 2 ? { isActive: false } : { role: 'SELLER' }
      await Promise.all([
        a!.client.graphql(UPDATE, { id: people[1]!.id, input }),
        b!.client.graphql(UPDATE, { id: people[0]!.id, input }),
      ])
      const { rows } = await service.database.pool.query(
        "select 1 from app_user where account_id = $1 and role = 'admin' and is_active",
        [tenant.accountId],
      )
      expect(rows).toHaveLength(1)
    }
  })
})

describe('attempts', () => {
  let limited: TestApp
  beforeAll(async () => {
    limited = await startTestApp({ trustProxy: 1 })
  })
  afterAll(() => limited.stop())

  const from = async (address: string, email: string, password: string) => {
    const response = await fetch(`${limited.origin}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
      body: JSON.stringify({ query: LOGIN, variables: { email, password } }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: an answer of whatever shape
    const { errors } = (await response.json()) as any
    return errors?.[0].extensions ?? { code: 'done' }
  }
  const later = (seconds: number) =>
    limited.database.pool.query(
      `update sign_in_attempt set wait_until = wait_until - make_interval(secs => $1), last_at = last_at - make_interval(secs => $1)`,
      [seconds],
    )

  test('on one email wait longer and longer after five failures, from wherever they come; others go on', async () => {
    const { email } = await makePerson(limited)
    const other = await makePerson(limited)
    for (let i = 0; i < 5; i++)
      expect(await from(`10.0.0.${i}`, email, 'wrong')).toEqual({ code: 'INVALID_CREDENTIALS' })
    for (const seconds of [1, 2, 4, 8]) {
      expect(await from('10.0.1.1', email.toUpperCase(), 'wrong')).toEqual({ code: 'INVALID_CREDENTIALS' })
      const before = hashed.count
      const refused = await from('10.0.1.2', email, PASSWORD)
      expect(refused).toEqual({ code: 'RATE_LIMIT_EXCEEDED', retryAfter: expect.any(Number) })
      expect(refused.retryAfter).toBeLessThanOrEqual(seconds)
      expect(hashed.count).toBe(before)
      await later(seconds)
    }
    expect(await from('10.0.1.1', other.email, PASSWORD)).toEqual({ code: 'done' })
    expect(await from('10.0.1.2', email, PASSWORD)).toEqual({ code: 'done' })
    for (let i = 0; i < 5; i++) expect((await from('10.0.0.9', email, 'wrong')).code).toBe('INVALID_CREDENTIALS')
  })

  test('on an email that nobody has are limited in the same way', async () => {
    const email = `${randomUUID()}@example.com`
    const codes: string[] = []
    // On a machine that is busy elsewhere the first waits, of a second and two, may be over before the next attempt.
    while (codes.at(-1) !== 'RATE_LIMIT_EXCEEDED' && codes.length < 12) {
      codes.push((await from('10.1.0.1', email, 'wrong')).code)
    }
    expect(codes.slice(0, 6)).toEqual(Array(6).fill('INVALID_CREDENTIALS'))
    expect(codes.at(-1)).toBe('RATE_LIMIT_EXCEEDED')
  })

  test('that come together are no way around the limit', async () => {
    const { email } = await makePerson(limited)
    const answers = await Promise.all(Array.from({ length: 30 }, () => from('10.2.0.1', email, 'wrong')))
    const wrong = answers.filter(({ code }) => code === 'INVALID_CREDENTIALS')
    expect(wrong.length).toBeLessThanOrEqual(7)
    expect(answers.filter(({ code }) => code === 'RATE_LIMIT_EXCEEDED')).toHaveLength(30 - wrong.length)
  })

  test('from one address, or one network of IPv6, wait after fifty failures; people elsewhere do not', async () => {
    const good = await makePerson(limited)
    for (const [host, neighbour, stranger] of [
      ['10.3.0.1', '10.3.0.1', '10.3.0.2'],
      ['2001:db8:1:2::5', '2001:db8:1:2:9::1', '2001:db8:1:3::5'],
    ] as const) {
      for (let i = 0; i < 51; i++) await from(host, `${randomUUID()}@example.com`, 'wrong')
      expect((await from(neighbour, good.email, PASSWORD)).code).toBe('RATE_LIMIT_EXCEEDED')
      expect((await from(stranger, good.email, PASSWORD)).code).toBe('done')
      await later(2)
      expect((await from(neighbour, good.email, PASSWORD)).code).toBe('done')
    }
  })

  test('on a password through a stolen session are limited too', async () => {
    const { email } = await makePerson(limited)
    const { client } = await signIn(limited, email)
    const change = () => client.graphql(CHANGE, { currentPassword: 'a guess', newPassword: OTHER })
    const codes: string[] = []
    // The first wait is a second, which a guess on a busy machine may take itself; the next ones double.
    while (codes.at(-1) !== 'RATE_LIMIT_EXCEEDED' && codes.length < 15) codes.push(codeOf(await change()))
    const guesses = codes.slice(0, -1)
    expect(guesses.length).toBeGreaterThanOrEqual(6)
    expect(codes).toEqual([...guesses.fill('INVALID_CREDENTIALS'), 'RATE_LIMIT_EXCEEDED'])
  })
})
