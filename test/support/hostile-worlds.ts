import { type AgencyClient, makeAgency, newClient } from './agencies.js'
import type { TestApp } from './app.js'
import { World } from './fixtures.js'

/** Where hostile requests find records to name, one account or agency for each of those that run at once. */
export interface HostileWorld {
  /** What lets its requests in. */
  headers: Record<string, string>
  /** The id of a record of a kind, made when it is first asked for. */
  id(key: string): Promise<string>
  /** Forgets a record that was deleted. */
  forget(key: string): void
  /** Makes room for what may be done only so often. */
  rest?(): Promise<void>
  /** Asks the agencies' API as its own. */
  client?: AgencyClient
}

/** An account with records of every kind, and a key that may do everything. */
export async function externalWorld(service: TestApp): Promise<HostileWorld> {
  const world = await World.make(service)
  return {
    headers: { 'x-api-key': world.key },
    id: (key) => world.id(key),
    forget: (key) => world.forget(key),
  }
}

/** An agency with a good card, a sub-account and events, and a token of every scope. */
export async function agencyWorld(service: TestApp): Promise<HostileWorld> {
  const { client, agencyKey, agencyId, token } = await makeAgency(service)
  const created = async () => {
    const { status, body } = await client.create(newClient())
    if (status !== 201) throw new Error(`a sub-account to be named was answered ${status} ${JSON.stringify(body)}`)
    return body
  }
  const make: Record<string, () => Promise<string>> = {
    '/agency_key': async () => agencyKey,
    'sub-accounts/ref': async () => (await created()).data.id,
    'events/event_id': async () => (await created()).event_id,
  }
  const made = new Map<string, Promise<string>>()
  const age = "update sub_account set created_at = created_at - interval '2 hours' where agency_id = $1"
  return {
    headers: { authorization: `Bearer ${token}` },
    client,
    id: (key) => {
      if (!made.has(key)) made.set(key, make[key]!())
      return made.get(key)!
    },
    forget: (key) => void made.delete(key),
    rest: async () => void (await service.database.pool.query(age, [agencyId])),
  }
}
