import { setTimeout as delay } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { assembly } from '../../assembly.js'
import type { Config } from '../../config.js'
import { type Database, Scope } from '../../database/index.js'
import { Accounts, Keys } from '../../domains/accounts/index.js'
import { Agencies, AgencyTokens, SCOPES } from '../../domains/agencies/index.js'
import { givePassword, temporaryPassword } from '../../domains/sessions/index.js'
import { deleteDemoAgency } from '../../domains/sub-accounts/index.js'
import { users } from '../../domains/users/index.js'
import type { DemoWork, Listed } from '../../kit/demo.js'
import type { Domain } from '../../kit/domain.js'
import { openIntegrations } from '../../open-integrations.js'
import { newId } from '../../shared/ids.js'

const RATE_LIMIT = 100_000
// One number for all processes: there is one demo account, and whoever makes it waits for whoever does already.
const DEMO_LOCK = 471_101
const LOOK_MS = 100
const MAKING_MS = 60_000

type Settings = Pick<Config, 'stripe'>

/** What `fairlead demo` made. */
export interface Demo {
  account_id: string
  api_key: string
  agency_key: string
  agency_token: string
  user: { email: string; password: string }
  ids: Record<string, Listed[]>
}

/** Makes the demo account and agency in place of earlier ones, whose credentials stop working: all of it or nothing. */
export function makeDemo(database: Database, settings: Settings): Promise<Demo> {
  return inTurn(database, (db, em) => make(database, settings, db, em))
}

/** Makes the demo account and agency in a service that holds no account yet; undefined when there is one. */
export function makeFirstDemo(database: Database, settings: Settings): Promise<Demo | undefined> {
  return inTurn(database, async (db, em) => {
    return (await new Accounts(database).none()) ? make(database, settings, db, em) : undefined
  })
}

/** Looks again and again instead of waiting for the lock: making all of it may take longer than a request may wait. */
async function inTurn<T>(database: Database, work: (db: Scope, em: EntityManager) => Promise<T>): Promise<T> {
  for (const until = Date.now() + MAKING_MS; ; await delay(LOOK_MS)) {
    const db = Scope.ofOperator(database, newId())
    const done = await db.unitOfWork(async (em) => {
      const [look] = await em.execute<{ mine: boolean }[]>('select pg_try_advisory_xact_lock(?) as mine', [DEMO_LOCK])
      return look!.mine ? { made: await work(db, em) } : undefined
    })
    if (done) return done.made
    if (Date.now() > until) throw new Error('another process has been making the demo account for too long')
  }
}

async function make(database: Database, settings: Settings, db: Scope, em: EntityManager): Promise<Demo> {
  const { accountId } = db
  const accounts = new Accounts(database)
  await accounts.deleteDemo(em)
  await accounts.create({ name: 'Demo', isDemo: true }, db)
  const key = { accountId, name: 'Demo key', permissions: ['*'], rateLimit: RATE_LIMIT }
  const { secret } = await new Keys(database).create(key, db)

  const parts = new Map<Domain, unknown>()
  const work: DemoWork = { em, db, accountId, made: <Made>(domain: Domain<Made>) => parts.get(domain) as Made }
  const ids: Demo['ids'] = {}
  for (const domain of assembly.domains) {
    if (!domain.demo) continue
    const part = await (await domain.demo()).makeDemo(work)
    await em.flush()
    parts.set(domain, part.made)
    Object.assign(ids, part.ids)
  }
  const { id, email } = work.made(users).users[0]!
  const password = temporaryPassword() // to nobody but this command: it may be kept
  await givePassword(db, id, password)
  const agency = await makeAgency(database, settings, db)
  return { account_id: accountId, api_key: secret, ...agency, user: { email, password }, ids }
}

/** Makes the demo agency, with a test card on file unless billing is in earnest, and a token that may do everything. */
async function makeAgency(
  database: Database,
  settings: Settings,
  db: Scope,
): Promise<Pick<Demo, 'agency_key' | 'agency_token'>> {
  await deleteDemoAgency(db)
  const { billing } = openIntegrations(database, settings)
  const paymentMethod = settings.stripe?.secretKey.includes('_live_') ? undefined : 'pm_card_visa'
  const { agencyKey } = await new Agencies(database, billing).create(
    { name: 'Demo agency', paymentMethod, isDemo: true },
    db,
  )
  const { secret } = await new AgencyTokens(database).create(agencyKey, Object.keys(SCOPES), db)
  return { agency_key: agencyKey, agency_token: secret }
}
