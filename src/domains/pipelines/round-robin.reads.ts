import DataLoader from 'dataloader'
import { sql } from 'kysely'
import { type Context, param, Statement } from '../../database/index.js'
import { columnsOf, Reads } from '../../kit/reads/index.js'
import { User } from '../users/user.entity.js'
import { RoundRobinRule } from './round-robin.entity.js'

/** A rule as a read brings it. */
export type RoundRobinRuleRow = Omit<RoundRobinRule, 'accountId'>

/** The reads of rules. */
export const ruleReads = new Reads<RoundRobinRuleRow>({
  entity: RoundRobinRule,
  relations: { sector: { by: 'sectorId' }, pipeline: { by: 'pipelineId' } },
  sorts: { created_at: 'createdAt' },
})

/** All rules of the account, its own first, since it is the one for everything. */
export const listRoundRobinRules = ruleReads.inOrder(
  sql`order by coalesce(r.sector_id, r.pipeline_id) is not null, r.created_at, r.id`,
)

type Member = Omit<User, 'accountId'> & { ruleId: string }

const members = new Statement<Member>(
  sql<Member>`select m.rule_id as "ruleId", ${columnsOf(User, 'u')}
    from round_robin_member m join app_user u on u.account_id = m.account_id and u.id = m.user_id
    where m.account_id = ${param('account')} and m.rule_id = any(${param('ids')}::uuid[]) and u.deleted_at is null
    order by m.position, m.user_id`,
  { prepared: true },
)

/** A loader of the members of rules, in the order of their turns. */
export function membersLoader({ db }: Context): DataLoader<string, Member[]> {
  return new DataLoader(async (ids) => {
    const byRule = Map.groupBy(await db.rows(members, { ids }), ({ ruleId }) => ruleId)
    return ids.map((id) => byRule.get(id) ?? [])
  })
}
