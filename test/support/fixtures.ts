import { type GraphQLInputType, isInputObjectType, isListType, isNonNullType } from 'graphql'
import { CampaignStatus } from '../../src/domains/campaigns/index.js'
import { ContactTouch } from '../../src/domains/contacts/index.js'
import {
  Conversation,
  ConversationStatus,
  Message,
  MessageStatus,
  SenderType,
} from '../../src/domains/conversations/index.js'
import { FlowStatus } from '../../src/domains/flows/index.js'
import { InstagramAgentStatus } from '../../src/domains/instagram-agents/index.js'
import { HistoryAction, OpportunitySource } from '../../src/domains/opportunities/index.js'
import { Tag } from '../../src/domains/reference/index.js'
import { UserRole } from '../../src/domains/users/index.js'
import { snake } from '../../src/rest/coerce.js'
import type { Endpoint, Parameter } from '../../src/rest/index.js'
import type { TestApp } from './app.js'
import { makeCampaign } from './factories/campaigns.js'
import { makeChannelAccount } from './factories/channels.js'
import { makeAiAgent, makeArticle, makeConversation, makeReferences } from './factories/conversations.js'
import { makeFlow } from './factories/flows.js'
import { makeInstagramAgent } from './factories/instagram.js'
import { makeSender, makeTemplate } from './factories/mail.js'
import { makeOpportunity } from './factories/opportunities.js'
import { defaultPipelineOf, makePipeline } from './factories/pipelines.js'
import { makeDiscardReason, makeProduct, makeSector } from './factories/reference.js'
import { makeDeal } from './factories/reports.js'
import { makeUser } from './factories/users.js'
import { makeContact, makeTag, makeTenant, type Tenant } from './factories.js'

type Make = (world: World) => Promise<string[]>

/**
 * How to make a record of each kind that an endpoint can name by id, in a world where the records hang together: lists
 * that are filtered by one of these ids find something. Keys are spelled as `fixtureKey` spells them. The first id is of
 * a record with something in every field, the others are of poorer ones. Names and other texts are fixed, so that two
 * worlds are equal but for ids and times.
 */
const FIXTURES: Record<string, Make> = {
  tags: async ({ service, accountId }) => [(await makeTag(service.database, accountId, { name: 'Hot' })).id],
  sector_id: async ({ service: { database }, accountId }) => [
    (await makeSector(database, accountId, { name: 'Inside', description: 'Calls.', color: '#2563eb' })).id,
    (await makeSector(database, accountId, { name: 'Field', isActive: false })).id,
  ],
  discard_reason_id: async ({ service: { database }, accountId }) => [
    (await makeDiscardReason(database, accountId, { name: 'Budget', description: 'None.', displayOrder: 1 })).id,
    (await makeDiscardReason(database, accountId, { name: 'Timing', isActive: false })).id,
  ],
  product_id: async ({ service: { database }, accountId }) => [
    (await makeProduct(database, accountId, { ...RICH_PRODUCT })).id,
    (await makeProduct(database, accountId, { name: 'Visit', isActive: false })).id,
  ],
  activate_agent_id: async ({ service: { database }, accountId }) => [
    (await makeAiAgent(database, accountId, { name: 'Sofia', opening: 'Hello {{first_name}}' })).id,
    (await makeAiAgent(database, accountId, { name: 'Clara', type: 'instagram' })).id,
  ],
  'ai-agents/id': async (world) => {
    const { database } = world.service
    const rich = await makeAiAgent(database, world.accountId, { ...RICH_AI_AGENT, ...(await ofChannel(world)) })
    const poor = await makeAiAgent(database, world.accountId, { name: 'Rui' })
    await makeArticle(database, world.accountId, rich.id)
    return [rich.id, poor.id]
  },
  agent_channel_account_id: async ({ service: { database }, accountId }) => [
    (await makeChannelAccount(database, accountId)).id,
    (await makeChannelAccount(database, accountId, { kind: 'linkedin' })).id,
  ],
  channel_account_id: (world) => world.ids('agent_channel_account_id'),
  enroll_in_flow_id: async ({ service: { database }, accountId }) => [
    (await makeFlow(database, accountId)).id,
    (await makeFlow(database, accountId, { status: FlowStatus.PAUSED })).id,
  ],
  send_template_email_id: async ({ service: { database }, accountId }) => [
    (await makeTemplate(database, accountId)).id,
    (await makeTemplate(database, accountId, { name: 'Bare', html: 'Hello' })).id,
  ],
  email_sender_id: async ({ service: { database }, accountId }) => [
    (await makeSender(database, accountId, { isDefault: true })).id,
    (await makeSender(database, accountId, { verifiedAt: null })).id,
  ],
  owner_user_id: async (world) => {
    const { service, accountId } = world
    const rich = { name: 'Bia', email: `bia@${accountId}.example`, role: UserRole.ADMIN }
    const poor = { name: 'Leo', email: `leo@${accountId}.example`, isActive: false }
    const sectorId = await world.id('sector_id')
    return [
      (await makeUser(service.database, accountId, { ...rich, sectorId })).id,
      (await makeUser(service.database, accountId, poor)).id,
    ]
  },
  // A won opportunity stands in it, of the sector and the owner, so that reports that are filtered by one of them differ.
  pipeline_id: async (world) => {
    const { service, accountId } = world
    const { id: pipelineId, stageIds } = await defaultPipelineOf(service.database, accountId)
    const [sectorId, ownerUserId] = [await world.id('sector_id'), await world.id('owner_user_id')]
    const deal = { title: 'Rich', value: 12_500.5, sectorId, ownerUserId, ...DEAL_TIMES }
    await makeDeal(service.database, accountId, { ...deal, pipelineId, stageId: stageIds[0]! })
    return [pipelineId, (await makePipeline(service.database, accountId, { name: 'Poor', isActive: false })).id]
  },
  'contacts/id': async (world) => {
    const { service, accountId } = world
    const em = service.database.fork()
    const tag = await em.findOneOrFail(Tag, { id: await world.id('tags') }, { filters: false })
    const rich = await makeContact(service.database, accountId, { ...RICH_CONTACT, tags: [tag], notes: ['Called.'] })
    em.create(ContactTouch, { ...TOUCH, contact: rich.id, accountId })
    await em.flush()
    const poor = await makeContact(service.database, accountId, { name: 'Poor' })
    return [rich.id, poor.id]
  },
  contact_id: (world) => world.ids('contacts/id'),
  opportunity_id: async (world) => {
    const { opportunityId } = await world.service.database
      .fork()
      .findOneOrFail(Conversation, { id: await world.id('conversations/id') }, { filters: false })
    return [opportunityId!]
  },
  'conversations/id': async (world) => {
    const { database } = world.service
    const references = await makeReferences(database, world.accountId, await world.id('contact_id'))
    const channelAccountId = await world.id('agent_channel_account_id')
    const whole = { ...RICH_CONVERSATION, ...references, channelAccountId }
    const rich = await makeConversation(database, world.accountId, whole)
    return [rich.id, (await makeConversation(database, world.accountId)).id]
  },
  'messages/id': async (world) => {
    const conversationId = await world.id('conversations/id')
    const found = await world.service.database
      .fork()
      .find(Message, { conversationId }, { filters: false, orderBy: { sentAt: 'desc' } })
    return found.map(({ id }) => id)
  },
  'campaigns/id': async (world) => {
    const { service, accountId } = world
    const contactIds = await world.ids('contacts/id')
    const rich = await makeCampaign(service.database, accountId, { ...RICH_CAMPAIGN, contactIds })
    const poor = await makeCampaign(service.database, accountId, { name: 'Poor' })
    return [rich.id, poor.id]
  },
  campaign_id: (world) => world.ids('campaigns/id'),
  // A loss stage, which takes reasons; no opportunity but the last stands in it.
  stage_id: async ({ service: { database }, accountId }) => {
    const { stageIds } = await defaultPipelineOf(database, accountId)
    return [stageIds.at(-1)!, stageIds[0]!]
  },
  'opportunities/id': async (world) => {
    const { service, accountId } = world
    const [lost, first] = (await world.ids('stage_id')) as [string, string]
    const line = { ...RICH_LINE, productId: await world.id('product_id') }
    const rich = await makeOpportunity(service.database, accountId, {
      ...RICH_OPPORTUNITY,
      ownerUserId: await world.id('owner_user_id'),
      sectorId: await world.id('sector_id'),
      campaignId: await world.id('campaigns/id'),
      discardReasonId: await world.id('discard_reason_id'),
      contact: { ...RICH_CONTACT, email: `lead${await countContacts(world)}@example.com` },
      products: [line],
      comments: [{ content: 'Wants a visit.', userName: 'Bia' }],
      history: [{ ...RICH_STEP, fromStageId: first, toStageId: lost }],
    })
    const poor = await makeOpportunity(service.database, accountId, { title: 'Poor', contact: null })
    const last = await makeOpportunity(service.database, accountId, { title: 'Lost', stageId: lost })
    return [rich.id, poor.id, last.id]
  },
  'instagram-agents/id': async ({ service, accountId }) => {
    const rich = await makeInstagramAgent(service.database, accountId, { ...RICH_AGENT, usernames: ['a.studio'] })
    const poor = await makeInstagramAgent(service.database, accountId, { name: 'Poor' })
    return [rich.id, poor.id]
  },
}

const ofChannel = async (world: World) => ({ channelAccountId: await world.id('agent_channel_account_id') })

const RICH_AI_AGENT = {
  name: 'Marta',
  persona: 'Friendly and brief.',
  opening: 'Hello {{first_name}}',
  openingTemplate: { name: 'first_contact', language: 'pt_BR', parameters: ['{{first_name}}'] },
  scripts: [{ keywords: ['price'], reply: 'It depends on your roof.' }],
  fallback: 'I will ask a colleague.',
  criteria: [{ name: 'Has a budget', keywords: ['budget'], points: 40 }],
}

const DEAL_TIMES = {
  createdAt: new Date('2026-01-31T09:30:00.000Z'),
  sentAt: new Date('2026-01-31T10:30:00.000Z'),
  acceptedAt: new Date('2026-01-31T12:30:00.000Z'),
  qualifyingStartedAt: new Date('2026-02-01T09:30:00.000Z'),
  qualifiedAt: new Date('2026-02-02T09:30:00.000Z'),
  wonAt: new Date('2026-02-03T09:30:00.000Z'),
}

const RICH_CONVERSATION = {
  status: ConversationStatus.CLOSED, // so that it changes, whoever has it next
  isGroup: true,
  groupId: 'buyers',
  groupName: 'Buyers',
  qualificationScore: 80,
  qualificationStage: 'hot',
  qualificationReasons: ['Has a budget'],
  objectionsHistory: ['Too expensive'],
  lastMessageAt: new Date('2026-01-31T09:31:00.000Z'),
  messages: [
    {},
    {
      senderType: SenderType.AI,
      status: MessageStatus.READ,
      deliveredAt: new Date('2026-01-31T09:39:00.000Z'),
      readAt: new Date('2026-01-31T09:40:00.000Z'),
    },
  ],
}

const RICH_CAMPAIGN = {
  name: 'Rich',
  description: 'With everything.',
  status: CampaignStatus.ACTIVE,
  channel: 'linkedin',
  automationActive: true,
}

/** Part of an email address that stays unique when a record was deleted and is made again. */
async function countContacts({ service, accountId }: World): Promise<number> {
  const { rows } = await service.database.pool.query('select count(*) from contact where account_id = $1', [accountId])
  return rows[0].count
}

const LATER = new Date('2026-01-31T09:30:00.000Z')

const RICH_OPPORTUNITY = {
  title: 'Rich',
  value: 1791.45,
  currency: 'EUR',
  probability: 60,
  expectedCloseDate: '2026-12-31',
  score: 75,
  source: OpportunitySource.LIST,
  notes: 'Met at the fair.',
  sentAt: LATER,
  acceptedAt: LATER,
  qualifyingStartedAt: LATER,
  qualifiedAt: LATER,
  scheduledAt: LATER,
  wonAt: LATER,
  lostAt: LATER,
  lossReason: 'Too dear.',
  discardedAt: LATER,
}

const RICH_LINE = { name: 'Kit', quantity: 1, unitPrice: 1990.5, discountPercent: 10, discountValue: 0 }

const RICH_STEP = {
  action: HistoryAction.STAGE_CHANGED,
  fromStageName: 'New',
  toStageName: 'Lost',
  fromValue: 0,
  toValue: 1791.45,
  notes: 'Too dear.',
  userName: 'Bia',
}

const RICH_AGENT = {
  name: 'Rich',
  description: 'With everything.',
  searchNiche: 'architecture',
  searchLocation: 'Lisboa',
  status: InstagramAgentStatus.PAUSED,
  totalLimit: 1_000_000,
}

const RICH_PRODUCT = { name: 'Kit', description: 'Panels.', defaultPrice: 1990.5, currency: 'EUR', timeUnit: 'month' }

const RICH_CONTACT = {
  name: 'Rich',
  email: 'rich@example.com',
  phone: '+5511999990000',
  company: 'Acme',
  title: 'Buyer',
  location: 'Lisboa',
  linkedinProfileUrl: 'https://www.linkedin.com/in/rich',
  headline: 'Buys',
  about: 'Has bought.',
  profilePicture: 'https://example.com/rich.png',
  source: 'form',
  sourceChannel: 'whatsapp',
  customFields: { segment: 'A' },
  lastInteraction: new Date('2026-01-31T09:30:00.000Z'),
}

const TOUCH = {
  occurredAt: new Date('2026-01-30T09:30:00.000Z'),
  channel: 'paid_search',
  landingUrl: 'https://example.com/landing',
  utmSource: 'google',
  utmMedium: 'cpc',
  utmCampaign: 'spring',
  raw: { utm_source: 'google', gclid: 'x' },
}

/** The key of the fixture for a parameter: its name, in a path after the segment before it. */
export function fixtureKey({ mount }: Endpoint, { source, name }: Pick<Parameter, 'source' | 'name'>): string {
  if (source !== 'path') return name
  const parts = mount.path.split('/')
  return `${parts[parts.indexOf(`:${name}`) - 1]}/${name}`
}

/** Whether there is a fixture under this key. */
export const hasFixture = (key: string): boolean => Object.hasOwn(FIXTURES, key)

/** An account with one record of each kind, made when they are first asked for, or all at once. */
export class World implements Tenant {
  private readonly made = new Map<string, Promise<string[]>>()
  readonly accountId: string
  readonly keyId: string
  readonly key: string
  readonly client: Tenant['client']

  private constructor(
    readonly service: TestApp,
    { accountId, keyId, key, client }: Tenant,
  ) {
    this.accountId = accountId
    this.keyId = keyId
    this.key = key
    this.client = client
  }

  /** A new account whose records are made when they are asked for. */
  static async bare(service: TestApp): Promise<World> {
    return new World(service, await makeTenant(service))
  }

  /** A new account with all records. */
  static async make(service: TestApp): Promise<World> {
    const world = await World.bare(service)
    for (const key of Object.keys(FIXTURES)) await world.ids(key)
    return world
  }

  /** The ids of the records of a kind, the richest first. */
  ids(key: string): Promise<string[]> {
    const make = FIXTURES[key]
    if (!make) throw new Error(`Nothing in test/support/fixtures.ts makes a record for ${key}: register a fixture.`)
    let ids = this.made.get(key)
    if (!ids) {
      ids = make(this)
      this.made.set(key, ids)
    }
    return ids
  }

  /** The id of the richest record of a kind. */
  async id(key: string): Promise<string> {
    return (await this.ids(key))[0]!
  }

  /** Forgets the records of a kind, which were deleted: new ones are made when they are asked for. */
  forget(key: string): void {
    this.made.delete(key)
  }
}

/** A place in an endpoint's input where the id of a record stands. */
export interface IdSlot {
  parameter: Parameter
  /** Below the variable, in GraphQL's names; empty where the variable is the id itself. */
  below: string[]
  list: boolean
  key: string
}

/** Every place in an endpoint's input where the id of a record stands: whatever is of type ID, at any depth. */
export function idSlots(endpoint: Endpoint): IdSlot[] {
  return endpoint.parameters.flatMap((parameter) =>
    idsIn(parameter.type).map(({ below, list }) => ({
      parameter,
      below,
      list,
      key: below.length > 0 ? snake(below.at(-1)!) : fixtureKey(endpoint, parameter),
    })),
  )
}

function idsIn(type: GraphQLInputType, below: string[] = [], list = false): { below: string[]; list: boolean }[] {
  if (isNonNullType(type)) return idsIn(type.ofType, below, list)
  if (isListType(type)) return idsIn(type.ofType, below, true)
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).flatMap((field) => idsIn(field.type, [...below, field.name], list))
  }
  return type.name === 'ID' ? [{ below, list }] : []
}
