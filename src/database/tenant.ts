import { Filter } from '@mikro-orm/decorators/legacy'
import type { EntityManager, EventArgs, EventSubscriber } from '@mikro-orm/postgresql'

/** The role without rights of its own under which a tenant's statements run when row security is on. */
export const TENANT_ROLE = 'fairlead_tenant'

/** The tables whose rows belong to one account each. A test compares the list with the database. */
export const TENANT_TABLES = [
  'tag',
  'contact',
  'contact_tag',
  'contact_note',
  'contact_touch',
  'contact_tally',
  'idempotency_record',
  'sector',
  'discard_reason',
  'product',
  'app_user',
  'pipeline',
  'stage',
  'round_robin_rule',
  'round_robin_member',
  'campaign',
  'campaign_contact',
  'campaign_contact_tally',
  'opportunity',
  'opportunity_product',
  'opportunity_comment',
  'opportunity_history',
  'opportunity_tally',
  'opportunity_owner_tally',
  'opportunity_day_tally',
  'opportunity_month_tally',
  'ai_agent',
  'conversation',
  'conversation_tally',
  'message',
  'instagram_agent',
  'instagram_profile',
] as const

const FILTER = 'tenant'

/** Marks an entity whose rows belong to an account: it can be read and changed only by a unit of work of that account. */
export function TenantOwned(): ClassDecorator {
  const cond = ({ account }: { account?: string }) => ({ accountId: account })
  return Filter({ name: FILTER, cond: cond as never, default: true }) as ClassDecorator
}

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

const MENTIONED = new RegExp(`\\b(?:from|join|into|update)\\s+"?(${TENANT_TABLES.join('|')})\\b`, 'i')

/** The first tenant table that a statement mentions. */
export function tenantTableIn(text: string): string | undefined {
  return MENTIONED.exec(text)?.[1]
}
