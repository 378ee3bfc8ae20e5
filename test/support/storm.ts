import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql'
import type { Database } from '../../src/database/index.js'
import type { Endpoint } from '../../src/rest/index.js'
import type { Variables } from './calls.js'

/** Which table an id is of, by the end of the name of what it is given for; other names of it come first. */
const TABLES: [RegExp, string][] = [
  [/^(owner_?user|default_?responsible|user)_?ids?$/i, 'app_user'],
  [/^contact_?id$/i, 'contact'],
  [/^campaign_?id$/i, 'campaign'],
  [/^agent_?id$/i, 'instagram_agent'],
  [/^ai_?agent_?id$/i, 'ai_agent'],
  [/^pipeline_?id$/i, 'pipeline'],
  [/^stage_?ids?$/i, 'stage'],
  [/^product_?id$/i, 'product'],
  [/^tags|tag_?ids$/i, 'tag'],
  [/^sector_?id$/i, 'sector'],
  [/^discard_?reason_?id$/i, 'discard_reason'],
  [/^line_?id$/i, 'opportunity_product'],
  [/^comment_?id$/i, 'opportunity_comment'],
  [/^flow_?id$/i, 'flow'],
  [/^template_?id$/i, 'email_template'],
  [/^sender_?id$/i, 'email_sender'],
  [/^conversation_?id$/i, 'conversation'],
]

/** What a mutation's own `id` is of, where that is not the table of the type that its name ends with. */
const OWN: Record<string, string> = {
  CampaignContact: 'campaign_contact',
  InstagramProfile: 'instagram_profile',
  OpportunityProduct: 'opportunity',
  OpportunityComment: 'opportunity',
  RoundRobinRule: 'round_robin_rule',
  ContactNote: 'contact_note',
  Pipelines: 'pipeline',
  User: 'app_user',
  EmailSender: 'email_sender',
  DefaultEmailSender: 'email_sender',
  FlowEnrollment: 'flow_enrollment',
  AiAgent: 'ai_agent',
  KnowledgeArticle: 'knowledge_article',
  ChannelAccount: 'channel_account',
  Channel: 'channel_account',
  OverConversation: 'conversation',
  BackConversation: 'conversation',
  WithAiAgent: 'ai_agent',
  AiAgentAction: 'ai_agent',
  EmailTemplate: 'email_template',
  Suppression: 'mail_suppression',
}

/** Fields without which an input is refused, though none of them is needed by itself. */
const NEEDED: Record<string, string[]> = {
  AddOpportunityProductInput: ['name', 'unitPrice'],
  UpdateOpportunityInput: ['notes'],
}

/** Records of a kind that the storm keeps at least and at most; what belongs to one of them goes with it anyway. */
const FEW: Record<string, [least: number, most: number]> = {
  stage: [6, 40],
  opportunity_product: [0, 8],
  opportunity_comment: [0, 8],
  contact_note: [0, 8],
  knowledge_article: [0, 8],
}
const FEW_OF_OTHERS: [number, number] = [2, 5]

/** Which records of a table can still be used. */
const LIVE: Record<string, string> = {
  ...Object.fromEntries(
    ['app_user', 'campaign', 'sector', 'discard_reason', 'product', 'email_template', 'email_sender'].map((table) => [
      table,
      'deleted_at is null',
    ]),
  ),
  flow: "status <> 'archived'",
}

const NOBODY = '00000000-0000-7000-8000-000000000000'
const random = (below: number) => Math.floor(Math.random() * below)
const anyOf = <T>(list: readonly T[]): T | undefined => list[random(list.length)]
const shuffled = <T>(list: readonly T[]) =>
  list
    .map((one) => [Math.random(), one] as const)
    .sort()
    .map(([, one]) => one)
const snake = (name: string) => name.replace(/[A-Z]/g, (letter, at) => `${at ? '_' : ''}${letter.toLowerCase()}`)

/** The few records of an account, and mutations that all want the same of them. */
export class Storm {
  private ids: Record<string, string[]> = {}
  /** Pipelines with their stages; an order of stages is one of a pipeline. */
  private pipelines: { id: string; stages: string[] }[] = []
  private pipeline?: { id: string; stages: string[] }

  constructor(
    private readonly database: Database,
    private readonly accountId: string,
  ) {}

  /** Looks up which records there are now. */
  async look(): Promise<void> {
    const tables = [...new Set([...TABLES.map(([, table]) => table), ...Object.values(OWN)])]
    const parts = tables.map((table) => {
      const live = LIVE[table] ? `and ${LIVE[table]}` : ''
      return `'${table}', array(select id::text from ${table} where account_id = $1 ${live})`
    })
    const pipelines = `select json_build_object('id', p.id, 'stages', array(select s.id from stage s
      where s.account_id = p.account_id and s.pipeline_id = p.id)) from pipeline p where p.account_id = $1`
    const { rows } = await this.database.pool.query(
      `select json_build_object(${parts.join(', ')}) as ids, array(${pipelines}) as pipelines`,
      [this.accountId],
    )
    this.ids = rows[0].ids
    this.pipelines = rows[0].pipelines
  }

  /** A document and variables for a mutation; undefined when there are too many or too few records for it now. */
  mutation({ name, args, type }: GraphQLField<unknown, unknown>): { query: string; variables: Variables } | undefined {
    const [, verb, what] = /^([a-z]+)(\w+)$/.exec(name)!
    const table = OWN[what!] ?? snake(what!)
    if (!this.suits(verb!, snake(what!))) return undefined
    this.pipeline = args.some(({ name }) => name === 'stageIds') ? anyOf(this.pipelines) : undefined
    const given = args.map((arg) => [arg, this.value(arg.name, arg.type, table)] as const)
    const declared = args.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')
    const passed = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ')
    const shown = /\bDeletedRecord\b/.test(String(type)) ? '{ id }' : '{ __typename }'
    const fields = isLeafType(getNamedType(type)) ? '' : shown
    const variables = Object.fromEntries(given.map(([arg, value]) => [arg.name, value]))
    return { query: `mutation (${declared}) { ${name}(${passed}) ${fields} }`, variables }
  }

  /** Variables for an endpoint that writes; undefined as for mutations. */
  call({ mount, parameters }: Endpoint): Variables | undefined {
    const [, table] = mount.path.split('/')
    const singular = table!.replace(/ies$/, 'y').replace(/s$/, '').replace('-', '_')
    const isWhole = mount.path.split('/').length < 4
    const verb = { POST: 'create', DELETE: 'delete' }[mount.method as string] ?? 'update'
    if (isWhole && !this.suits(verb, singular)) return undefined
    const chosen = parameters.filter(({ required, source }) => required || (source === 'body' && random(3) === 0))
    return Object.fromEntries(chosen.map(({ name, type }) => [name, this.value(name, type, singular)]))
  }

  private suits(verb: string, table: string): boolean {
    const [least, most] = FEW[table] ?? FEW_OF_OTHERS
    const count = this.ids[table]?.length ?? least + 1
    if (/^(delete|remove)/.test(verb)) return count > least
    return /^(create|add)/.test(verb) ? count < most : true
  }

  private value(name: string, type: GraphQLInputType, own: string): unknown {
    if (isNonNullType(type)) return this.value(name, type.ofType, own)
    if (this.pipeline && name === 'pipelineId') return this.pipeline.id
    if (this.pipeline && name === 'stageIds') return shuffled(this.pipeline.stages)
    if (name === 'steps') return this.steps()
    if (name === 'sendWindow') return { days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', until: '24:00' }
    if (name === 'names') return shuffled([0, 1, 2, 3].map((n) => `name ${n}`)).slice(0, 1 + random(3))
    if (name === 'ids') return shuffled(this.ids[own] ?? [])
    if (name === 'messages' && isListType(type)) return [this.value(name, type.ofType, own)]
    const table = name === 'id' ? own : this.tableOf(name)
    if (table) {
      const ids = this.ids[table] ?? []
      return isListType(type) ? shuffled(ids).slice(0, random(3)) : (anyOf(ids) ?? NOBODY)
    }
    if (isListType(type)) return []
    if (isEnumType(type)) return anyOf(type.getValues())!.name
    if (isInputObjectType(type)) {
      const needed = NEEDED[type.name] ?? []
      const fields = Object.values(type.getFields()).filter(
        ({ name, type }) => isNonNullType(type) || needed.includes(name) || random(3) === 0,
      )
      return Object.fromEntries(fields.map((field) => [field.name, this.value(field.name, field.type, own)]))
    }
    return this.scalar(name, type.name)
  }

  /** Steps that happen at once, of every kind, in whatever order. */
  private steps(): unknown[] {
    const one = (table: string) => anyOf(this.ids[table] ?? []) ?? NOBODY
    const kinds = [
      { kind: 'TAG', tagId: one('tag') },
      { kind: 'MOVE', stageId: one('stage') },
      { kind: 'SEND', templateId: one('email_template'), senderId: one('email_sender') },
      { kind: 'WAIT', waitSeconds: 1 },
      { kind: 'STOP' },
    ]
    return shuffled(kinds).slice(0, 1 + random(3))
  }

  private tableOf(name: string): string | undefined {
    return TABLES.find(([pattern]) => pattern.test(name))?.[1]
  }

  private scalar(name: string, type: string): unknown {
    if (/email|address/i.test(name)) return `person-${random(6)}@example.com`
    if (/profile_?url/i.test(name)) return `https://www.linkedin.com/in/person-${random(6)}`
    if (/color/i.test(name)) return '#2563eb'
    if (/currency/i.test(name)) return 'BRL'
    if (/isDefault|isActive|is_active/.test(name)) return true
    const samples: Record<string, unknown> = {
      Int: 1 + random(3),
      Float: 1 + random(50),
      Boolean: random(2) === 0,
      Date: '2026-05-01',
      DateTime: '2026-05-01T10:00:00.000Z',
      JSONObject: { n: random(5) },
    }
    return samples[type] ?? `${name} ${random(4)}`
  }
}
