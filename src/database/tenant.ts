import { Filter } from '@mikro-orm/decorators/legacy'
import type { EntityManager, EventArgs, EventSubscriber, MikroORM } from '@mikro-orm/postgresql'

/** The role without rights of its own under which a tenant's statements run when row security is on. */
export const TENANT_ROLE = 'fairlead_tenant'

const FILTER = 'tenant'

/** Marks an entity whose rows belong to an account: it can be read and changed only by a unit of work of that account. */
export function TenantOwned(): ClassDecorator {
  const cond = ({ account }: { account?: string }) => ({ accountId: account })
  return Filter({ name: FILTER, cond: cond as never, default: true }) as ClassDecorator
}

/** The tables of the entities that are marked so. */
export function tenantTables(orm: MikroORM): string[] {
  return [...orm.getMetadata().getAll().values()]
    .filter(({ filters }) => FILTER in filters)
    .map((meta) => meta.tableName)
}

/** The tables of this layer whose rows belong to an account. */
export const OWN_TENANT_TABLES = ['idempotency_record', 'outbox', 'read_position'] as const

/** Binds a unit of work to an account. */
export function bindToAccount(em: EntityManager, accountId: string): void {
  em.setFilterParams(FILTER, { account: accountId })
}

/** Refuses to store a record in another account than the unit of work is bound to; filters do not see new records. */
export class TenantGuard implements EventSubscriber {
  beforeCreate({ entity, em }: EventArgs<unknown>): void {
    const bound = em.getFilterParams<{ account?: string }>(FILTER)?.account
    const owner = (entity as { accountId?: string }).accountId
    if (bound !== undefined && owner !== undefined && owner !== bound) {
      throw new Error(`a record of account ${owner} cannot be stored by account ${bound}`)
    }
  }
}
