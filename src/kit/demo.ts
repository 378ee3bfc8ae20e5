import type { EntityManager } from '@mikro-orm/postgresql'
import type { Scope } from '../database/index.js'
import type { Domain } from './domain.js'

/** What a domain's part of the demo account is made with. */
export interface DemoWork {
  em: EntityManager
  /** The account, in the same transaction. */
  db: Scope
  accountId: string
  /** What a domain below has made. */
  made<Made>(domain: Domain<Made>): Made
}

/** One of the records that the demo account offers to calls by id. */
export interface Listed {
  id: string
  name: string
  type?: string
}

/** A domain's part of the demo account. */
export interface DemoPart<Made> {
  /** For the parts of the domains above. */
  made: Made
  /** Records to call by id, by their kind. */
  ids?: Record<string, Listed[]>
}

/** Makes a domain's part of the demo account; what is left in the unit of work is stored after it. */
export type MakeDemo<Made> = (work: DemoWork) => DemoPart<Made> | Promise<DemoPart<Made>>

/** Records by their ids and names. */
export function listed(records: readonly Listed[]): Listed[] {
  return records.map(({ id, name }) => ({ id, name }))
}
