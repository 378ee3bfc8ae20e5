import { sql } from 'kysely'
import { type Context, iso } from '../../database/index.js'
import { AgencyReads } from '../../kit/agency-reads.js'
import { computed, contains, equals, refersTo, since, until, where } from '../../kit/reads/index.js'
import type { Selection } from '../../kit/selection.js'
import { AppError } from '../../shared/errors.js'
import { SubAccount } from './sub-account.entity.js'
import { TRIAL_CHANNELS } from './sub-account.service.js'
import type { SubAccountFilter } from './sub-account-list.inputs.js'

const trialChannels = sql.lit(JSON.stringify(TRIAL_CHANNELS))

/** The reads of sub-accounts, newest first; one that is only reserved is nowhere among them. */
export const subAccountReads = new AgencyReads<SubAccount, SubAccountFilter, 'created_at' | 'trial_ends_at'>({
  entity: SubAccount,
  only: (of) => sql`${of('status')} <> 'provisioning'`,
  children: {
    channels: computed(
      (of) => sql`json_build_object('linkedin', ${of('linkedin')}, 'whatsapp', ${of('whatsapp')},
        'instagram', ${of('instagram')}, 'emailMarketing', ${of('email_marketing')})`,
      null as never,
    ),
    trial: computed(
      (of) => sql`case when ${of('trial_ends_at')} is not null then json_build_object('status', 'active',
        'endsAt', ${iso('r.trial_ends_at')}, 'channels', ${trialChannels}::json) end`,
      null,
    ),
    admin: computed(
      (of) => sql`(select json_build_object('id', u.id, 'email', u.email) from app_user u
        where u.account_id = ${of('id')} and u.id = ${of('admin_id')} and u.deleted_at is null)`,
      null,
    ),
    paidSeats: computed(
      (of) => sql`(select coalesce(sum(c.seats), 0)::int from seat_change c
        where c.agency_id = ${of('agency_id')} and c.sub_account_id = ${of('id')})`,
      0,
    ),
    activeUsers: computed(
      (of) => sql`(select count(*)::int from app_user u
        where u.account_id = ${of('id')} and u.is_active and u.deleted_at is null)`,
      0,
    ),
  },
  filters: {
    agencyId: refersTo('agencyId', { common: true }),
    status: equals('status', { common: true }),
    inTrial: where((of, value) => sql`(${of('trial_ends_at')} is not null) = ${value}`),
    search: contains((of) => sql`fold(${of('name')})`),
    externalRef: equals('externalRef'),
    createdAfter: since('createdAt'),
    createdBefore: until('createdAt'),
  } satisfies Record<keyof SubAccountFilter, unknown>,
  sorts: { created_at: 'createdAt', trial_ends_at: 'trialEndsAt' },
})

/** A sub-account that the viewer may see, be it deleted; throws NOT_FOUND. */
export async function findSubAccount(context: Context, id: string, selection: Selection): Promise<SubAccount> {
  const found = await subAccountReads.find(context, id, selection)
  if (!found) throw new AppError('NOT_FOUND', 'There is no sub-account with this id.')
  return found
}
