import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import { type Fault, invalid, notFound } from '../../shared/errors.js'
import { isUuid, newId } from '../../shared/ids.js'
import { RoundRobinMember } from './round-robin.entity.js'
import type { RoundRobinRuleInput, RoundRobinTarget } from './round-robin.inputs.js'
import { type RoundRobinRuleRow, ruleReads } from './round-robin.reads.js'

/** Members that a rule has at most. */
export const MAX_MEMBERS = 200

interface Known {
  sector: boolean
  pipeline: boolean
  users: string[]
}

const known = new Statement<Known>(
  sql<Known>`select
    exists (select from sector s where s.account_id = ${param('account')} and s.id = ${param('sectorId')}::uuid
      and s.deleted_at is null) as sector,
    exists (select from pipeline p where p.account_id = ${param('account')} and p.id = ${param('pipelineId')}::uuid)
      as pipeline,
    array(select u.id::text from app_user u where u.account_id = ${param('account')}
      and u.id = any(${param('userIds')}::uuid[]) and u.is_active and u.deleted_at is null) as users`,
)

interface Ruled {
  id: string
  isNew: boolean
  /** Whether it was on before. */
  was: boolean | null
}

/** Locks the rule of the target, which has one from now on. */
const upsert = new Statement<Ruled>(
  sql<Ruled>`insert into round_robin_rule as r (id, account_id, sector_id, pipeline_id, is_active)
    values (${param('id')}, ${param('account')}, ${param('sectorId')}, ${param('pipelineId')}, ${param('isActive')})
    on conflict (account_id, coalesce(sector_id, pipeline_id, account_id))
    do update set is_active = excluded.is_active
    returning r.id, r.xmax = 0 as "isNew", (select f.is_active from round_robin_rule f
      where f.account_id = ${param('account')} and f.id = r.id) as was`,
)

const present = new Statement<{ userId: string }>(
  sql<{ userId: string }>`select m.user_id as "userId" from round_robin_member m
    where m.account_id = ${param('account')} and m.rule_id = ${param('id')} order by m.position, m.user_id`,
)

const replace = new Statement<never>(
  sql<never>`with gone as (
      delete from round_robin_member m where m.account_id = ${param('account')} and m.rule_id = ${param('id')}
        and m.user_id <> all(${param('userIds')}::uuid[])),
    rule as (
      update round_robin_rule r set updated_at = clock_timestamp()
      where r.account_id = ${param('account')} and r.id = ${param('id')})
    insert into round_robin_member (account_id, rule_id, user_id, position)
    select ${param('account')}, ${param('id')}, o.id, o.place
    from unnest(${param('userIds')}::uuid[]) with ordinality o (id, place)
    on conflict (rule_id, user_id) do update
      set position = excluded.position, turns = 0, last_turn = 0`,
)

/** Gives a target its rule, or changes the one that it has. With other members, or in another order, the first is next. */
export function setRoundRobinRule(db: Scope, input: RoundRobinRuleInput): Promise<RoundRobinRuleRow> {
  return db.transaction(async () => {
    const { isActive = true } = input
    const target = { sectorId: input.target?.sectorId ?? null, pipelineId: input.target?.pipelineId ?? null }
    const userIds = input.userIds.map((id) => id.toLowerCase())
    await check(db, target, userIds)
    const [rule] = await db.rows(upsert, { id: newId(), ...target, isActive })
    const { id } = rule!
    const before = (await db.rows(present, { id })).map(({ userId }) => userId)
    const others = before.join() !== userIds.join()
    if (others) db.send(replace, { id, userIds })
    const fields = [...(rule!.was === isActive ? [] : ['isActive']), ...(others ? ['userIds'] : [])]
    if (rule!.isNew) await tellChange(db, 'round_robin_rule', id, 'created')
    else if (fields.length > 0) await tellChange(db, 'round_robin_rule', id, 'updated', fields)
    db.wrote(id)
    return (await ruleReads.find(db, id))!
  })
}

async function check(db: Scope, target: RoundRobinTarget, userIds: readonly string[]): Promise<void> {
  const faults: Fault[] = []
  if (userIds.length > MAX_MEMBERS) {
    throw invalid([{ path: ['input', 'userIds'], message: `must name at most ${MAX_MEMBERS} users` }])
  }
  const { sector, pipeline, users } = (await db.rows(known, { ...target, userIds }))[0]!
  if (target.sectorId && target.pipelineId) {
    faults.push({ path: ['input', 'target'], message: 'is a sector or a pipeline, not both' })
  }
  if (target.sectorId && !sector) {
    faults.push({ path: ['input', 'target', 'sectorId'], message: 'is not the id of a sector' })
  }
  if (target.pipelineId && !pipeline) {
    faults.push({ path: ['input', 'target', 'pipelineId'], message: 'is not the id of a pipeline' })
  }
  for (const [i, id] of userIds.entries()) {
    const path = ['input', 'userIds', i]
    if (!users.includes(id)) faults.push({ path, message: 'is not the id of an active user' })
    else if (userIds.indexOf(id) < i) faults.push({ path, message: 'is there already' })
  }
  if (faults.length > 0) throw invalid(faults)
}

const remove = new Statement<{ id: string }>(
  sql<{ id: string }>`delete from round_robin_rule r
    where r.account_id = ${param('account')} and r.id = ${param('id')} returning r.id`,
)

/** Deletes a rule; new opportunities of its target follow the next rule that applies. */
export function deleteRoundRobinRule(db: Scope, id: string): Promise<DeletedRecord> {
  return db.transaction(async () => {
    const [gone] = isUuid(id) ? await db.rows(remove, { id }) : []
    if (!gone) throw notFound('rule')
    await tellChange(db, 'round_robin_rule', gone.id, 'deleted')
    return { id: gone.id, deleted: true }
  })
}

// Whoever gives turns holds the rule, so its members' turns stay as they are from here on.
const lockRules = new Statement<never>(
  sql<never>`select from round_robin_rule r where r.account_id = ${param('account')} and exists (
      select from round_robin_member m where m.account_id = r.account_id and m.rule_id = r.id
        and m.user_id = ${param('userId')})
    order by r.id for no key update of r`,
)

// One more than the fewest is what a member has who was never away and had its turn already: that stays.
const levelUp = new Statement<never>(
  sql<never>`update round_robin_member m set turns = others.fewest from (
      select o.rule_id, min(o.turns) as fewest from round_robin_member o
      join app_user u on u.account_id = o.account_id and u.id = o.user_id and u.is_active and u.deleted_at is null
      where o.account_id = ${param('account')} and o.user_id <> ${param('userId')} group by o.rule_id) others
    where m.account_id = ${param('account')} and m.user_id = ${param('userId')} and m.rule_id = others.rule_id
      and m.turns not between others.fewest and others.fewest + 1`,
)

/** Lets a user who works again take part in the turns as if it had had as many as those who have had the fewest. */
export function rejoinRules(db: Scope, { userId }: { userId: string }): void {
  db.send(lockRules, { userId })
  db.send(levelUp, { userId })
}

/** Takes a user who is removed out of all rules. */
export async function leaveRules(db: Scope, { userId }: { userId: string }): Promise<void> {
  db.send(lockRules, { userId })
  await db.unitOfWork((em) => em.nativeDelete(RoundRobinMember, { userId, accountId: db.accountId }))
}
