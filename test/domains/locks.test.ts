import { newId } from '../../src/shared/ids.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { Deadlocks, NONE } from '../support/deadlocks.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeConversation } from '../support/factories/conversations.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { defaultPipelineOf, makePipeline, makeRule } from '../support/factories/pipelines.js'
import { makeUser } from '../support/factories/users.js'
import { makeContact, makeTag, makeTenant, type Tenant } from '../support/factories.js'

const ROUNDS = process.env.FULL === 'true' ? 30 : 2
const AT_ONCE = 3

let service: TestApp
let tenant: Tenant
beforeAll(async () => {
  service = await startTestApp({ poolSize: 16, rowSecurity: false })
})
afterAll(() => service.stop())
beforeEach(async () => {
  tenant = await makeTenant(service)
})

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
  [
    'deletions of stages, and moves of opportunities between them both ways',
    async () => {
      const { database, accountId } = { ...service, ...tenant }
      const [a, b] = await Promise.all([1, 2].map(() => makePipeline(database, accountId)))
      const into = (stage: { id: string; pipelineId: string }) =>
        makeOpportunity(database, accountId, { pipelineId: stage.pipelineId, stageId: stage.id })
      const stages = [a!.stages[0]!, b!.stages[0]!] as const
      const standing = await Promise.all([...stages, ...stages].map(into))
      return [
        ...stages.map(({ id }) => graphql(`mutation { deleteStage(id: "${id}") { id } }`)),
        ...standing.map(({ id }, i) => put(`/opportunities/${id}`, { stage_id: stages[(i + 1) % 2]!.id, value: i })),
        () => tenant.client.delete(`/opportunities/${standing[3]!.id}`),
      ]
    },
  ],
  [
    'admins who are made and switched off',
    async () => {
      const users = await Promise.all([1, 2, 3].map(() => makeUser(service.database, tenant.accountId)))
      const change = (input: string) =>
        users.map(({ id }) => graphql(`mutation { updateUser(id: "${id}", input: {${input}}) { id } }`))
      return [
        ...change('role: ADMIN, isActive: true'),
        ...change('isActive: false'),
        ...change('role: ADMIN'),
        ...change('role: SELLER, isActive: true'),
      ]
    },
  ],
  [
    'users who swap their emails, and contacts and tags that do',
    async () => {
      const { database, accountId } = { ...service, ...tenant }
      const [a, b] = [1, 2].map(() => `${newId()}@example.com`)
      const users = await Promise.all([a, b].map((email) => makeUser(database, accountId, { email })))
      const contacts = await Promise.all([a, b].map((email) => makeContact(database, accountId, { email })))
      const tags = await Promise.all([a, b].map((name) => makeTag(database, accountId, { name })))
      const swap = (what: string, field: string, ids: { id: string }[]) =>
        [a, b, a].flatMap((text, i) =>
          ids.map(({ id }, j) =>
            graphql(`mutation { ${what}(id: "${id}", input: {${field}: "${[text, b, a][(i + j) % 3]}"}) { id } }`),
          ),
        )
      return [
        ...swap('updateUser', 'email', users),
        ...swap('updateContact', 'email', contacts),
        ...swap('updateTag', 'name', tags),
      ]
    },
  ],
  [
    'deletions of tags, new contacts that have them, and carriers that take the same email',
    async () => {
      const { database, accountId } = { ...service, ...tenant }
      const tags = await Promise.all([1, 2].map(() => makeTag(database, accountId)))
      const email = `${newId()}@example.com`
      const carriers = await Promise.all([1, 2].map(() => makeContact(database, accountId, { tags })))
      return [
        ...tags.map(({ id }) => graphql(`mutation { deleteTag(id: "${id}") { id } }`)),
        ...tags.map(
          ({ id }) =>
            () =>
              tenant.client.post('/contacts', { name: 'N', email, tags: [id] }),
        ),
        ...carriers.map(({ id }) => put(`/contacts/${id}`, { email })),
      ]
    },
  ],
  [
    'deletions of users who are members of the same rules',
    async () => {
      const { database, accountId } = { ...service, ...tenant }
      const users = await Promise.all([1, 2, 3, 4].map(() => makeUser(database, accountId)))
      const ids = users.map(({ id }) => id)
      const pipelines = await Promise.all([1, 2, 3, 4].map(() => makePipeline(database, accountId)))
      for (const [i, { id: pipelineId }] of pipelines.entries()) {
        await makeRule(database, accountId, { pipelineId, userIds: i % 2 ? ids : ids.toReversed() })
      }
      return [
        ...ids.map((id) => graphql(`mutation { deleteUser(id: "${id}") { id } }`)),
        ...pipelines.map(({ id }, i) =>
          graphql(`mutation { setRoundRobinRule(input: {target: {pipelineId: "${id}"},
            userIds: ${JSON.stringify([ids[i], ids[(i + 1) % 4]])}}) { id } }`),
        ),
        ...pipelines.map(
          ({ id }) =>
            () =>
              tenant.client.post('/opportunities', { name: 'X', pipeline_id: id }),
        ),
      ]
    },
  ],
]

test.each(races)(
  '%s do not stop each other',
  async (_, prepare) => {
    const deadlocks = await Deadlocks.watch(service.database)
    for (let round = 0; round < ROUNDS; round++) {
      const works = await prepare()
      const all = Array.from({ length: AT_ONCE }, () => works).flat()
      const answers = await Promise.all(all.map((work) => work()))
      const codes = answers.map(({ status, body }) => body.errors?.[0].extensions.code ?? body.error?.code ?? status)
      for (const code of codes) expect(['SERVICE_UNAVAILABLE', 'INTERNAL_ERROR']).not.toContain(code)
      for (const { status } of answers) expect(status).toBeLessThan(500)
    }
    expect(await deadlocks.found()).toEqual(NONE)
  },
  180_000,
)
