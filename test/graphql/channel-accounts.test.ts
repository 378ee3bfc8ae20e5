import { randomUUID } from 'node:crypto'
import { REVOKED_TOKEN } from '../../src/integrations/channels/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeAiAgent } from '../support/factories/conversations.js'
import { makeTenant, type Tenant } from '../support/factories.js'
import { dataOf, describeGuards } from '../support/graphql.js'
import { fakeChannels } from '../support/messaging.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ encryptionKey: Buffer.alloc(32, 7) })
})
afterAll(() => service.stop())

const CONNECT = `mutation ($input: ConnectChannelInput!) { connectChannel(input: $input) {
  id name kind externalId address status connectedAt disconnectedAt } }`
const DISCONNECT = 'mutation ($id: ID!) { disconnectChannel(id: $id) { id status disconnectedAt } }'
const UPDATE = 'mutation ($id: ID!, $name: String) { updateChannelAccount(id: $id, input: {name: $name}) { id name } }'
const LIST = 'query ($search: String) { channelAccounts(search: $search) { items { id name } pagination { total } } }'
const line = (more: object = {}) => ({ kind: 'WHATSAPP', externalId: randomUUID(), token: 'sandbox', ...more })
const codeOf = ({ body }: { body: { errors?: { extensions: { code: string } }[] } }) =>
  body.errors?.[0]?.extensions.code

/** Makes the account a sub-account with so many seats of WhatsApp. */
async function limitTo(accountId: string, seats: number) {
  const { pool } = service.database
  const { rows } = await pool.query(
    `insert into agency (id, name, agency_key, seat_price_cents, currency, anchor, billable_channels)
      values (gen_random_uuid(), 'A', $1, 100, 'BRL', now(), '{}') returning id`,
    [randomUUID().slice(0, 20)],
  )
  await pool.query(
    `insert into sub_account (id, agency_id, status, name, slug, admin_id, whatsapp)
      values ($1, $2, 'active', 'S', $3, gen_random_uuid(), $4)`,
    [accountId, rows[0].id, accountId, seats],
  )
}

test('a number is connected, and its token is stored sealed and shown nowhere', async () => {
  const { client, accountId } = await makeTenant(service)
  const token = `EAA${randomUUID()}`
  const made = dataOf(await client.graphql(CONNECT, { input: line({ token, name: 'Sales' }) }))
  expect(made).toMatchObject({ name: 'Sales', kind: 'whatsapp', status: 'CONNECTED', disconnectedAt: null })
  const { rows } = await service.database.pool.query('select * from channel_account where account_id = $1', [accountId])
  expect(JSON.stringify(rows)).not.toContain(token)
  expect(rows[0].credentials.includes(Buffer.from(token))).toBe(false)
  expect(JSON.stringify(service.logs())).not.toContain(token)
})

const ofOne = {
  permission: 'settings:write',
  id: 'id',
  variables: async ({ accountId }: Tenant) => ({
    id: (await makeChannelAccount(service.database, accountId)).id,
    name: 'X',
  }),
} as const
describeGuards(
  () => service,
  [
    {
      name: 'connectChannel',
      query: CONNECT,
      permission: 'settings:write',
      variables: async () => ({ input: line() }),
    },
    { name: 'updateChannelAccount', query: UPDATE, ...ofOne },
    { name: 'disconnectChannel', query: DISCONNECT, ...ofOne },
  ],
)

test('what the provider refuses, or cannot say, is not connected', async () => {
  const { client } = await makeTenant(service)
  expect(codeOf(await client.graphql(CONNECT, { input: line({ token: REVOKED_TOKEN }) }))).toBe('CHANNEL_REFUSED')
  expect(codeOf(await client.graphql(CONNECT, { input: line({ token: '' }) }))).toBe('VALIDATION_ERROR')
  expect(dataOf(await client.graphql(LIST)).pagination.total).toBe(0)
})

test('disconnected its token is gone, and connected again it is the same account', async () => {
  const { client, accountId } = await makeTenant(service)
  const input = line()
  const made = dataOf(await client.graphql(CONNECT, { input }))
  expect(dataOf(await client.graphql(DISCONNECT, { id: made.id }))).toMatchObject({ status: 'DISCONNECTED' })
  const { rows } = await service.database.pool.query('select credentials from channel_account where account_id = $1', [
    accountId,
  ])
  expect(rows).toEqual([{ credentials: null }])
  const again = dataOf(await client.graphql(CONNECT, { input }))
  expect(again).toMatchObject({ id: made.id, status: 'CONNECTED', disconnectedAt: null })
})

test('a number that another account has connected is theirs until they disconnect it', async () => {
  const [mine, theirs] = [await makeTenant(service), await makeTenant(service)]
  const input = line()
  const made = dataOf(await theirs.client.graphql(CONNECT, { input }))
  expect(codeOf(await mine.client.graphql(CONNECT, { input }))).toBe('DUPLICATE_ERROR')
  dataOf(await theirs.client.graphql(DISCONNECT, { id: made.id }))
  expect(dataOf(await mine.client.graphql(CONNECT, { input }))).toMatchObject({ status: 'CONNECTED' })
})

test('forty connections at once against three seats make three', async () => {
  const { client, accountId } = await makeTenant(service)
  await limitTo(accountId, 3)
  const answers = await Promise.all(Array.from({ length: 40 }, () => client.graphql(CONNECT, { input: line() })))
  const codes = answers.map((answer) => codeOf(answer) ?? 'CONNECTED')
  expect(codes.filter((code) => code === 'CONNECTED')).toHaveLength(3)
  expect(codes.filter((code) => code === 'CHANNEL_LIMIT')).toHaveLength(37)
})

test('with fewer seats than numbers none is added, but a token may be replaced, and one that goes frees its seat', async () => {
  const { client, accountId } = await makeTenant(service)
  const inputs = [line(), line(), line()]
  const made = []
  for (const input of inputs) made.push(dataOf(await client.graphql(CONNECT, { input })))
  await limitTo(accountId, 2)
  expect(codeOf(await client.graphql(CONNECT, { input: line() }))).toBe('CHANNEL_LIMIT')
  for (const { id } of made.slice(0, 2)) dataOf(await client.graphql(DISCONNECT, { id }))
  dataOf(await client.graphql(CONNECT, { input: { ...inputs[2], token: 'new' } }))
  dataOf(await client.graphql(CONNECT, { input: line() }))
  expect(codeOf(await client.graphql(CONNECT, { input: line() }))).toBe('CHANNEL_LIMIT')
})

test('an account that is no sub-account has no limit', async () => {
  const { client } = await makeTenant(service)
  for (let i = 0; i < 5; i++) dataOf(await client.graphql(CONNECT, { input: line() }))
})

test('a provider that is down is told of, and nothing is stored', async () => {
  const own = await startTestApp({ encryptionKey: Buffer.alloc(32) })
  try {
    const fake = fakeChannels(own)
    fake.checked = { outcome: 'later', reason: 'Timed out.' }
    const { client } = await makeTenant(own)
    expect(codeOf(await client.graphql(CONNECT, { input: line() }))).toBe('CHANNEL_UNREACHABLE')
    expect(dataOf(await client.graphql(LIST)).pagination.total).toBe(0)
  } finally {
    await own.stop()
  }
})

test('connecting, renaming and disconnecting at once leave what one after the other would', async () => {
  const { client, accountId } = await makeTenant(service)
  const inputs = Array.from({ length: 5 }, () => line({ name: 'Sales' }))
  const made: string[] = []
  for (const input of inputs) made.push(dataOf(await client.graphql(CONNECT, { input })).id)
  const calls = inputs.flatMap((input, i) => [
    () => client.graphql(DISCONNECT, { id: made[i] }),
    () => client.graphql(CONNECT, { input: { ...input, token: `EAA${i}` } }),
    () => client.graphql(UPDATE, { id: made[i], name: `Line ${i}` }),
    () => client.graphql(DISCONNECT, { id: made[i] }),
    () => client.graphql(CONNECT, { input }),
  ])
  const answers = await Promise.all(calls.map((call) => call()))
  expect(answers.map(codeOf).filter((code) => code !== undefined)).toEqual([])
  const { rows } = await service.database.pool.query(
    `select id::text, status = 'connected' as is_connected, credentials is not null as has_token,
      disconnected_at is null as is_open, name from channel_account where account_id = $1 order by id`,
    [accountId],
  )
  // Neither a second account for a number, nor a token where nothing is connected, nor the reverse.
  expect(rows.map(({ id }) => id)).toEqual(made.toSorted())
  for (const row of rows) expect([row.has_token, row.is_open]).toEqual([row.is_connected, row.is_connected])
})

test('one number that is connected by many at once is one account', async () => {
  const { client, accountId } = await makeTenant(service)
  await limitTo(accountId, 1)
  const input = line()
  const answers = await Promise.all(Array.from({ length: 10 }, () => client.graphql(CONNECT, { input })))
  expect(new Set(answers.map((answer) => dataOf(answer).id)).size).toBe(1)
  expect(dataOf(await client.graphql(LIST)).pagination.total).toBe(1)
})

test('of more numbers than there are seats the oldest work: an agent begins with these, and is told of the others', async () => {
  const { client, accountId } = await makeTenant(service)
  const ids: string[] = []
  for (const name of ['First', 'Second', 'Third'])
    ids.push(dataOf(await client.graphql(CONNECT, { input: line({ name }) })).id)
  const agent = await makeAiAgent(service.database, accountId, { opening: 'Hello' })
  const begin = async (channel: string) => {
    const lead = {
      name: 'Ana',
      email: `${randomUUID()}@example.com`,
      phone: `+55119${`${Math.random()}`.slice(2, 10).padEnd(8, '1')}`,
    }
    const body = { ...lead, activate_agent_id: agent.id, agent_channel_account_id: channel }
    return (await client.post('/opportunities', body)).body.actions.agent.error
  }
  const seats = "The account's seats of whatsapp do not cover the channel account"
  expect([await begin(ids[0]!), await begin(ids[2]!)]).toEqual([null, null])
  await limitTo(accountId, 2)
  expect([await begin(ids[1]!), await begin(ids[2]!)]).toEqual([null, `${seats} Third.`])
  await service.database.pool.query('update sub_account set whatsapp = 0 where id = $1', [accountId])
  expect(await begin(ids[0]!)).toBe(`${seats} First.`)
  await service.database.pool.query('update sub_account set whatsapp = 1 where id = $1', [accountId])
  dataOf(await client.graphql(DISCONNECT, { id: ids[0] }))
  expect([await begin(ids[1]!), await begin(ids[2]!)]).toEqual([null, `${seats} Third.`])
})
