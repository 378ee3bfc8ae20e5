import { randomUUID } from 'node:crypto'
import { hashed, mailer } from '../../src/domains/sessions/index.js'
import { makeCredential } from '../../src/shared/credential.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { LOGIN, makePerson, PASSWORD, type Person, signIn } from '../support/factories/people.js'
import { makeTenant } from '../support/factories.js'
import { dataOf, failureOf, faultsOf } from '../support/graphql.js'
import { Mailbox, tellAll, tokenIn } from '../support/mail.js'

let mailbox: Mailbox
let service: TestApp
let anybody: Client
beforeAll(async () => {
  mailbox = await Mailbox.make()
  service = await startTestApp({ dataDir: mailbox.dataDir, publicUrl: 'https://dash.example.com/fairlead' })
  anybody = createClient(service.origin)
})
beforeEach(() => service.database.pool.query('truncate sign_in_attempt'))
afterAll(async () => {
  await service.stop()
  await mailbox.remove()
})

const REQUEST = 'mutation ($email: String!) { requestPasswordReset(email: $email) }'
const RESET = 'mutation ($token: String!, $password: String!) { resetPassword(token: $token, password: $password) }'
const ACCEPT = RESET.replace('resetPassword', 'acceptInvitation')
const UPDATE = 'mutation ($id: ID!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }'
const NEW = 'a quite other password'

const request = (email: string, client = anybody) => client.graphql(REQUEST, { email })
const reset = (token: string, password = NEW) => anybody.graphql(RESET, { token, password })
const codeOf = ({ body }: Awaited<ReturnType<Client['graphql']>>) => body.errors?.[0].extensions.code ?? 'done'
const tryLogin = async (email: string, password: string) => codeOf(await anybody.graphql(LOGIN, { email, password }))

/** Asks for a link, and takes it from the mail. */
async function linkFor(email: string): Promise<string> {
  expect(dataOf(await request(email))).toBe(true)
  expect(await tellAll(service.database)).toEqual([])
  return mailbox.tokenTo(email)
}

test('a mailed link gives another password, and ends sessions and a temporary one', async () => {
  const { id, email, tenant } = await makePerson(service, { name: 'Bia Ramos', temporary: true })
  const { client } = await signIn(service, email)
  const token = await linkFor(email)
  const mail = (await mailbox.to(email))[0]!
  expect(mail).toMatchObject({
    subject: 'Choose a new password',
    from: { text: '"Fairlead" <no-reply@dash.example.com>' },
  })
  expect(mail.text).toContain('Hello Bia Ramos,')
  expect(mail.text).toContain(`https://dash.example.com/fairlead/reset-password#token=${token}\n`)
  expect(token).toMatch(/^fl_link_[0-9A-Za-z]{38}$/)
  expect(codeOf(await client.graphql('{ me { id } }'))).toBe('done')

  expect(dataOf(await reset(token))).toBe(true)
  expect(codeOf(await client.graphql('{ me { id } }'))).toBe('INVALID_SESSION')
  expect(await tryLogin(email, PASSWORD)).toBe('INVALID_CREDENTIALS')
  const again = await signIn(service, email, NEW)
  expect(dataOf(await again.client.graphql('{ me { mustChangePassword } }'))).toEqual({ mustChangePassword: false })
  expect(codeOf(await reset(token, 'yet another password'))).toBe('INVALID_LINK')
  expect(await mailbox.to(email)).toHaveLength(1)

  const list = '{ auditEntries(filter: { subjectKind: "user" }) { items { action subjectId } } }'
  const { items } = dataOf(await tenant.client.graphql(list))
  expect(items).toContainEqual({ action: 'password_changed', subjectId: id })
})

test('an operator, and whoever asks with a key of another account, gets one too', async () => {
  const [id, email] = [randomUUID(), `op.${randomUUID()}@example.com`]
  await service.database.pool.query("insert into operator (id, name, email) values ($1, 'Op', $2)", [id, email])
  expect(dataOf(await reset(await linkFor(email)))).toBe(true)
  expect(await tryLogin(email, NEW)).toBe('done')

  const person = await makePerson(service)
  const { client } = await makeTenant(service)
  expect(dataOf(await request(person.email.toUpperCase(), client))).toBe(true)
  await tellAll(service.database)
  expect(codeOf(await reset(await mailbox.tokenTo(person.email)))).toBe('done')
})

test('neither the answer nor what it takes tells whether somebody has the email', async () => {
  const { email, tenant } = await makePerson(service)
  const idle = await makePerson(service, { tenant, isActive: false })
  const gone = await makePerson(service, { tenant, deletedAt: new Date() })
  await request(`${randomUUID()}@example.com`) // what a first call prepares
  const known = await service.statementsOf(() => request(email))
  for (const address of [`${randomUUID()}@example.com`, 'nobody', idle.email, gone.email]) {
    const { result, statements } = await service.statementsOf(() => request(address))
    expect([result.status, result.text]).toEqual([200, known.result.text])
    expect(statements.length).toBe(known.statements.length)
  }
  const before = (await mailbox.files()).length
  expect(await tellAll(service.database)).toEqual([])
  expect((await mailbox.files()).length - before).toBe(1)
  expect(await mailbox.to(email)).toHaveLength(1)
})

test('a link that is used by several at once works once', async () => {
  const { email } = await makePerson(service)
  const token = await linkFor(email)
  const passwords = Array.from({ length: 5 }, (_, i) => `password number ${i}`)
  const codes = (await Promise.all(passwords.map((password) => reset(token, password)))).map(codeOf)
  expect(codes.toSorted()).toEqual([...Array(4).fill('INVALID_LINK'), 'done'])
  expect(await tryLogin(email, passwords[codes.indexOf('done')]!)).toBe('done')
})

describe('a link works no longer', () => {
  test.each<[string, (person: Person, admin: Client) => Promise<unknown>]>([
    [
      'after an hour',
      ({ id }) =>
        service.database.pool.query(
          "update sign_in_link set expires_at = expires_at - interval '1 h' where sign_in_id = $1",
          [id],
        ),
    ],
    ['after a newer one was mailed', ({ email }) => linkFor(email)],
    [
      'after the password was changed',
      async ({ email }) => {
        const change = `mutation { changePassword(currentPassword: "${PASSWORD}", newPassword: "in between, chosen") }`
        return dataOf(await (await signIn(service, email)).client.graphql(change))
      },
    ],
    [
      'after its email became another',
      async ({ id }, admin) =>
        dataOf(await admin.graphql(UPDATE, { id, input: { email: `${randomUUID()}@example.com` } })),
    ],
    [
      'of a user who was deactivated, be it that they are active again',
      async ({ id }, admin) => {
        for (const isActive of [false, true]) {
          dataOf(await admin.graphql(UPDATE, { id, input: { isActive } }))
        }
      },
    ],
    [
      'of a user who was deleted',
      async ({ id }, admin) =>
        dataOf(await admin.graphql('mutation ($id: ID!) { deleteUser(id: $id) { id } }', { id })),
    ],
  ])('%s', async (_, happens) => {
    const person = await makePerson(service)
    const admin = await makePerson(service, { tenant: person.tenant })
    const token = await linkFor(person.email)
    await happens(person, (await signIn(service, admin.email)).client)
    const { rows } = await service.database.pool.query('select password_hash from sign_in where id = $1', [person.id])
    const before = hashed.count
    expect(failureOf(await reset(token)).code).toBe('INVALID_LINK')
    expect(hashed.count).toBe(before)
    const after = await service.database.pool.query('select password_hash from sign_in where id = $1', [person.id])
    expect(after.rows).toEqual(rows)
  })

  test('a link of another kind, an unknown one and none are refused', async () => {
    const { email } = await makePerson(service)
    const token = await linkFor(email)
    expect(codeOf(await anybody.graphql(ACCEPT, { token, password: NEW }))).toBe('INVALID_LINK')
    for (const wrong of [makeCredential('fl_link_'), token.slice(0, -1), 'x']) {
      expect(codeOf(await reset(wrong))).toBe('INVALID_LINK')
    }
    expect(codeOf(await reset(token))).toBe('done')
  })
})

test('a password that is too easy is refused, and the link stays', async () => {
  const { email } = await makePerson(service)
  const token = await linkFor(email)
  for (const [password, fault] of [
    ['short', 'password: must have at least 10 characters'],
    ['aaaaaaaaaaaa', 'password: must have more than three different characters'],
    [`x ${email}`, 'password: must not contain the email address'],
  ] as const) {
    expect(faultsOf(await reset(token, password))).toEqual([fault])
  }
  expect(codeOf(await reset(token))).toBe('done')
})

test('asking again and again has to wait, and keeps nobody from signing in', async () => {
  const { email } = await makePerson(service)
  const codes: string[] = []
  for (let i = 0; i < 7; i++) codes.push(codeOf(await request(i % 2 ? email : email.toUpperCase())))
  expect(codes).toEqual([...Array(6).fill('done'), 'RATE_LIMIT_EXCEEDED'])
  expect(failureOf(await request(email)).retryAfter).toBeGreaterThan(0)
  expect(await tryLogin(email, PASSWORD)).toBe('done')
  await tellAll(service.database)
})

const refusing = { atOnce: 1, close: () => {} }

test('a mail that could not be sent is sent later, with a link that works', async () => {
  const { email } = await makePerson(service)
  const { needs } = service.database
  const sandbox = needs.get(mailer)
  needs.provide(mailer, {
    ...refusing,
    send: async (mail) => {
      await sandbox.send(mail)
      throw new Error('the connection broke after the mail was sent')
    },
  })
  await request(email)
  expect(await tellAll(service.database)).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/broke/) }),
  ])
  needs.provide(mailer, sandbox)
  expect(await tellAll(service.database)).toEqual([])
  const [lost, arrived] = (await mailbox.to(email)).map(tokenIn)
  expect(codeOf(await reset(lost!))).toBe('INVALID_LINK')
  expect(codeOf(await reset(arrived!))).toBe('done')
})

test('while a mail is handed over nobody is held, and what may pass is tried again', async () => {
  const { email } = await makePerson(service)
  const { needs, pool } = service.database
  const sandbox = needs.get(mailer)
  needs.provide(mailer, {
    ...refusing,
    send: async (mail) => {
      await pool.query('select from app_user where email = $1 for update nowait', [email])
      await pool.query('select from sign_in where email_key = lower($1) for update nowait', [email])
      await sandbox.send(mail)
      return { outcome: 'later', reason: 'greylisted' }
    },
  })
  await request(email)
  const [failure, ...more] = await tellAll(service.database)
  expect([failure, more]).toEqual([expect.objectContaining({ message: expect.stringMatching(/greylisted/) }), []])
  needs.provide(mailer, sandbox)
  expect(await tellAll(service.database)).toEqual([])
  expect(codeOf(await reset(tokenIn((await mailbox.to(email)).at(-1)!)))).toBe('done')
})

test('links are stored as hashes alone, and no log has one', async () => {
  const { email, tenant } = await makePerson(service)
  const token = await linkFor(email)
  const stored = await dumpOf(service.database, tenant.accountId)
  expect(stored.sign_in_link).toHaveLength(1)
  expect(JSON.stringify(stored)).not.toContain(token.slice(8, 30))
  await reset(token)
  await anybody.graphql(`mutation { resetPassword(token: "${token}", password: "${NEW}") }`)
  expect(JSON.stringify(service.logs())).not.toContain(token.slice(8, 30))
})
