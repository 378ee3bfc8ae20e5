import { setTimeout as delay } from 'node:timers/promises'
import type { GraphQLField } from 'graphql'
import { EXTERNAL } from '../../src/apis/external.js'
import { endpointsOf } from '../../src/app.js'
import { assembly } from '../../src/assembly.js'
import { createSchema } from '../../src/graphql/index.js'
import { newId } from '../../src/shared/ids.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { callWith, nameOf } from '../support/calls.js'
import type { Answer } from '../support/client.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeConversation } from '../support/factories/conversations.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { defaultPipelineOf, makePipeline, makeRule } from '../support/factories/pipelines.js'
import { makeUser } from '../support/factories/users.js'
import { makeContact, makeTag, makeTenant, type Tenant } from '../support/factories.js'
import { Storm } from '../support/storm.js'

const WRITES = process.env.FULL === 'true' ? 20_000 : 1500
/** What has not succeeded once by then is tried on for that many times as long. */
const PATIENCE = 6
const WRITERS = 12
const ROUNDS = 5
const AT_ONCE = 3
/** How much longer than the middle one a call may take: the product's bound is 500 ms, a busy machine's ten times that. */
const SLOWER_MS = 5000

let service: TestApp
let tenant: Tenant
beforeEach(async () => {
  service = await startTestApp({ poolSize: WRITERS + 4, rowSecurity: false })
  tenant = await makeTenant(service)
})
afterEach(() => service.stop())

/** The deadlocks that PostgreSQL has broken in the database so far. */
async function deadlocks(): Promise<number> {
  await delay(1200) // backends tell of it once a second
  const { rows } = await service.database.pool.query(
    `select deadlocks::int as count from pg_stat_database where datname = current_database()`,
  )
  return rows[0].count
}

/** What races in a test: works of few records that are made anew for each round. */
type Race = [name: string, prepare: () => Promise<(() => Promise<Answer>)[]>]

const graphql = (query: string) => () => tenant.client.graphql(query)
const put = (path: string, body: object) => () => tenant.client.put(path, body)

const races: Race[] = [
  [
    "changes of an opportunity's lead, and moves of it",
    async () => {
      const { id } = await makeOpportunity(service.database, tenant.accountId)
      const { stageIds } = await defaultPipelineOf(service.database, tenant.accountId)
      return [
        ...stageIds.slice(0, 2).map((stage_id) => put(`/opportunities/${id}`, { stage_id, value: 7 })),
        ...['A', 'B'].map((company) => put(`/opportunities/${id}`, { company })),
      ]
    },
  ],
  [
    'changes and deletions of a contact, and products and comments of its opportunities',
    async () => {
      const contact = await makeContact(service.database, tenant.accountId)
      const [one, two] = await Promise.all(
        [1, 2].map(() => makeOpportunity(service.database, tenant.accountId, { contact })),
      )
      const product = (id: string) =>
        graphql(`mutation { addOpportunityProduct(id: "${id}", input: {name: "P", unitPrice: 5}) { id } }`)
      return [
        put(`/contacts/${contact.id}`, { company: 'C' }),
        product(one!.id),
        product(two!.id),
        graphql(`mutation { addOpportunityComment(id: "${two!.id}", input: {content: "c"}) { id } }`),
        () => tenant.client.delete(`/contacts/${contact.id}`),
        () => tenant.client.delete(`/opportunities/${one!.id}`),
      ]
    },
  ],
  [
    'deletions of tags, and changes of the contacts that carry them',
    async () => {
      const { database } = service
      const tags = await Promise.all([1, 2, 3].map(() => makeTag(database, tenant.accountId)))
      const [a, b, c] = tags
      const contacts = await Promise.all(
        [[a!, b!], [b!, a!], [c!], [a!, b!, c!]].map((tags) => makeContact(database, tenant.accountId, { tags })),
      )
      return [
        ...[a, b].map((tag) => graphql(`mutation { deleteTag(id: "${tag!.id}") { id } }`)),
        ...contacts.map(({ id }, i) => put(`/contacts/${id}`, { tags: [tags[i % 3]!.id, tags[(i + 1) % 3]!.id] })),
      ]
    },
  ],
  [
    'deletions of a pipeline, and creations whose owner is found by its rule',
    async () => {
      const { database } = service
      const { id, stages } = await makePipeline(database, tenant.accountId)
      const user = await makeUser(database, tenant.accountId)
      await makeRule(database, tenant.accountId, { pipelineId: id, userIds: [user.id] })
      const create = (name: string) => () =>
        tenant.client.post('/opportunities', { name, pipeline_id: id, stage_id: stages[0]!.id })
      return [create('One'), create('Two'), graphql(`mutation { deletePipeline(id: "${id}") { id } }`), create('Three')]
    },
  ],
  [
    'removals of users, and rules that give them turns',
    async () => {
      const { database, accountId } = { ...service, ...tenant }
      const users = await Promise.all([1, 2, 3].map(() => makeUser(database, accountId)))
      const [a, b, c] = users.map(({ id }) => id)
      const pipelines = await Promise.all([1, 2].map(() => makePipeline(database, accountId)))
      const rule = (pipelineId: string, ...userIds: (string | undefined)[]) =>
        graphql(`mutation { setRoundRobinRule(input: {target: {pipelineId: "${pipelineId}"},
          userIds: ${JSON.stringify(userIds)}}) { id } }`)
      for (const { id } of pipelines) await rule(id, a, b, c)()
      return [
        ...[a, b].map((id) => graphql(`mutation { deleteUser(id: "${id}") { id } }`)),
        ...pipelines.flatMap(({ id }) => [rule(id, c, b), rule(id, b, a, c)]),
        ...pipelines.map(
          ({ id }) =>
            () =>
              tenant.client.post('/opportunities', { name: 'X', pipeline_id: id }),
        ),
      ]
    },
  ],
  [
    'deletions of a contact, and campaigns that it comes into',
    async () => {
      const { database, accountId } = { ...service, ...tenant }
      const profile_url = `https://www.linkedin.com/in/${newId()}`
      const contact = await makeContact(database, accountId, { linkedinProfileUrl: profile_url })
      const campaigns = await Promise.all([1, 2, 3].map(() => makeCampaign(database, accountId)))
      const person = { name: 'P', linkedin_url: profile_url, company: 'C' }
      return [
        ...campaigns.map(
          ({ id }) =>
            () =>
              tenant.client.post(`/campaigns/${id}/contacts`, person),
        ),
        put(`/contacts/${contact.id}`, { location: 'L' }),
        () => tenant.client.delete(`/contacts/${contact.id}`),
      ]
    },
  ],
  [
    'deletions of contacts and opportunities that the same conversations are about',
    async () => {
      const { database, accountId } = { ...service, ...tenant }
      const contacts = await Promise.all([1, 2].map(() => makeContact(database, accountId)))
      const opportunities = await Promise.all([1, 2].map(() => makeOpportunity(database, accountId)))
      for (let i = 0; i < 12; i++) {
        const about = { contact: contacts[i % 2]!, opportunity: opportunities[(i >> 1) % 2]! }
        await makeConversation(database, accountId, {
          contactId: about.contact.id,
          opportunityId: about.opportunity.id,
        })
      }
      return [
        ...contacts.map(
          ({ id }) =>
            () =>
              tenant.client.delete(`/contacts/${id}`),
        ),
        ...opportunities.map(
          ({ id }) =>
            () =>
              tenant.client.delete(`/opportunities/${id}`),
        ),
      ]
    },
  ],
]

test.each(races)(
  '%s do not stop each other',
  async (_, prepare) => {
    const before = await deadlocks()
    for (let round = 0; round < ROUNDS; round++) {
      const works = await prepare()
      const all = Array.from({ length: AT_ONCE }, () => works).flat()
      const answers = await Promise.all(all.map((work) => work()))
      const codes = answers.map(({ status, body }) => body.errors?.[0].extensions.code ?? body.error?.code ?? status)
      for (const code of codes) expect(['SERVICE_UNAVAILABLE', 'INTERNAL_ERROR']).not.toContain(code)
      for (const { status } of answers) expect(status).toBeLessThan(500)
    }
    expect((await deadlocks()) - before).toBe(0)
  },
  180_000,
)

interface Outcome {
  name: string
  status: number
  code?: string
  ms: number
}

test('no writes wait for each other in a circle, whatever is done at once to a few records', async () => {
  const schema = createSchema(assembly)
  const mutations = Object.values(schema.getMutationType()!.getFields()) as GraphQLField<unknown, unknown>[]
  const endpoints = endpointsOf(EXTERNAL, schema).filter(({ mount }) => mount.method !== 'GET')
  const storm = new Storm(service.database, tenant.accountId)
  const { client, accountId } = tenant
  const outcomes: Outcome[] = []
  const missing = new Set([...mutations.map(({ name }) => name), ...endpoints.map(nameOf)])
  const note = (outcome: Outcome) => {
    outcomes.push(outcome)
    if (!outcome.code && outcome.status < 300) missing.delete(outcome.name)
  }
  const goesOn = () => outcomes.length < (missing.size > 0 ? PATIENCE * WRITES : WRITES)

  const write = async () => {
    const at = Math.floor(Math.random() * (mutations.length + endpoints.length * 3))
    const begin = performance.now()
    const field = mutations[at]
    if (field) {
      const made = storm.mutation(field)
      if (!made) return
      const { status, body } = await client.graphql(made.query, made.variables)
      const code = body.errors?.[0]?.extensions?.code
      note({ name: field.name, status, code, ms: performance.now() - begin })
    } else {
      const endpoint = endpoints[(at - mutations.length) % endpoints.length]!
      const variables = storm.call(endpoint)
      if (!variables) return
      const { status, body } = await callWith(client, endpoint, variables)
      note({ name: nameOf(endpoint), status, code: body?.error?.code, ms: performance.now() - begin })
    }
  }
  const writer = async () => {
    while (goesOn()) await write()
  }
  const observer = async () => {
    while (goesOn()) {
      await storm.look()
      await converse()
      await delay(20)
    }
  }
  /** Now and then a conversation about a contact and an opportunity, which need not belong together. */
  const converse = async () => {
    await service.database.pool
      .query(
        `insert into conversation (id, account_id, channel, contact_id, opportunity_id)
       select gen_random_uuid(), $1, 'WHATSAPP', (select id from contact where account_id = $1 order by random() limit 1),
         (select id from opportunity where account_id = $1 order by random() limit 1)
       where (select count(*) from conversation where account_id = $1) < 8`,
        [accountId],
      )
      .catch(() => {}) // one of the two has just been deleted
  }
  const before = await deadlocks()
  await storm.look()
  await Promise.all([observer(), ...Array.from({ length: WRITERS }, writer)])

  const broken = outcomes.filter(
    ({ status, code }) => status >= 500 || code === 'SERVICE_UNAVAILABLE' || code === 'INTERNAL_ERROR',
  )
  expect(broken).toEqual([])
  expect((await deadlocks()) - before).toBe(0)
  const times = outcomes.map(({ ms }) => ms).sort((a, b) => a - b)
  expect(times.at(-1)! - times[times.length >> 1]!).toBeLessThan(SLOWER_MS)
  expect([...missing]).toEqual([])
}, 300_000)
