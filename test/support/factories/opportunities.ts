import { randomUUID } from 'node:crypto'
import type { Database } from '../../../src/database/index.js'
import type { Contact } from '../../../src/domains/contacts/index.js'
import {
  HistoryAction,
  Opportunity,
  OpportunityComment,
  OpportunityHistory,
  OpportunityProduct,
} from '../../../src/domains/opportunities/index.js'
import { makeContact } from '../factories.js'
import { defaultPipelineOf } from './pipelines.js'

let counter = 0
const next = () => ++counter

interface Parts {
  /** One that is there, or what a new one is to be like; null for an opportunity without a contact. */
  contact?: Contact | Partial<Contact> | null
  products?: Partial<OpportunityProduct>[]
  comments?: (string | Partial<OpportunityComment>)[]
  history?: Partial<OpportunityHistory>[]
}

/**
 * An opportunity of the account, straight into the database: in the first stage of the default pipeline, with a contact
 * of its own, unless said otherwise. A pipeline is to be given with its stage.
 */
export async function makeOpportunity(
  database: Database,
  accountId: string,
  { contact, products = [], comments = [], history = [], ...overrides }: Partial<Opportunity> & Parts = {},
): Promise<Opportunity> {
  const title = overrides.title ?? `Opportunity ${next()}`
  const place = overrides.pipelineId ? undefined : await defaultPipelineOf(database, accountId)
  const em = database.fork()
  const opportunity = em.create(Opportunity, {
    title,
    currency: 'BRL',
    pipelineId: overrides.pipelineId ?? place!.id,
    stageId: overrides.stageId ?? place!.stageIds[0]!,
    contactId: await contactIdOf(database, accountId, contact === undefined ? { name: title } : contact),
    ...overrides,
    accountId,
  })
  const of = { opportunityId: opportunity.id, accountId }
  for (const line of products) {
    em.create(OpportunityProduct, { name: 'Product', quantity: 1, unitPrice: 0, ...line, ...of })
  }
  for (const comment of comments) {
    em.create(OpportunityComment, {
      content: 'Comment',
      ...(typeof comment === 'string' ? { content: comment } : comment),
      ...of,
    })
  }
  for (const step of history) em.create(OpportunityHistory, { action: HistoryAction.CREATED, ...step, ...of })
  await em.flush()
  return opportunity
}

async function contactIdOf(
  database: Database,
  accountId: string,
  contact: Contact | Partial<Contact> | null,
): Promise<string | null> {
  if (contact === null) return null
  return contact.id ?? (await makeContact(database, accountId, contact)).id
}

/**
 * Opportunities without contacts as they are given, their stamps too, by ids in no order. Returns the ids in the order
 * of the list.
 */
export async function storeOpportunities(
  database: Database,
  accountId: string,
  list: readonly Partial<Opportunity>[],
): Promise<string[]> {
  const { id: pipelineId, stageIds } = await defaultPipelineOf(database, accountId)
  const place = { pipelineId, stageId: stageIds[0]! }
  const rows = list.map((one) => ({ title: 'Same', currency: 'BRL', ...place, ...one, id: randomUUID(), accountId }))
  await database.fork().transactional(async (em) => {
    if (rows.length > 0) await em.insertMany(Opportunity, rows as never[])
    const stamped = rows.filter(({ updatedAt }) => updatedAt)
    if (stamped.length === 0) return
    // The database puts its own time where a row is written; this puts back what was given, with the triggers off.
    const values = stamped.map(({ id, updatedAt }) => `('${id}'::uuid, '${updatedAt!.toISOString()}'::timestamptz)`)
    await em.execute('set local session_replication_role = replica')
    await em.execute(`update opportunity o set updated_at = v.at from (values ${values.join()}) v(id, at)
      where o.id = v.id`)
  })
  return rows.map(({ id }) => id)
}
