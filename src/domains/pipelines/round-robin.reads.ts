import DataLoader from 'dataloader'
import { sql } from 'kysely'
import { type Context, columnOf, param, type Scope, Statement } from '../../database/index.js'
import type { User } from '../users/user.entity.js'
import type { RoundRobinRule } from './round-robin.entity.js'

/** A rule as a read brings it. */
export type RoundRobinRuleRow = Omit<RoundRobinRule, 'accountId' | 'turn'>

/** The columns of a rule `r`. */
export const ruleColumns = sql`r.id, r.sector_id as "sectorId", r.pipeline_id as "pipelineId", r.is_active as "isActive",
  r.created_at as "createdAt", r.updated_at as "updatedAt"`

// The account's own rule comes first, since it is the one for everything.
const all = new Statement<RoundRobinRuleRow>(
  sql<RoundRobinRuleRow>`select ${ruleColumns} from round_robin_rule r where r.account_id = ${param('account')}
    order by coalesce(r.sector_id, r.pipeline_id) is not null, r.created_at, r.id`,
  { prepared: true },
)

/** All rules of the account, its own first. */
export function listRoundRobinRules(db: Scope): Promise<RoundRobinRuleRow[]> {
  return db.rows(all, {})
}

const USER = ['id', 'name', 'email', 'role', 'sectorId', 'isActive', 'createdAt'] as const satisfies (keyof User)[]
type Member = Pick<User, (typeof USER)[number]> & { ruleId: string }

const members = new Statement<Member>(
  sql<Member>`select m.rule_id as "ruleId", ${sql.join(USER.map((name) => sql`${sql.ref(`u.${columnOf(name)}`)} as ${sql.ref(name)}`))}
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
