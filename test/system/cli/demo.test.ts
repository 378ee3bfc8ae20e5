import { assembly } from '../../../src/assembly.js'
import { type Demo, makeDemo } from '../../../src/cli/demo/make.js'
import { verifyTally } from '../../../src/database/index.js'
import { createAgencyClient, newClient } from '../../support/agencies.js'
import { startTestApp, type TestApp } from '../../support/app.js'
import { createClient } from '../../support/client.js'
import { tenantTablesOf } from '../../support/tables.js'

let service: TestApp
let demo: Demo
const started = Date.now()
beforeAll(async () => {
  service = await startTestApp()
  await makeDemo(service.database, {})
  demo = await makeDemo(service.database, {})
})
afterAll(() => service.stop())

type Row = Record<string, unknown>

/** Rows of the demo account; `$1` is its id. */
async function rows<T = Row>(sql: string): Promise<T[]> {
  return (await service.database.pool.query(sql, [demo.account_id])).rows as T[]
}

const count = async (table: string, where = 'true') =>
  (await rows<{ n: number }>(`select count(*)::int as n from ${table} where account_id = $1 and ${where}`))[0]!.n

test('made several times at once, each replaces the one before it', async () => {
  const made = await Promise.all([1, 2, 3].map(() => makeDemo(service.database, {})))
  const { rows: accounts } = await service.database.pool.query('select id from account where is_demo')
  expect(accounts).toHaveLength(1)
  const last = made.find(({ account_id: id }) => id === accounts[0].id)
  expect(last).toBeDefined()
  demo = last!
})

test('the account has as many records of each kind as is promised', async () => {
  const promised = {
    pipeline: 2,
    stage: 12,
    round_robin_rule: 1,
    round_robin_member: 3,
    campaign: 3,
    tag: 5,
    sector: 3,
    discard_reason: 4,
    product: 5,
    instagram_agent: 2,
    ai_agent: 2,
    contact: 40,
    opportunity: 60,
    conversation: 12,
    app_user: 6,
  }
  const found = await Promise.all(Object.keys(promised).map(async (table) => [table, await count(table)]))
  expect(Object.fromEntries(found)).toEqual(promised)
  for (const table of [
    'opportunity_product',
    'opportunity_comment',
    'message',
    'campaign_contact',
    'instagram_profile',
  ]) {
    expect({ table, some: (await count(table)) > 10 }).toEqual({ table, some: true })
  }
  expect(await count('ai_agent', "is_active and type = 'whatsapp'")).toBe(1)
  expect(await count('channel_account', "status = 'connected'")).toBe(1)
  expect(await count('conversation', 'is_group and group_name is not null')).toBe(1)
  expect(await count('app_user', "role = 'admin'")).toBe(1)
  expect(await count('email_template')).toBe(1)
  expect(await count('flow', "status = 'active'")).toBe(1)
  expect(await count('flow_enrollment')).toBe(2)
  expect(await count('email_sender', 'is_default and verified_at is not null')).toBe(1)
})

test('the ids are told by kind, each with the name of its record', async () => {
  const kinds = {
    tags: 'tag',
    pipelines: 'pipeline',
    stages: 'stage',
    campaigns: 'campaign',
    sectors: 'sector',
    discard_reasons: 'discard_reason',
    products: 'product',
    users: 'app_user',
    instagram_agents: 'instagram_agent',
    agents: 'ai_agent',
    templates: 'email_template',
    senders: 'email_sender',
    flows: 'flow',
    channels: 'channel_account',
  }
  expect(Object.keys(demo.ids).toSorted()).toEqual(Object.keys(kinds).toSorted())
  for (const [kind, table] of Object.entries(kinds)) {
    const type = { agents: ', type', channels: ', kind as type' }[kind] ?? ''
    const stored = await rows<{ id: string }>(`select id, name${type} from ${table} where account_id = $1`)
    const byId = (list: { id: string }[]) => list.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(byId(demo.ids[kind]!)).toEqual(byId(stored))
  }
  const [admin] = await rows("select email from app_user where account_id = $1 and role = 'admin'")
  expect(demo.user).toEqual({ ...admin, password: expect.any(String) })
  const { email, password } = demo.user
  const login =
    'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { mustChangePassword } }'
  const { body } = await createClient(service.origin).graphql(login, { email, password })
  expect(body.data.login).toEqual({ mustChangePassword: false })
})

test('both pipelines have six stages with a win and a loss among them, and opportunities in all', async () => {
  const stages = await rows(
    `select p.is_default as first, s.position, s.is_win_stage as win, s.is_loss_stage as loss,
       exists (select from opportunity o where o.stage_id = s.id) as used
     from stage s join pipeline p on p.id = s.pipeline_id where s.account_id = $1 order by 1 desc, 2`,
  )
  const six = (first: boolean) =>
    [1, 2, 3, 4, 5, 6].map((position) => ({ first, position, win: position === 5, loss: position === 6, used: true }))
  expect(stages).toEqual([...six(true), ...six(false)])
})

test('in one of them three users have taken equal turns, as the rule remembers of each', async () => {
  const owners = await rows<{ name: string; n: number; turns: number }>(
    `select u.name, m.turns, (select count(*)::int from opportunity o
       where o.pipeline_id = r.pipeline_id and o.owner_user_id = m.user_id) as n
     from round_robin_rule r join round_robin_member m on m.rule_id = r.id join app_user u on u.id = m.user_id
     where r.account_id = $1 and r.is_active and u.is_active order by m.position`,
  )
  expect(owners).toHaveLength(3)
  const taken = owners.map(({ n }) => n)
  expect(Math.max(...taken) - Math.min(...taken)).toBeLessThanOrEqual(1)
  expect(owners.map(({ turns }) => turns)).toEqual(taken)
  const others = await rows(
    `select 1 from round_robin_rule r join opportunity o on o.pipeline_id = r.pipeline_id where r.account_id = $1
       and not exists (select from round_robin_member m where m.rule_id = r.id and m.user_id = o.owner_user_id)`,
  )
  expect(others).toEqual([])
})

interface Step {
  action: string
  from: string | null
  to: string | null
  before: number | null
  after: number | null
  at: string
  lifecycle: string | null
}

interface Story extends Row {
  value: number
  products: number | null
  win: boolean
  loss: boolean
  stage: string
  steps: Step[]
}

const LIFECYCLE = ['sent', 'accepted', 'qualifying_started', 'qualified', 'scheduled', 'won', 'lost']

const stories = () =>
  rows<Story>(
    `select o.*, o.value::float8 as value, s.id as stage, s.is_win_stage as win, s.is_loss_stage as loss,
       c.created_at as contact_created_at,
       (select sum(p.total_price)::float8 from opportunity_product p where p.opportunity_id = o.id) as products,
       (select json_agg(json_build_object('action', h.action, 'from', h.from_stage_id, 'to', h.to_stage_id,
            'before', h.from_value, 'after', h.to_value,
            'at', to_char(h.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'lifecycle', t.lifecycle)
          order by h.created_at)
        from opportunity_history h left join stage t on t.id = h.to_stage_id and t.name = h.to_stage_name
        where h.opportunity_id = o.id) as steps
     from opportunity o join stage s on s.id = o.stage_id join contact c on c.id = o.contact_id
     where o.account_id = $1`,
  )

test('the history of each opportunity leads to where it stands', async () => {
  const all = await stories()
  expect(all).toHaveLength(60)
  for (const story of all) {
    const [first, ...later] = story.steps
    expect(first).toMatchObject({ action: 'created', from: null, at: story.created_at })
    const moves = later.filter(({ action }) => action === 'stage_changed')
    let place = first!.to
    for (const move of moves) {
      expect(move.from).toBe(place)
      place = move.to
    }
    expect(place).toBe(story.stage)
    let value = first!.after
    for (const change of later.filter(({ action }) => action === 'value_changed')) {
      expect(change.before).toBe(value)
      value = change.after
    }
    expect(value).toBe(story.value)
    expect(moves.length + later.filter(({ action }) => action === 'value_changed').length).toBe(later.length)
  }
  expect(all.some(({ steps }) => steps.some(({ action }) => action === 'value_changed'))).toBe(true)
})

test('an opportunity with products is worth what they cost', async () => {
  const sold = (await stories()).filter(({ products }) => products !== null)
  expect(sold.length).toBeGreaterThan(10)
  expect(sold.map(({ value }) => value)).toEqual(sold.map(({ products }) => products))
})

test('the moments of each opportunity are those at which it came into the stages that set them', async () => {
  for (const story of await stories()) {
    for (const lifecycle of LIFECYCLE) {
      const step = story.steps.find((one) => one.lifecycle === lifecycle)
      expect({ lifecycle, at: story[`${lifecycle}_at`] }).toEqual({ lifecycle, at: step?.at ?? null })
    }
    expect([story.won_at !== null, story.lost_at !== null]).toEqual([story.win, story.loss])
    expect(story.loss_reason !== null).toBe(story.loss)
    if (story.loss || story.discarded_at) expect(story.discard_reason_id).not.toBeNull()
  }
  for (const lifecycle of [...LIFECYCLE, 'discarded']) {
    expect(await count('opportunity', `${lifecycle}_at is not null`)).toBeGreaterThan(0)
  }
})

test('everything happened in the last ninety days, and opportunities after their contacts', async () => {
  const columns = [
    ['contact', 'created_at'],
    ['contact', 'last_interaction'],
    ['contact_note', 'created_at'],
    ['campaign_contact', 'created_at'],
    ...['created_at', 'discarded_at', ...LIFECYCLE.map((name) => `${name}_at`)].map((name) => ['opportunity', name]),
    ['opportunity_history', 'created_at'],
    ['opportunity_product', 'created_at'],
    ['opportunity_comment', 'created_at'],
    ['conversation', 'created_at'],
    ['message', 'sent_at'],
    ['message', 'read_at'],
  ]
  for (const [table, column] of columns) {
    const [span] = await rows<{ first: string; last: string }>(
      `select min(${column}) as first, max(${column}) as last from ${table} where account_id = $1`,
    )
    expect({ table, column, early: Date.parse(span!.first) < started - 90 * 86_400_000 }).toMatchObject({
      early: false,
    })
    expect({ table, column, late: Date.parse(span!.last) > Date.now() }).toMatchObject({ late: false })
  }
  const [oldest] = await rows<{ at: string }>('select min(created_at) as at from contact where account_id = $1')
  expect(Date.parse(oldest!.at)).toBeLessThan(started - 80 * 86_400_000)
  for (const { created_at, contact_created_at } of await stories()) {
    expect(Date.parse(created_at as string)).toBeGreaterThan(Date.parse(contact_created_at as string))
  }
})

test('conversations are about an opportunity of their contact and end with their latest message', async () => {
  const wrong = await rows(
    `select c.id from conversation c join contact t on t.id = c.contact_id join opportunity o on o.id = c.opportunity_id
       join lateral (select max(sent_at) as last, min(sent_at) as first, count(*) as n from message m
         where m.conversation_id = c.id) m on true
     where c.account_id = $1 and not (o.contact_id = c.contact_id and m.last = c.last_message_at and m.n > 1
       and t.last_interaction = m.last and t.source_channel = lower(c.channel) and m.first > c.created_at)`,
  )
  expect(wrong).toEqual([])
  const client = createClient(service.origin, demo.api_key)
  const { body } = await client.get('/conversations')
  expect(body.pagination.total).toBe(12)
  const spread = (name: string) => new Set(body.data.map((one: Row) => one[name])).size
  expect([spread('status'), spread('channel')]).toEqual([3, 3])
  const { data } = (await client.get(`/conversations/${body.data[0].id}`)).body
  expect(data.messages.length).toBeGreaterThan(1)
})

test('collection agents hold as many profiles as they say', async () => {
  const wrong = await rows(
    `select a.name from instagram_agent a where a.account_id = $1 and a.total_profiles_found <>
       (select count(*) from instagram_profile p where p.agent_id = a.id)`,
  )
  expect(wrong).toEqual([])
})

test('the kept totals are right', async () => {
  for (const tally of assembly.tallies) expect(await verifyTally(service.database.pool, tally)).toEqual([])
})

/** Everything of the account but ids and times, in the order of names. */
const story = async () => [
  await rows('select name, email, company from contact where account_id = $1 order by 1'),
  await rows(
    `select o.title, o.value, s.name, u.name as owner, o.score, o.source from opportunity o join stage s on s.id = o.stage_id
       left join app_user u on u.id = o.owner_user_id where o.account_id = $1 order by o.title, o.value`,
  ),
  await rows('select content, sender_type from message where account_id = $1 order by sent_at, content'),
]

test('made anew, it is the same again, and nothing is left of the earlier one', async () => {
  const before = await story()
  const earlier = demo
  const agency = createAgencyClient(service.origin, earlier.agency_key, earlier.agency_token)
  const created = await agency.create(newClient({ channels: { linkedin: 1 } }))
  expect(created.status).toBe(201)
  const kept = createClient(service.origin, earlier.api_key)
  demo = await makeDemo(service.database, {})
  expect(demo.account_id).not.toBe(earlier.account_id)
  expect(await story()).toEqual(before)
  // The audit outlives the account that it is of.
  const outlives = (table: string) => table.endsWith('_tally') || table === 'audit_entry'
  for (const table of tenantTablesOf(service.database).filter((name) => !outlives(name))) {
    const { rowCount } = await service.database.pool.query(`select from ${table} where account_id = $1`, [
      earlier.account_id,
    ])
    expect({ table, rowCount }).toEqual({ table, rowCount: 0 })
  }
  for (const tally of assembly.tallies) expect(await verifyTally(service.database.pool, tally)).toEqual([])
  expect((await createClient(service.origin, demo.api_key).get('/tags')).status).toBe(200)
  await new Promise((resolve) => setTimeout(resolve, 1100)) // what other processes may take to see it
  expect((await kept.get('/tags')).status).toBe(401)
  expect((await agency.create(newClient())).status).toBe(401)
  const { pool } = service.database
  expect((await pool.query('select agency_key from agency where is_demo')).rows).toEqual([
    { agency_key: demo.agency_key },
  ])
  expect((await pool.query('select from account where id = $1', [created.body.data.id])).rowCount).toBe(0)
})

test('the agency has a card on file and a token of every scope', async () => {
  const agency = createAgencyClient(service.origin, demo.agency_key, demo.agency_token)
  const { status, body } = await agency.create(newClient({ channels: { whatsapp: 1 }, include_credentials: true }))
  expect(status).toBe(201)
  expect(body.data).toMatchObject({
    billing: { invoiceStatus: 'paid' },
    temporary_password: expect.any(String),
  })
  const raised = await agency.channels(body.data.id, { whatsapp: 2 })
  expect([raised.status, raised.body.data?.seat_charge?.paid]).toEqual([200, true])
  expect((await agency.remove(body.data.id)).status).toBe(200)
})
