import { assembly } from '../../assembly.js'
import { type Database, Scope } from '../../database/index.js'
import { Accounts, Keys } from '../../domains/accounts/index.js'
import { users } from '../../domains/users/index.js'
import type { DemoWork, Listed } from '../../kit/demo.js'
import type { Domain } from '../../kit/domain.js'
import { newId } from '../../shared/ids.js'

const RATE_LIMIT = 100_000

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

    const parts = new Map<Domain, unknown>()
    const work: DemoWork = { em, accountId, made: <Made>(domain: Domain<Made>) => parts.get(domain) as Made }
    const ids: Demo['ids'] = {}
    for (const domain of assembly.domains) {
      if (!domain.demo) continue
      const part = await (await domain.demo()).makeDemo(work)
      await em.flush()
      parts.set(domain, part.made)
      Object.assign(ids, part.ids)
    }
    return { account_id: accountId, api_key: secret, user: { email: work.made(users).users[0]!.email }, ids }
  })
}
