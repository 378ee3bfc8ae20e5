import { randomUUID } from 'node:crypto'
import { UserRole } from '../../src/domains/users/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { LOGIN, makePerson, signIn } from '../support/factories/people.js'
import { makeKey, makeTenant, type Tenant } from '../support/factories.js'
import { dataOf, failureOf, faultsOf } from '../support/graphql.js'
import { Mailbox, tellAll, tokenIn } from '../support/mail.js'
import { TestSmtp } from '../support/smtp.js'

let mailbox: Mailbox
let service: TestApp
let anybody: Client
beforeAll(async () => {
  mailbox = await Mailbox.make()
  service = await startTestApp({ dataDir: mailbox.dataDir, publicUrl: 'https://dash.example.com' })
  anybody = createClient(service.origin)
})
afterAll(async () => {
  await service.stop()
  await mailbox.remove()
})

const INVITE = 'mutation ($input: InviteUserInput!) { inviteUser(input: $input) { id name email role isActive } }'
const RESEND = 'mutation ($userId: ID!) { resendInvitation(userId: $userId) }'
const ACCEPT = 'mutation ($token: String!, $password: String!) { acceptInvitation(token: $token, password: $password) }'
const UPDATE = 'mutation ($id: ID!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }'
const CHOSEN = 'a password of my own'

const newEmail = () => `Caio.${randomUUID()}@example.com`
const accept = (token: string, password = CHOSEN) => anybody.graphql(ACCEPT, { token, password })
const codeOf = ({ body }: Awaited<ReturnType<Client['graphql']>>) => body.errors?.[0].extensions.code ?? 'done'

/** Invites somebody, and takes the link from the mail. */
async function invite({ client }: Tenant, input: Record<string, unknown> = {}) {
  const email = newEmail()
  const { id } = dataOf(await client.graphql(INVITE, { input: { name: 'Caio Melo', email, ...input } }))
  expect(await tellAll(service.database)).toEqual([])
  return { id: id as string, email, token: await mailbox.tokenTo(email) }
}

test('who is invited gets a mail, chooses a password and signs in', async () => {
  const boss = await makePerson(service)
  const { client } = await signIn(service, boss.email)
  await service.database.pool.query('update account set name = $2 where id = $1', [
    boss.tenant.accountId,
    'Casa\nBcc: eve@example.com',
  ])
  const sector = dataOf(await client.graphql('mutation { createSector(input: { name: "South" }) { id } }'))
  const email = newEmail()
  const input = { name: 'Caio Melo', email, role: 'MANAGER', sectorId: sector.id }
  const user = dataOf(await client.graphql(INVITE, { input }))
  expect(user).toEqual({ id: expect.any(String), name: 'Caio Melo', email, role: 'MANAGER', isActive: true })
  await tellAll(service.database)
  const mails = await mailbox.to(email)
  expect(mails).toHaveLength(1)
  expect(mails[0]!.subject).toBe('Invitation to Casa Bcc: eve@example.com')
  expect(mails[0]!.headerLines.filter(({ key }) => key === 'bcc')).toEqual([])
  const token = tokenIn(mails[0]!)
  expect(mails[0]!.text).toContain(`https://dash.example.com/accept-invitation#token=${token}\n`)

  expect(codeOf(await anybody.graphql(LOGIN, { email, password: CHOSEN }))).toBe('INVALID_CREDENTIALS')
  expect(faultsOf(await accept(token, 'short'))).toEqual(['password: must have at least 10 characters'])
  expect(dataOf(await accept(token))).toBe(true)
  const session = await signIn(service, email, CHOSEN)
  expect(dataOf(await session.client.graphql('{ me { id role mustChangePassword account { id } } }'))).toEqual({
    id: user.id,
    role: 'MANAGER',
    mustChangePassword: false,
    account: { id: boss.tenant.accountId },
  })
  expect(failureOf(await accept(token)).code).toBe('INVALID_LINK')
  expect(faultsOf(await client.graphql(RESEND, { userId: user.id }))).toEqual([
    'userId: is the id of a user who has a password already',
  ])
})

test('takes users:write, and nobody invites with more than they hold', async () => {
  const tenant = await makeTenant(service)
  const { id } = await invite(tenant)
  const sector = dataOf(await tenant.client.graphql('mutation { createSector(input: { name: "South" }) { id } }'))
  const before = await dumpOf(service.database, tenant.accountId)
  const input = { name: 'Eve', email: newEmail(), sectorId: sector.id }
  for (const [query, variables] of [
    [INVITE, { input }],
    [RESEND, { userId: id }],
  ] as const) {
    expect(codeOf(await anybody.graphql(query, variables))).toBe('MISSING_API_KEY')
    const reader = await makeKey(service.database, tenant.accountId, { permissions: ['settings:write', 'users:read'] })
    const answer = await createClient(service.origin, reader.secret).graphql(query, variables)
    expect(failureOf(answer).requiredPermission).toBe('users:write')
    const { secret } = await makeKey(service.database, tenant.accountId, { permissions: ['users:read', 'users:write'] })
    expect(codeOf(await createClient(service.origin, secret).graphql(query, variables))).toBe(
      'INSUFFICIENT_PERMISSIONS',
    )
  }
  const admin = await makePerson(service, { tenant, role: UserRole.MANAGER })
  const { client } = await signIn(service, admin.email)
  expect(failureOf(await client.graphql(INVITE, { input })).requiredPermission).toBe('users:write')
  const { api_key, app_user, outbox, sign_in_link } = await dumpOf(service.database, tenant.accountId)
  expect({ outbox, sign_in_link, users: app_user!.length - 1 }).toEqual({
    outbox: before.outbox,
    sign_in_link: before.sign_in_link,
    users: before.app_user!.length,
  })
  expect(api_key!.length).toBeGreaterThan(before.api_key!.length)
})

test('finds nothing of another account, and no id that is none', async () => {
  const [mine, theirs] = [await makeTenant(service), await makeTenant(service)]
  const { id, token } = await invite(theirs)
  const before = await dumpOf(service.database, theirs.accountId)
  for (const userId of [id, randomUUID(), 'nobody', '']) {
    expect(codeOf(await mine.client.graphql(RESEND, { userId }))).toBe('NOT_FOUND')
  }
  const foreign = dataOf(await theirs.client.graphql('mutation { createSector(input: { name: "South" }) { id } }'))
  const input = { name: 'Eve', email: newEmail(), sectorId: foreign.id }
  expect(faultsOf(await mine.client.graphql(INVITE, { input }))).toEqual(['input.sectorId: is not the id of a sector'])
  expect({ ...(await dumpOf(service.database, theirs.accountId)), sector: [] }).toEqual({ ...before, sector: [] })
  expect(codeOf(await accept(token))).toBe('done')
})

test.each([
  [{ name: ' ', email: 'eve@example.com' }, ['input.name']],
  [{ name: 'Eve', email: 'eve@example.com\r\nBcc: x@example.com' }, ['input.email']],
  [{ name: 'Eve', email: 'a@example.com, b@example.com', sectorId: 'x' }, ['input.email', 'input.sectorId']],
  [{ name: 'x'.repeat(256), email: 'eve', role: null }, ['input.name', 'input.email', 'input.role']],
])('invalid input creates nobody and mails nothing: %j', async (input, fields) => {
  const tenant = await makeTenant(service)
  const before = await dumpOf(service.database, tenant.accountId)
  const faults = faultsOf(await tenant.client.graphql(INVITE, { input }))
  expect(faults.map((fault) => fault.split(':')[0]).toSorted()).toEqual(fields.toSorted())
  expect(await dumpOf(service.database, tenant.accountId)).toEqual(before)
})

test('an email that somebody of the service has is taken, and nothing is mailed', async () => {
  const [mine, theirs] = [await makeTenant(service), await makeTenant(service)]
  const { id, email } = await invite(theirs)
  const input = { name: 'Eve', email: email.toUpperCase() }
  for (const [tenant, extra] of [
    [theirs, { existingId: id }],
    [mine, {}],
  ] as const) {
    const before = await dumpOf(service.database, tenant.accountId)
    expect(failureOf(await tenant.client.graphql(INVITE, { input }))).toEqual({
      code: 'DUPLICATE_ERROR',
      details: [{ path: ['input', 'email'], message: 'another user has this email', ...extra }],
    })
    expect(await dumpOf(service.database, tenant.accountId)).toEqual(before)
  }
  await tellAll(service.database)
  expect(await mailbox.to(email)).toHaveLength(1)
})

test('of several invitations of one email at once one is made and mailed', async () => {
  const tenant = await makeTenant(service)
  const input = { name: 'Caio', email: newEmail() }
  const answers = await Promise.all(Array.from({ length: 4 }, () => tenant.client.graphql(INVITE, { input })))
  expect(answers.map(codeOf).toSorted()).toEqual([...Array(3).fill('DUPLICATE_ERROR'), 'done'])
  await tellAll(service.database)
  expect(await mailbox.to(input.email)).toHaveLength(1)
})

test('another invitation takes the place of the first; also of who was created without one', async () => {
  const tenant = await makeTenant(service)
  const { id, email, token } = await invite(tenant)
  expect(dataOf(await tenant.client.graphql(RESEND, { userId: id }))).toBe(true)
  await tellAll(service.database)
  expect(codeOf(await accept(token))).toBe('INVALID_LINK')
  expect(codeOf(await accept(await mailbox.tokenTo(email)))).toBe('done')

  const create = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }'
  const input = { name: 'Duda', email: newEmail() }
  const user = dataOf(await tenant.client.graphql(create, { input }))
  expect(dataOf(await tenant.client.graphql(RESEND, { userId: user.id }))).toBe(true)
  await tellAll(service.database)
  expect(codeOf(await accept(await mailbox.tokenTo(input.email)))).toBe('done')
})

test('a link that is used by several at once works once', async () => {
  const { email, token } = await invite(await makeTenant(service))
  const passwords = Array.from({ length: 5 }, (_, i) => `password number ${i}`)
  const codes = (await Promise.all(passwords.map((password) => accept(token, password)))).map(codeOf)
  expect(codes.toSorted()).toEqual([...Array(4).fill('INVALID_LINK'), 'done'])
  await signIn(service, email, passwords[codes.indexOf('done')]!)
})

test('a link ends after seven days, and with a user who is deactivated or deleted', async () => {
  const tenant = await makeTenant(service)
  const { client } = tenant
  const late = await invite(tenant)
  const shift = 'update sign_in_link set expires_at = expires_at - $2::interval where sign_in_id = $1'
  await service.database.pool.query(shift, [late.id, '167 h 59 min'])
  expect(faultsOf(await accept(late.token, 'short'))).toHaveLength(1) // still in force
  await service.database.pool.query(shift, [late.id, '1 min'])
  expect(codeOf(await accept(late.token))).toBe('INVALID_LINK')

  const idle = await invite(tenant)
  dataOf(await client.graphql(UPDATE, { id: idle.id, input: { isActive: false } }))
  expect(codeOf(await accept(idle.token))).toBe('INVALID_LINK')
  expect(faultsOf(await client.graphql(RESEND, { userId: idle.id }))).toEqual([
    'userId: is the id of a user who is not active',
  ])
  dataOf(await client.graphql(UPDATE, { id: idle.id, input: { isActive: true } }))
  expect(codeOf(await accept(idle.token))).toBe('INVALID_LINK')

  const gone = await invite(tenant)
  dataOf(await client.graphql('mutation ($id: ID!) { deleteUser(id: $id) { id } }', { id: gone.id }))
  expect(codeOf(await accept(gone.token))).toBe('INVALID_LINK')
  expect(codeOf(await client.graphql(RESEND, { userId: gone.id }))).toBe('NOT_FOUND')
})

test('nothing is mailed to who is deactivated, or deleted, before the worker comes to it', async () => {
  const { client } = await makeTenant(service)
  for (const end of [
    'mutation ($id: ID!) { deleteUser(id: $id) { id } }',
    'mutation ($id: ID!) { updateUser(id: $id, input: { isActive: false }) { id } }',
  ]) {
    const email = newEmail()
    const { id } = dataOf(await client.graphql(INVITE, { input: { name: 'Caio', email } }))
    dataOf(await client.graphql(end, { id }))
    expect(await tellAll(service.database)).toEqual([])
    expect(await mailbox.to(email)).toEqual([])
  }
})

test('no log has a link', async () => {
  const { token } = await invite(await makeTenant(service))
  await accept(token)
  await anybody.graphql(`mutation { acceptInvitation(token: "${token}", password: "${CHOSEN}") }`)
  expect(JSON.stringify(service.logs())).not.toContain(token.slice(8, 30))
})

test('an invitation that the mail server refuses is told in the log, without the address, and not sent again', async () => {
  const smtp = await TestSmtp.start()
  const beside = await startTestApp({ smtpUrl: smtp.url })
  try {
    smtp.fault = { at: 'recipient', code: 550, text: 'no such mailbox' }
    const { client } = await makeTenant(beside)
    const email = newEmail()
    const { id } = dataOf(await client.graphql(INVITE, { input: { name: 'Caio Melo', email } }))
    expect(await tellAll(beside.database)).toEqual([])
    const lines = beside
      .logs()
      .filter(({ msg }) => msg === `the invitation of the user ${id} was refused by the mail server`)
    expect(lines).toHaveLength(1)
    expect(JSON.stringify(lines)).toMatch(/no such mailbox/)
    expect(JSON.stringify(lines).toLowerCase()).not.toContain(email.toLowerCase())
    expect(smtp.received).toEqual([])
  } finally {
    await beside.stop()
    await smtp.stop()
  }
})
