import { type RawBuilder, sql } from 'kysely'
import { columnOf } from '../../database/index.js'
import type { Selection } from '../../kit/selection.js'
import type { Conversation } from './conversation.entity.js'

/** A conversation as a read brings it: the columns and labels that were asked for. */
export type ConversationRow = Partial<Conversation> & { id: string }

const SCALARS = [
  'id',
  'status',
  'channel',
  'isGroup',
  'groupName',
  'contactId',
  'opportunityId',
  'campaignId',
  'aiAgentId',
  'assignedUserId',
  'sectorId',
  'qualificationScore',
  'qualificationStage',
  'qualificationReasons',
  'objectionsHistory',
  'lastMessageAt',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof Conversation)[]

type Name = keyof Conversation

interface Relation {
  /** What refers to the record. */
  key: Name
  table: string
  /** What the conversation shows of the record, and the column that it is. */
  labels: Partial<Record<Name, string>>
}

/** What a conversation refers to, by the names of its GraphQL fields. */
const RELATIONS: Record<string, Relation> = {
  contact: {
    key: 'contactId',
    table: 'contact',
    labels: { contactName: 'name', contactEmail: 'email', contactPhone: 'phone', contactCompany: 'company' },
  },
  opportunity: { key: 'opportunityId', table: 'opportunity', labels: { opportunityTitle: 'title' } },
  campaign: { key: 'campaignId', table: 'campaign', labels: { campaignName: 'name' } },
  aiAgent: { key: 'aiAgentId', table: 'ai_agent', labels: { aiAgentName: 'name' } },
  assignedUser: {
    key: 'assignedUserId',
    table: 'app_user',
    labels: { assignedUserName: 'name', assignedUserEmail: 'email' },
  },
  sector: { key: 'sectorId', table: 'sector', labels: { sectorName: 'name' } },
}

/** The parts of a statement that bring, over a conversation `c`, what an operation asks of it. */
export interface ConversationParts {
  columns: RawBuilder<unknown>[]
  joins: RawBuilder<unknown>
  /** A text that stands for all of it, to keep compiled statements by. */
  shape: string
}

const known = new WeakMap<Selection, ConversationParts>()

/** The columns and joins for a selection; the id is always among the columns. */
export function partsOf(selection: Selection): ConversationParts {
  let parts = known.get(selection)
  if (!parts) {
    parts = compile(selection)
    known.set(selection, parts)
  }
  return parts
}

function compile(selection: Selection): ConversationParts {
  const relations = Object.entries(RELATIONS)
  // A record that is asked for is found by its id.
  const keys = new Set(relations.filter(([name]) => selection.has(name)).map(([, { key }]) => key))
  const scalars = SCALARS.filter((name) => name === 'id' || keys.has(name) || selection.has(name))
  const joined = relations
    .map(([name, { labels, ...relation }]) => ({
      ...relation,
      name,
      labels: Object.entries(labels).filter(([label]) => selection.has(label)),
    }))
    .filter(({ labels }) => labels.length > 0)
  const labels = joined.flatMap(({ name, labels }) =>
    labels.map(([label, column]) => sql`${sql.ref(`${name}.${column}`)} as ${sql.ref(label)}`),
  )
  const names = joined.flatMap(({ labels }) => labels.map(([label]) => label))
  return {
    columns: [...scalars.map((name) => sql`${sql.ref(`c.${columnOf(name)}`)} as ${sql.ref(name)}`), ...labels],
    joins: sql.join(joined.map(joinOf), sql` `),
    shape: [...scalars, ...names].join(),
  }
}

interface Joined extends Omit<Relation, 'labels'> {
  name: string
  labels: [string, string][]
}

/** The limit keeps the planner from reading all of the other table, when it expects a long page. */
function joinOf({ name, key, table, labels }: Joined): RawBuilder<unknown> {
  const columns = sql.join(labels.map(([, column]) => sql.ref(`r.${column}`)))
  return sql`left join lateral (select ${columns} from ${sql.table(table)} r
    where r.account_id = c.account_id and r.id = ${sql.ref(`c.${columnOf(key)}`)} limit 1) ${sql.ref(name)} on true`
}
