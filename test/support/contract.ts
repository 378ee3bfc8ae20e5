import { type Described, EXTERNAL_API } from './openapi.js'

/**
 * The contract of the external API, kept by hand from the customer's reference and our decisions, and never from the
 * code. Types are short: `string`, `integer`, `number`, `boolean`, `time` (ISO 8601), `date`, `bound` (one end of a span
 * of time), `object` (free-form), choices as `a|b`; `?` says that it may be null, `!` that it must be sent, `(255)` how
 * long a text may be, `1..100` its range and `=50` its default. Lists stand in brackets.
 */
export type Shape = string | Shape[] | { [name: string]: Shape }

export interface Contract {
  /** The operationId. */
  id: string
  /** `GET /contacts/:id` */
  route: string
  /** The permission it takes; none where any key will do. */
  permission?: string
  path?: string[]
  query?: Record<string, string>
  body?: Record<string, Shape>
  status: number
  /** What stands beside `success`, and `warnings`, which may always be there. Names that end in `?` may be absent. */
  answer: Record<string, Shape>
  /** What stands in their place where the call is accepted and not done yet (202). */
  later?: Record<string, Shape>
  /** Errors of its own, beside those that follow from its kind. */
  errors?: string[]
}

/** `orNull({…})`, `orNull([…])`: an object or a list that may be null. */
export const orNull = (shape: Shape): Shape => ({ 'or null': shape })

/** `toBeSent({…})`: an object that must be sent. */
export const toBeSent = (shape: Shape): Shape => ({ 'to be sent': shape })

const TEXT = 'string(255)?'
const URL = 'string(2048)?'
const LONG = 'string(20000)?'
const FILTER = 'string(2048)'

const PAGE = { page: 'integer 1.. =1', limit: 'integer 1..100 =50', cursor: FILTER }
const SEARCHED = { ...PAGE, search: FILTER }
const CREATED = { created_after: 'bound', created_before: 'bound' }
const UPDATED = { updated_after: 'bound', updated_before: 'bound' }
const PAGINATION: Shape = {
  page: 'integer',
  per_page: 'integer',
  total: 'integer',
  total_pages: 'integer',
  has_next: 'boolean',
  has_prev: 'boolean',
  next_cursor: 'string?',
}
const page = (item: Shape) => ({ data: [item], pagination: PAGINATION })
const STAMPS = { created_at: 'time', updated_at: 'time' }
const DELETED = { data: { id: 'string', deleted: 'boolean' }, message: 'string' }

const CONTACT = {
  id: 'string',
  name: 'string',
  email: 'string?',
  phone: 'string?',
  company: 'string?',
  title: 'string?',
  location: 'string?',
  linkedin_profile_url: 'string?',
  source: 'string',
  source_channel: 'string?',
  custom_fields: 'object?',
  last_interaction: 'time?',
  ...STAMPS,
  tags: [{ id: 'string', name: 'string', color: 'string' }],
}
const CONTACT_WRITE = {
  email: 'string(320)?',
  phone: 'string(40)?',
  company: TEXT,
  title: TEXT,
  location: TEXT,
  linkedin_profile_url: URL,
  tags: orNull(['string']),
  custom_fields: 'object?',
}

const contacts: Contract[] = [
  {
    id: 'listContacts',
    route: 'GET /contacts',
    permission: 'contacts:read',
    query: {
      ...SEARCHED,
      company: FILTER,
      email: FILTER,
      phone: FILTER,
      source: FILTER,
      tags: '[string]',
      ...CREATED,
      ...UPDATED,
      sort_by: 'created_at|updated_at|name|company|last_interaction =created_at',
      sort_order: 'asc|desc =desc',
    },
    status: 200,
    answer: page(CONTACT),
  },
  {
    id: 'getContact',
    route: 'GET /contacts/:id',
    permission: 'contacts:read',
    path: ['id'],
    status: 200,
    answer: {
      data: {
        ...CONTACT,
        notes: [{ id: 'string', note: 'string', created_at: 'time' }],
        attribution: orNull({
          first_utm_source: 'string?',
          first_utm_medium: 'string?',
          first_utm_campaign: 'string?',
          first_channel: 'string?',
          first_landing_url: 'string?',
          first_touch: 'object',
          last_touch: 'object',
          touch_count: 'integer',
          first_seen_at: 'time',
          last_seen_at: 'time',
        }),
      },
    },
  },
  {
    id: 'createContact',
    route: 'POST /contacts',
    permission: 'contacts:write',
    body: { name: 'string(255)!', ...CONTACT_WRITE, source: TEXT },
    status: 201,
    answer: { data: CONTACT },
    errors: ['DUPLICATE_ERROR'],
  },
  {
    id: 'addContactTags',
    route: 'POST /contacts/:id/tags',
    permission: 'tags:write',
    path: ['id'],
    body: { names: toBeSent(['string(255)']) },
    status: 200,
    answer: {
      data: {
        contact_id: 'string',
        tags: [{ id: 'string', name: 'string', color: 'string' }],
        added: ['string'],
        created: ['string'],
      },
    },
  },
  {
    id: 'updateContact',
    route: 'PUT /contacts/:id',
    permission: 'contacts:write',
    path: ['id'],
    body: { name: 'string(255)', ...CONTACT_WRITE },
    status: 200,
    answer: { data: CONTACT },
    errors: ['DUPLICATE_ERROR'],
  },
  {
    id: 'deleteContact',
    route: 'DELETE /contacts/:id',
    permission: 'contacts:delete',
    path: ['id'],
    status: 200,
    answer: DELETED,
  },
]

const SOURCE = 'linkedin|google_maps|list|paid_traffic|other'
const OPPORTUNITY = {
  id: 'string',
  title: 'string',
  value: 'number',
  currency: 'string',
  probability: 'integer?',
  expected_close_date: 'date?',
  pipeline_id: 'string',
  pipeline_name: 'string',
  stage_id: 'string',
  stage_name: 'string',
  campaign_id: 'string?',
  campaign_name: 'string?',
  owner_user_id: 'string?',
  owner_user_name: 'string?',
  owner_user_email: 'string?',
  sector_id: 'string?',
  discard_reason_id: 'string?',
  score: 'integer',
  source: SOURCE,
  notes: 'string?',
  sent_at: 'time?',
  accepted_at: 'time?',
  qualifying_started_at: 'time?',
  qualified_at: 'time?',
  scheduled_at: 'time?',
  won_at: 'time?',
  lost_at: 'time?',
  discarded_at: 'time?',
  ...STAMPS,
}
const CONTACT_SUMMARY = {
  contact_id: 'string?',
  contact_name: 'string?',
  contact_email: 'string?',
  contact_phone: 'string?',
  contact_company: 'string?',
  contact_title: 'string?',
}
/** What the answer to a write of an opportunity holds. */
const OPPORTUNITY_WRITTEN = {
  id: 'string',
  title: 'string',
  score: 'integer',
  source: SOURCE,
  notes: 'string?',
  pipeline_id: 'string',
  stage_id: 'string',
  campaign_id: 'string?',
  owner_user_id: 'string?',
  ...CONTACT_SUMMARY,
  campaign_name: 'string?',
  owner_user_name: 'string?',
  owner_user_email: 'string?',
  ...STAMPS,
}
const WHOLE_OPPORTUNITY = {
  ...OPPORTUNITY,
  ...CONTACT_SUMMARY,
  sector_name: 'string?',
  discard_reason: 'string?',
  products: [
    {
      id: 'string',
      product_id: 'string?',
      name: 'string',
      quantity: 'number',
      unit_price: 'number',
      total_price: 'number',
      discount_percent: 'number?',
      discount_value: 'number?',
    },
  ],
  comments: [{ id: 'string', content: 'string', user_name: 'string?', created_at: 'time' }],
}

const OPPORTUNITY_WRITE = {
  title: TEXT,
  company: TEXT,
  location: TEXT,
  headline: TEXT,
  profile_url: URL,
  profile_picture: URL,
  phone: 'string(40)?',
  email: 'string(320)?',
  score: 'number?',
  notes: LONG,
  owner_user_id: 'string?',
  pipeline_id: 'string?',
  stage_id: 'string?',
}
/** The three optional actions of a creation: what asks for them, and how each reports. */
export const ACTION_FIELDS = {
  activate_agent_id: 'string?',
  agent_channel_account_id: 'string?',
  enroll_in_flow_id: 'string?',
  send_template_email_id: 'string?',
  email_sender_id: 'string?',
}
export const ACTIONS = {
  'agent?': { activated: 'boolean', conversation_id: 'string?', workflow_started: 'boolean', error: 'string?' },
  'flow?': { enrolled: 'boolean', enrollment_id: 'string?', status: 'string?', error: 'string?' },
  'email?': { sent: 'boolean', email_id: 'string?', error: 'string?' },
}
const STAGE_REF = { id: 'string', name: 'string' }

const opportunities: Contract[] = [
  {
    id: 'listOpportunities',
    route: 'GET /opportunities',
    permission: 'opportunities:read',
    query: {
      ...SEARCHED,
      stage_id: 'string',
      pipeline_id: 'string',
      campaign_id: 'string',
      owner_user_id: 'string',
      company: FILTER,
      ...CREATED,
      ...UPDATED,
      sort_by: 'created_at|updated_at|title|value =created_at',
      sort_order: 'asc|desc =desc',
    },
    status: 200,
    answer: page({
      ...OPPORTUNITY,
      ...CONTACT_SUMMARY,
      contact_location: 'string?',
      contact_profile_url: 'string?',
      contact_profile_picture: 'string?',
    }),
  },
  {
    id: 'getOpportunity',
    route: 'GET /opportunities/:id',
    permission: 'opportunities:read',
    path: ['id'],
    status: 200,
    answer: {
      data: WHOLE_OPPORTUNITY,
    },
  },
  {
    id: 'createOpportunity',
    route: 'POST /opportunities',
    permission: 'opportunities:write',
    body: {
      name: 'string(255)!',
      ...OPPORTUNITY_WRITE,
      campaign_id: 'string?',
      sector_id: 'string?',
      source: `${SOURCE}?`,
      ...ACTION_FIELDS,
    },
    status: 201,
    answer: { data: OPPORTUNITY_WRITTEN, 'actions?': ACTIONS },
  },
  {
    id: 'updateOpportunity',
    route: 'PUT /opportunities/:id',
    permission: 'opportunities:write',
    path: ['id'],
    body: { name: 'string(255)', ...OPPORTUNITY_WRITE, pipeline_id: 'string', stage_id: 'string' },
    status: 200,
    answer: { data: WHOLE_OPPORTUNITY },
    errors: ['DUPLICATE_ERROR'],
  },
  {
    id: 'moveOpportunity',
    route: 'PATCH /opportunities/:id/stage',
    permission: 'opportunities:write',
    path: ['id'],
    body: { stage_id: 'string!', discard_reason_id: 'string?', loss_reason: LONG },
    status: 200,
    answer: { data: WHOLE_OPPORTUNITY, stage_change: { from: STAGE_REF, to: STAGE_REF } },
  },
  {
    id: 'deleteOpportunity',
    route: 'DELETE /opportunities/:id',
    permission: 'opportunities:delete',
    path: ['id'],
    status: 200,
    answer: DELETED,
  },
  {
    id: 'listOpportunityHistory',
    route: 'GET /opportunities/:id/history',
    permission: 'opportunities:read',
    path: ['id'],
    query: PAGE,
    status: 200,
    answer: page({
      id: 'string',
      action: 'created|stage_changed|value_changed',
      from_stage_id: 'string?',
      from_stage_name: 'string?',
      to_stage_id: 'string?',
      to_stage_name: 'string?',
      from_value: 'number?',
      to_value: 'number?',
      notes: 'string?',
      user_name: 'string?',
      created_at: 'time',
    }),
  },
]

const campaigns: Contract[] = [
  {
    id: 'listCampaigns',
    route: 'GET /campaigns',
    permission: 'campaigns:read',
    query: { ...PAGE, status: 'draft|active|paused|completed' },
    status: 200,
    answer: page({
      id: 'string',
      name: 'string',
      description: 'string?',
      status: 'draft|active|paused|completed',
      channel: 'string?',
      automation_active: 'boolean',
      contact_count: 'integer',
      ...STAMPS,
    }),
  },
  {
    id: 'addCampaignContact',
    route: 'POST /campaigns/:id/contacts',
    permission: 'campaigns:write',
    path: ['id'],
    body: {
      name: 'string(255)!',
      linkedin_profile_url: 'string(2048)!',
      title: TEXT,
      company: TEXT,
      location: TEXT,
      email: 'string(320)?',
      phone: 'string(40)?',
      about: LONG,
      profile_picture: URL,
      extracted_contacts: orNull({
        emails: orNull(['string(320)']),
        phones: orNull(['string(40)']),
        websites: orNull(['string(2048)']),
      }),
    },
    status: 201,
    answer: {
      data: {
        campaign_contact: {
          id: 'string',
          campaign_id: 'string',
          contact_id: 'string',
          status:
            'collected|approved|rejected|invite_queued|invite_sent|invite_accepted|invite_expired|' +
            'conversation_started|conversation_ended',
          created_at: 'time',
        },
        contact: { id: 'string', name: 'string', profile_url: 'string?' },
        campaign: { id: 'string', name: 'string' },
      },
      message: 'string',
    },
    errors: ['DUPLICATE_ERROR'],
  },
]

const CONVERSATION = {
  id: 'string',
  status: 'active|manual|closed',
  channel: 'string',
  contact_id: 'string?',
  opportunity_id: 'string?',
  campaign_id: 'string?',
  ai_agent_id: 'string?',
  assigned_user_id: 'string?',
  sector_id: 'string?',
  qualification_score: 'integer?',
  qualification_stage: 'string?',
  qualification_reasons: orNull(['string']),
  objections_history: orNull(['string']),
  last_message_at: 'time?',
  ...STAMPS,
  contact_name: 'string?',
  contact_email: 'string?',
  contact_phone: 'string?',
  contact_company: 'string?',
  opportunity_title: 'string?',
  campaign_name: 'string?',
  ai_agent_name: 'string?',
  assigned_user_name: 'string?',
  assigned_user_email: 'string?',
  sector_name: 'string?',
}

const conversations: Contract[] = [
  {
    id: 'listConversations',
    route: 'GET /conversations',
    permission: 'conversations:read',
    query: {
      ...PAGE,
      contact_id: 'string',
      opportunity_id: 'string',
      status: 'active|manual|closed',
      ...CREATED,
      ...UPDATED,
      last_message_after: 'bound',
      last_message_before: 'bound',
      sort_by: 'created_at|updated_at|last_message_at',
      sort_order: 'asc|desc',
    },
    status: 200,
    answer: page({ ...CONVERSATION, is_group: 'boolean', group_name: 'string?' }),
  },
  {
    id: 'getConversation',
    route: 'GET /conversations/:id',
    permission: 'conversations:read',
    path: ['id'],
    query: { messages_limit: 'integer 1..500 =200' },
    status: 200,
    answer: {
      data: {
        ...CONVERSATION,
        messages: [
          {
            id: 'string',
            sender_type: 'lead|ai|user',
            content: 'string',
            channel: 'string',
            sent_at: 'time',
            read_at: 'time?',
            created_at: 'time',
          },
        ],
      },
    },
  },
]

const MESSAGE_OUTCOME = {
  id: 'string',
  sender_type: 'lead|ai|user',
  content: 'string',
  channel: 'string',
  status: 'queued|sending|sent|delivered|read|failed|unknown?',
  error: 'string?',
  sent_at: 'time',
  delivered_at: 'time?',
  read_at: 'time?',
  created_at: 'time',
}

const AI_AGENT = {
  id: 'string',
  name: 'string',
  type: 'string',
  status: 'active|paused',
  channel_account_id: 'string?',
  ...STAMPS,
}

const aiAgents: Contract[] = [
  {
    id: 'listAiAgents',
    route: 'GET /ai-agents',
    permission: 'agents:read',
    query: { ...SEARCHED, is_active: 'boolean' },
    status: 200,
    answer: page(AI_AGENT),
  },
  {
    id: 'getAiAgent',
    route: 'GET /ai-agents/:id',
    permission: 'agents:read',
    path: ['id'],
    status: 200,
    answer: {
      data: {
        ...AI_AGENT,
        actions: ['begin_conversation|answer|hand_over'],
        persona: 'string?',
        opening: 'string?',
        opening_template: orNull({ name: 'string', language: 'string', parameters: ['string'] }),
        scripts: [{ keywords: ['string'], reply: 'string' }],
        fallback: 'string?',
        criteria: [{ name: 'string', keywords: ['string'], points: 'integer' }],
      },
    },
  },
  {
    id: 'chatWithAiAgent',
    route: 'POST /ai-agents/:id/chat',
    permission: 'agents:run',
    path: ['id'],
    body: {
      messages: toBeSent([{ by: 'lead|ai|user', text: 'string(4096)' }]),
      lead_name: TEXT,
      lead_company: TEXT,
    },
    status: 200,
    answer: {
      data: {
        reply: 'string?',
        hands_over: 'string?',
        score: 'integer?',
        stage: 'string?',
        reasons: ['string'],
        objections: ['string'],
        articles: [{ id: 'string', name: 'string' }],
      },
    },
    errors: ['AGENT_UNAVAILABLE'],
  },
  {
    id: 'runAiAgentAction',
    route: 'POST /ai-agents/:id/actions',
    permission: 'agent_tools:execute',
    path: ['id'],
    body: {
      action: 'begin_conversation|answer|hand_over!',
      contact_id: 'string!',
      channel_account_id: 'string?',
      reason: 'string(1000)?',
    },
    status: 200,
    answer: {
      data: {
        action: 'begin_conversation|answer|hand_over',
        ai_agent_id: 'string',
        contact_id: 'string',
        conversation_id: 'string',
      },
    },
    errors: ['AGENT_PAUSED', 'ACTION_NOT_AVAILABLE', 'ACTION_NOT_POSSIBLE'],
  },
  {
    id: 'searchAiAgentKnowledge',
    route: 'GET /ai-agents/:id/knowledge',
    permission: 'knowledge:read',
    path: ['id'],
    query: { query: FILTER, limit: 'integer 1..20 =5' },
    status: 200,
    answer: { data: [{ id: 'string', name: 'string', content: 'string', rank: 'number' }] },
  },
]

/** What people do in conversations. */
const talk: Contract[] = [
  {
    id: 'sendMessage',
    route: 'POST /conversations/:id/messages',
    permission: 'conversations:write',
    path: ['id'],
    body: { text: 'string(4096)!' },
    status: 201,
    answer: { data: MESSAGE_OUTCOME },
    errors: ['CHANNEL_UNAVAILABLE', 'CONTACT_UNREACHABLE', 'WINDOW_CLOSED', 'TOO_MANY_WAITING'],
  },
  {
    id: 'getMessage',
    route: 'GET /messages/:id',
    permission: 'conversations:read',
    path: ['id'],
    status: 200,
    answer: { data: MESSAGE_OUTCOME },
  },
  {
    id: 'addConversationNote',
    route: 'POST /conversations/:id/notes',
    permission: 'conversations:write',
    path: ['id'],
    body: { content: 'string(20000)!' },
    status: 201,
    answer: { data: { id: 'string', content: 'string', user_id: 'string?', created_at: 'time' } },
  },
  {
    id: 'takeOverConversation',
    route: 'POST /conversations/:id/take-over',
    permission: 'conversations:write',
    path: ['id'],
    status: 200,
    answer: { data: CONVERSATION },
  },
  {
    id: 'handBackConversation',
    route: 'POST /conversations/:id/hand-back',
    permission: 'conversations:write',
    path: ['id'],
    status: 200,
    answer: { data: CONVERSATION },
  },
]

const SELLER = { owner_user_id: 'string?', owner_user_name: 'string?', owner_user_email: 'string?' }
const REPORT_FILTERS = {
  pipeline_id: 'string',
  sector_id: 'string',
  owner_user_id: 'string',
  from: 'bound',
  to: 'bound',
}
const APPLIED = {
  pipeline_id: 'string?',
  sector_id: 'string?',
  owner_user_id: 'string?',
  from: 'time?',
  to: 'time?',
}
const AVERAGES = {
  avg_hours_to_first_outreach: 'number?',
  avg_hours_to_acceptance: 'number?',
  avg_hours_to_qualification: 'number?',
  avg_sales_cycle_days: 'number?',
}
const SUM = { count: 'integer', value: 'number' }

const reports: Contract[] = [
  {
    id: 'reportFunnel',
    route: 'GET /reports/funnel',
    permission: 'reports:read',
    query: { pipeline_id: 'string', sector_id: 'string' },
    status: 200,
    answer: {
      data: [
        {
          pipeline_id: 'string',
          pipeline_name: 'string',
          lost_count: 'integer',
          stages: [
            {
              stage_id: 'string',
              stage_name: 'string',
              position: 'integer',
              is_won_stage: 'boolean',
              is_loss_stage: 'boolean',
              count: 'integer',
              value: 'number',
              conversion_from_previous: 'number?',
            },
          ],
        },
      ],
    },
  },
  {
    id: 'reportSla',
    route: 'GET /reports/sla',
    permission: 'reports:read',
    query: REPORT_FILTERS,
    status: 200,
    answer: {
      data: {
        overall: {
          ...AVERAGES,
          counts: { with_outreach: 'integer', accepted: 'integer', qualified: 'integer', won: 'integer' },
        },
        by_seller: [{ ...SELLER, ...AVERAGES, won_count: 'integer' }],
        filters: APPLIED,
      },
    },
  },
  {
    id: 'reportSalesSummary',
    route: 'GET /reports/sales-summary',
    permission: 'reports:read',
    query: REPORT_FILTERS,
    status: 200,
    answer: {
      data: { open: SUM, won: SUM, lost: SUM, win_rate: 'number?', average_ticket: 'number?', filters: APPLIED },
    },
  },
  {
    id: 'reportSellers',
    route: 'GET /reports/sellers',
    permission: 'reports:read',
    query: REPORT_FILTERS,
    status: 200,
    answer: {
      data: [
        {
          ...SELLER,
          open_count: 'integer',
          won_count: 'integer',
          lost_count: 'integer',
          revenue: 'number',
          average_ticket: 'number?',
          conversion_rate: 'number?',
        },
      ],
    },
  },
]

/** A reference list that can be searched and paged. */
const referenceList = (id: string, name: string, item: Shape): Contract => ({
  id,
  route: `GET /${name}`,
  permission: `${name.replaceAll('-', '_')}:read`,
  query: SEARCHED,
  status: 200,
  answer: page(item),
})

const reference: Contract[] = [
  {
    id: 'listPipelines',
    route: 'GET /pipelines',
    permission: 'pipelines:read',
    status: 200,
    answer: {
      data: [
        {
          id: 'string',
          name: 'string',
          description: 'string?',
          color: 'string?',
          icon: 'string?',
          is_default: 'boolean',
          is_active: 'boolean',
          display_order: 'integer',
          ...STAMPS,
          stages: [
            {
              id: 'string',
              pipeline_id: 'string',
              name: 'string',
              color: 'string?',
              position: 'integer',
              is_win_stage: 'boolean',
              is_loss_stage: 'boolean',
            },
          ],
        },
      ],
    },
  },
  referenceList('listTags', 'tags', { id: 'string', name: 'string', color: 'string', created_at: 'time' }),
  referenceList('listSectors', 'sectors', {
    id: 'string',
    name: 'string',
    description: 'string?',
    color: 'string?',
    is_active: 'boolean',
    ...STAMPS,
  }),
  referenceList('listDiscardReasons', 'discard-reasons', {
    id: 'string',
    name: 'string',
    description: 'string?',
    is_active: 'boolean',
    display_order: 'integer',
    created_at: 'time',
  }),
  referenceList('listProducts', 'products', {
    id: 'string',
    name: 'string',
    description: 'string?',
    default_price: 'number',
    currency: 'string',
    time_unit: 'string?',
    is_active: 'boolean',
    ...STAMPS,
  }),
  referenceList('listUsers', 'users', {
    id: 'string',
    name: 'string',
    email: 'string',
    role: 'admin|manager|seller',
    sector_id: 'string?',
    is_active: 'boolean',
    created_at: 'time',
  }),
]

const instagram: Contract[] = [
  {
    id: 'listInstagramAgents',
    route: 'GET /instagram-agents',
    permission: 'instagram_agents:read',
    query: { ...PAGE, status: 'active|paused|completed|error' },
    status: 200,
    answer: page({
      id: 'string',
      name: 'string',
      description: 'string?',
      search_niche: 'string?',
      search_location: 'string?',
      status: 'active|paused|completed|error',
      total_profiles_found: 'integer',
      total_limit: 'integer?',
      ...STAMPS,
    }),
  },
  {
    id: 'addInstagramProfile',
    route: 'POST /instagram-agents/:id/profiles',
    permission: 'instagram_agents:write',
    path: ['id'],
    body: {
      username: 'string(255)!',
      display_name: TEXT,
      profile_url: URL,
      bio: LONG,
      external_url: URL,
      followers_count: 'integer?',
      following_count: 'integer?',
      posts_count: 'integer?',
      extracted_contacts: orNull({
        emails: orNull(['string(320)']),
        phones: orNull(['string(40)']),
        websites: orNull(['string(2048)']),
      }),
    },
    status: 201,
    answer: {
      data: {
        profile: {
          username: 'string',
          display_name: 'string',
          profile_url: 'string',
          bio: 'string',
          followers_count: 'integer?',
          following_count: 'integer?',
          posts_count: 'integer?',
          external_url: 'string',
          extracted_contacts: { emails: ['string'], phones: ['string'], websites: ['string'] },
          source: 'string',
          added_at: 'time',
        },
        agent: { id: 'string', name: 'string', total_profiles_found: 'integer' },
      },
      message: 'string',
    },
    errors: ['DUPLICATE_ERROR', 'LIMIT_REACHED'],
  },
]

const base: Contract[] = [
  {
    id: 'checkKey',
    route: 'GET /',
    status: 200,
    answer: {
      message: 'string',
      version: 'string',
      data: {
        account: { id: 'string', name: 'string' },
        key: { id: 'string', name: 'string', permissions: ['string'] },
        rate_limit: orNull({ limit: 'integer', remaining: 'integer', reset: 'integer' }),
      },
      documentation: 'string',
    },
  },
]

/** Every endpoint of the external API. */
const CONTRACT: readonly Contract[] = [
  ...base,
  ...contacts,
  ...opportunities,
  ...campaigns,
  ...conversations,
  ...talk,
  ...aiAgents,
  ...reports,
  ...reference,
  ...instagram,
]

/** Operations that are not built yet. An operation that is built is taken out, so this list can only shrink. */
const OPEN: readonly string[] = []

/** Members of a body and an answer that are not built yet, of operations that are; this list can only shrink, too. */
const OPEN_MEMBERS: Readonly<Record<string, readonly string[]>> = {}

/** Status and code of each error, as the reference and the decisions pair them. */
const STATUS_OF: Readonly<Record<string, number>> = {
  VALIDATION_ERROR: 400,
  LIMIT_REACHED: 400,
  MISSING_API_KEY: 401,
  INVALID_API_KEY: 401,
  INSUFFICIENT_PERMISSIONS: 403,
  NOT_FOUND: 404,
  DUPLICATE_ERROR: 409,
  CHANNEL_UNAVAILABLE: 409,
  CONTACT_UNREACHABLE: 409,
  WINDOW_CLOSED: 409,
  TOO_MANY_WAITING: 409,
  AGENT_PAUSED: 409,
  ACTION_NOT_AVAILABLE: 409,
  ACTION_NOT_POSSIBLE: 409,
  AGENT_UNAVAILABLE: 503,
  IDEMPOTENCY_IN_PROGRESS: 409,
  RESOURCE_DELETED: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
}

/** Every call that writes takes an Idempotency-Key, but one that deletes. */
/** What acts outside of the database, and so cannot be kept from happening twice. */
const ACTS_OUTSIDE = ['POST /ai-agents/:id/chat']

const isIdempotent = (route: string) => /^(POST|PUT|PATCH) /.test(route) && !ACTS_OUTSIDE.includes(route)

/** The codes with which an endpoint can end: those of its kind, and its own. */
function codesOf({ route, permission, path, body, errors = [] }: Contract): string[] {
  return [
    'VALIDATION_ERROR',
    'MISSING_API_KEY',
    'INVALID_API_KEY',
    ...(permission ? ['INSUFFICIENT_PERMISSIONS'] : []),
    ...(path ? ['NOT_FOUND'] : []),
    ...(body ? ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] : []),
    ...(isIdempotent(route) ? ['IDEMPOTENCY_IN_PROGRESS', 'RESOURCE_DELETED', 'IDEMPOTENCY_KEY_REUSED'] : []),
    ...errors,
    'RATE_LIMIT_EXCEEDED',
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
  ]
}

/** The contract of an API: its endpoints, what of them is open, and what goes for all of them. */
export interface ApiContract {
  api: Described
  /** The member of every success that is always true, and stands in no endpoint's contract. */
  envelope: string
  endpoints: readonly Contract[]
  open: readonly string[]
  openMembers: Readonly<Record<string, readonly string[]>>
  statusOf: Readonly<Record<string, number>>
  isIdempotent(route: string): boolean
  codesOf(contract: Contract): string[]
}

/** The contract of the external API. */
export const EXTERNAL_CONTRACT: ApiContract = {
  api: EXTERNAL_API,
  envelope: 'success',
  endpoints: CONTRACT,
  open: OPEN,
  openMembers: OPEN_MEMBERS,
  statusOf: STATUS_OF,
  isIdempotent,
  codesOf,
}
