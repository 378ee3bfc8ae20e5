import { assembly } from '../../assembly.js'
import { type Database, Scope } from '../../database/index.js'
import { Accounts, Keys } from '../../domains/accounts/index.js'
import { newId } from '../../shared/ids.js'
import { makeContacts } from './contacts.js'
import { makeConversations } from './conversations.js'
import { makeOpportunities } from './opportunities.js'
import { makeOrganisation, type Organisation } from './organisation.js'

const RATE_LIMIT = 100_000

/** One of the records that the demo account offers to calls by id. */
export interface Listed {
  id: string
  name: string
  type?: string
}

/** What `fairlead demo` made. */
export interface Demo {
  account_id: string
  api_key: string
  user: { email: string }
  ids: Record<string, Listed[]>
}

/** Makes the demo account in place of an earlier one, whose key stops working: all of it or nothing. */
export function makeDemo(database: Database): Promise<Demo> {
  const db = Scope.ofOperator(database, newId())
  const { accountId } = db
  return db.unitOfWork(async (em) => {
    const accounts = new Accounts(database)
    await accounts.deleteDemo(em)
    await accounts.create({ name: 'Demo', isDemo: true }, db)
    const key = { accountId, name: 'Demo key', permissions: ['*'], rateLimit: RATE_LIMIT }
    const { secret } = await new Keys(database, assembly.permissions).create(key, em)
    const organisation = await makeOrganisation(em, accountId)
    await em.flush()
    const contacts = makeContacts(em, accountId, organisation)
    await em.flush()
    const opportunities = await makeOpportunities(em, accountId, organisation, contacts)
    makeConversations(em, accountId, organisation, contacts, opportunities)
    await em.flush()
    const user = { email: organisation.users[0]!.email }
    return { account_id: accountId, api_key: secret, user, ids: idsOf(organisation) }
  })
}

function idsOf({ pipelines, ...made }: Organisation): Demo['ids'] {
  return {
    tags: listed(made.tags),
    pipelines: listed(pipelines.map(({ pipeline }) => pipeline)),
    stages: listed(pipelines.flatMap(({ stages }) => stages)),
    campaigns: listed(made.campaigns),
    sectors: listed(made.sectors),
    discard_reasons: listed(made.discardReasons),
    products: listed(made.products),
    users: listed(made.users),
    instagram_agents: listed(made.instagramAgents),
    agents: made.aiAgents.map(({ id, name, type }) => ({ id, name, type })),
  }
}

function listed(records: readonly Listed[]): Listed[] {
  return records.map(({ id, name }) => ({ id, name }))
}
