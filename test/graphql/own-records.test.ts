import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { assembly } from '../../src/assembly.js'
import { createSchema } from '../../src/graphql/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeConversation } from '../support/factories/conversations.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { makeContact, makeTenant, type Tenant } from '../support/factories.js'
import { sellersOf } from '../support/sellers.js'

const schema = createSchema(assembly)
const MARK = 'SOMEBODY-ELSES'
const DEPTH = 5

let service: TestApp
let tenant: Tenant
const sellers = sellersOf(() => service)
/** Ids of what is another seller's, by table. */
let foreign: Record<string, string[]>

beforeAll(async () => {
  service = await startTestApp()
  const { database } = service
  tenant = await makeTenant(service)
  const { accountId } = tenant
  const other = await sellers.make(accountId)
  const contact = await makeContact(database, accountId, {
    name: MARK,
    email: `${MARK}@x.test`,
    company: MARK,
    notes: [MARK],
  } as never)
  const campaign = await makeCampaign(database, accountId, { contactIds: [contact.id] })
  const opportunity = await makeOpportunity(database, accountId, {
    contact,
    title: MARK,
    campaignId: campaign.id,
    ownerUserId: other.user.id,
    comments: [MARK],
    products: [{ name: MARK }],
    history: [{ notes: MARK }],
  })
  const conversation = await makeConversation(database, accountId, {
    contactId: contact.id,
    opportunityId: opportunity.id,
    campaignId: campaign.id,
    assignedUserId: other.user.id,
    messages: [{ content: MARK }],
  })
  foreign = {
    contact: [contact.id],
    opportunity: [opportunity.id],
    conversation: [conversation.id],
    campaignContact: campaign.memberIds,
    campaign: [campaign.id],
  }
})
afterAll(async () => {
  sellers.restore()
  await service.stop()
})

/** Everything that can be selected of a type without further values, down to a depth. */
function everythingOf(output: GraphQLOutputType, depth = DEPTH): string {
  const type = getNamedType(output)
  if (!isObjectType(type)) return ''
  const fields = Object.values(type.getFields())
    .filter(({ args }) => !args.some(isRequired))
    .map((field) => [field.name, getNamedType(field.type), everythingOf(field.type, depth - 1)] as const)
    .filter(([, type, below]) => !isObjectType(type) || (depth > 1 && below !== ''))
  return fields.length > 0 ? `{ ${fields.map(([name, , below]) => `${name} ${below}`).join(' ')} }` : ''
}

const isRequired = ({ type, defaultValue }: GraphQLArgument) => isNonNullType(type) && defaultValue === undefined

/** The calls of a root field: with each foreign id for what it needs, and as it is. */
function callsOf({ name, args, type }: GraphQLField<unknown, unknown>): string[] {
  const needed = args.filter(isRequired)
  if (needed.some(({ type }) => isInputObjectType(getNamedType(type)))) return []
  const ids = needed.length > 0 ? Object.values(foreign).flat() : ['']
  return ids.map((id) => {
    const given = needed.map((arg) => `${arg.name}: "${id}"`).join(', ')
    return `{ ${name}${given && `(${given})`} ${everythingOf(type, needed.length > 0 ? DEPTH : DEPTH - 1)} }`
  })
}

const roots = Object.values(schema.getQueryType()!.getFields())

test.each(roots.map((field) => [field.name, field] as const))(
  '%s shows a seller nothing that is not theirs',
  async (_, field) => {
    const { client } = await sellers.make(tenant.accountId, ['*'])
    for (const query of callsOf(field)) {
      const { text } = await client.graphql(query)
      expect(text).not.toMatch(/GRAPHQL_VALIDATION_FAILED|QUERY_TOO_COMPLEX|INTERNAL/)
      expect(text).not.toContain(MARK)
      for (const id of ['contact', 'opportunity', 'conversation', 'campaignContact'].flatMap((of) => foreign[of]!)) {
        expect(text).not.toContain(id)
      }
    }
  },
)

test('the same calls show it to who sees all', async () => {
  const texts: string[] = []
  for (const field of roots) {
    for (const query of callsOf(field)) texts.push((await tenant.client.graphql(query)).text)
  }
  const all = texts.join()
  for (const id of Object.values(foreign).flat()) expect(all).toContain(id)
  expect(all.split(MARK).length).toBeGreaterThan(20)
})
