import { setTimeout as delay } from 'node:timers/promises'
import { UserRole } from '../../src/domains/users/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { makePerson, PASSWORD, type Person, signIn, withSession } from '../support/factories/people.js'
import { makeKey, makeTenant, type Tenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'
import { callTool, connectAssistant } from '../support/mcp.js'

// Rights end while calls are on their way that count on them: here at once, in another process within a second.

let service: TestApp
let other: TestApp
beforeAll(async () => {
  service = await startTestApp()
  other = await startTestApp({}, undefined, service)
})
afterAll(async () => {
  await other.stop()
  await service.stop()
})

const CREATE = 'mutation ($name: String!) { createContact(input: { name: $name }) { id } }'
const TAG = 'mutation ($name: String!) { createTag(input: { name: $name }) { id } }'
const UPDATE = 'mutation ($id: ID!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }'
const CHANGE = `mutation ($new: String!) { changePassword(currentPassword: "${PASSWORD}", newPassword: $new) }`
const DELETE = 'mutation ($id: ID!) { deleteUser(id: $id) { id } }'
const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }'
const ROTATE = `mutation ($id: ID!) { rotateApiKey(id: $id, input: { overlapSeconds: 0 }) { secret key { id } } }`
const KEY = 'mutation ($name: String!) { createApiKey(input: { name: $name, permissions: ["tags:read"] }) { secret } }'
const USER = 'mutation ($name: String!) { createUser(input: { name: $name, email: "EMAIL" }) { id } }'
const INVITE = USER.replace('createUser', 'inviteUser')
const SEEN_WITHIN_MS = 1000
const WRITERS = 4

/** Writes something of a name; tells whether it was done, and throws where it was neither done nor refused. */
type Write = (name: string) => Promise<boolean>

const byGraphql =
  (client: Client, mutation = CREATE): Write =>
  async (name) => {
    const email = `${name.replaceAll(' ', '.')}@example.com`
    const { status, body } = await client.graphql(mutation.replace('EMAIL', email), { name })
    if (!body.errors) return true
    expect([401, 200]).toContain(status)
    expect(['INVALID_SESSION', 'INVALID_API_KEY', 'INSUFFICIENT_PERMISSIONS']).toContain(body.errors[0].extensions.code)
    return false
  }

const byRest =
  (client: Client, refused: number): Write =>
  async (name) => {
    const { status } = await client.post('/contacts', { name })
    expect([201, refused]).toContain(status)
    return status === 201
  }

async function byTool(origin: string, secret: string): Promise<Write> {
  const assistant = await connectAssistant(origin, secret)
  return async (name) => {
    const told = await callTool(assistant, 'create_contact', { name }).catch(() => undefined)
    return told !== undefined && !told.isError
  }
}

/**
 * Has several write without a pause while `end` takes their right away; `late` is how long after its answer the right may
 * still be believed in. What was told as done is there, and nothing else; nothing that began later than that was done.
 */
async function writeWhileItEnds(table: string, accountId: string, write: Write, end: () => Promise<unknown>, late = 0) {
  const done: { name: string; began: number }[] = []
  let ended = Infinity
  let over = false
  const writer = async (number: number) => {
    for (let i = 0; !over; i++) {
      const name = `${accountId} ${number} ${i}`
      const began = performance.now()
      if (await write(name)) done.push({ name, began })
      else if (began > ended + late) return
    }
  }
  const writers = Array.from({ length: WRITERS }, (_, number) => writer(number))
  const deadline = delay(60_000, undefined, { ref: false }).then(() => {
    over = true
  })
  while (done.length === 0 && !over) await delay(20)
  await delay(100)
  await end()
  ended = performance.now()
  await Promise.race([Promise.all(writers), deadline])
  expect(over).toBe(false)
  expect(done.length).toBeGreaterThan(0)
  expect(done.filter(({ began }) => began > ended + late)).toEqual([])
  const { rows } = await service.database.pool.query(
    `select name from ${table} where account_id = $1 and name like $1 || ' %'`,
    [accountId],
  )
  expect(rows.map(({ name }) => name).sort()).toEqual(done.map(({ name }) => name).sort())
}

const doors: [string, () => TestApp, number][] = [
  ['here', () => service, 0],
  ['in another process', () => other, SEEN_WITHIN_MS],
]

describe.each(doors)('%s', (_where, at, late) => {
  let admin: Client
  let tenant: Tenant
  let person: Person
  beforeEach(async () => {
    tenant = await makeTenant(service)
    admin = (await signIn(service, (await makePerson(service, { tenant })).email)).client
    person = await makePerson(service, { tenant, role: UserRole.MANAGER })
  })
  const session = async () => {
    const { token, client } = await signIn(service, person.email)
    return { own: client, client: withSession(at().origin, token) }
  }
  const update = async (input: object) => dataOf(await admin.graphql(UPDATE, { id: person.id, input }))

  test('who is deactivated writes nothing more', async () => {
    const { client } = await session()
    await writeWhileItEnds('contact', tenant.accountId, byGraphql(client), () => update({ isActive: false }), late)
  })

  test('whose role is lowered writes nothing more that it does not allow', async () => {
    await update({ role: 'ADMIN' })
    const { client } = await session()
    await writeWhileItEnds('tag', tenant.accountId, byGraphql(client, TAG), () => update({ role: 'SELLER' }), late)
  })

  test('a session whose person has changed the password elsewhere writes nothing more', async () => {
    const { client } = await session()
    const { own } = await session()
    const end = async () => dataOf(await own.graphql(CHANGE, { new: 'a quite other password' }))
    await writeWhileItEnds('contact', tenant.accountId, byGraphql(client), end, late)
  })

  test('a session that is revoked writes nothing more', async () => {
    const { client } = await session()
    const { own } = await session()
    const end = async () => dataOf(await own.graphql('mutation { revokeSessions(keepThis: true) }'))
    await writeWhileItEnds('contact', tenant.accountId, byGraphql(client), end, late)
  })

  // No mutation lowers what a key may do; whoever does it in the database is believed within a second, everywhere.
  const LOWER = `update api_key set permissions = array['contacts:read'] where id = $1`
  const keyEnds: [string, number, number, (id: string) => Promise<unknown>][] = [
    ['revoked', late, 401, async (id) => dataOf(await admin.graphql(REVOKE, { id }))],
    ['rotated without an overlap', late, 401, async (id) => dataOf(await admin.graphql(ROTATE, { id }))],
    ['lowered', SEEN_WITHIN_MS, 403, (id) => service.database.pool.query(LOWER, [id])],
  ]

  describe.each(keyEnds)('a key that is %s', (_how, within, refused, end) => {
    test.each(['GraphQL', 'REST', 'a tool'])('writes nothing more over %s', async (door) => {
      const { key, secret } = await makeKey(service.database, tenant.accountId, {
        permissions: ['contacts:*'],
        rateLimit: 1e6,
      })
      const client = createClient(at().origin, secret)
      const write =
        { GraphQL: byGraphql(client), REST: byRest(client, refused) }[door] ?? (await byTool(at().origin, secret))
      await writeWhileItEnds('contact', tenant.accountId, write, () => end(key.id), within)
    })
  })

  // What lasts is not done on belief: not even another process does it after the answer to who ended the right.
  const lasting: [string, string, string][] = [
    ['makes no key', 'api_key', KEY],
    ['makes no user', 'app_user', USER],
    ['invites nobody', 'app_user', INVITE],
  ]
  const ends: [string, () => Promise<unknown>][] = [
    ['who is deactivated', () => update({ isActive: false })],
    ['whose role is lowered', () => update({ role: 'MANAGER' })],
    ['who is deleted', async () => dataOf(await admin.graphql(DELETE, { id: person.id }))],
  ]

  describe.each(lasting)('an admin %s', (_what, table, mutation) => {
    test.each(ends)('%s, from that moment on', async (_who, end) => {
      await update({ role: 'ADMIN' })
      const { client } = await session()
      await writeWhileItEnds(table, tenant.accountId, byGraphql(client, mutation), end)
    })

    test('whose password is another one, from that moment on', async () => {
      await update({ role: 'ADMIN' })
      const { client } = await session()
      const { own } = await session()
      const end = async () => dataOf(await own.graphql(CHANGE, { new: 'a quite other password' }))
      await writeWhileItEnds(table, tenant.accountId, byGraphql(client, mutation), end)
    })

    test('by a key that is revoked, from that moment on', async () => {
      const { key, secret } = await makeKey(service.database, tenant.accountId, { permissions: ['*'], rateLimit: 1e6 })
      const client = createClient(at().origin, secret)
      const end = async () => dataOf(await admin.graphql(REVOKE, { id: key.id }))
      await writeWhileItEnds(table, tenant.accountId, byGraphql(client, mutation), end)
    })
  })

  test('a key that is rotated beside its revocation has ended, with one successor at most', async () => {
    for (let round = 0; round < 8; round++) {
      const { key, secret } = await makeKey(service.database, tenant.accountId, { permissions: ['tags:read'] })
      const calls = [ROTATE, REVOKE, ROTATE].map((query) => admin.graphql(query, { id: key.id }))
      const rotated = (await Promise.all(calls)).flatMap(({ body }) => body.data?.rotateApiKey ?? [])
      expect(rotated.length).toBeLessThanOrEqual(1)
      expect((await createClient(service.origin, secret).get('/')).status).toBe(401)
      for (const { secret: next } of rotated) expect((await createClient(at().origin, next).get('/')).status).toBe(200)
    }
  })
})
