import { sql } from 'kysely'
import { defineNeed, param, type Scope, Statement } from '../../database/index.js'
import { newId } from '../../shared/ids.js'

/** What the account has set itself, in a query: null where it has not. */
export const OWN_TOKENS = sql`(select b.daily_tokens from own_ai_budget b where b.account_id = ${param('account')})`
// What the operator has lowered since counts as well.
const allowed = sql`least(${param('limit')}::bigint, ${OWN_TOKENS})`

/** How many tokens of a model an account may use in a day (UTC) at most, as the operator says; null where there is no model. */
export const dailyTokens = defineNeed<number | null>('dailyTokens')

/** Tokens that were set aside for one question. */
export interface SetAside {
  day: string
  tokens: number
}

const today = sql`(clock_timestamp() at time zone 'UTC')::date`

// The row of the day is held for this statement alone: what is set aside counts, so that all processes together stay within.
const setAside = new Statement<{ day: string }>(
  sql<{ day: string }>`insert into ai_usage as u (id, account_id, day, tokens, requests)
    select ${param('id')}, ${param('account')}, ${today}, ${param('tokens')}, 1
      where ${param('tokens')}::bigint <= ${allowed}
    on conflict on constraint ai_usage_key do update set tokens = u.tokens + excluded.tokens, requests = u.requests + 1
      where u.tokens + excluded.tokens <= ${allowed}
    returning u.day::text as day`,
)

/** Sets tokens aside for a question, before it is asked; null where the day's budget has not as many left. */
export async function setTokensAside(db: Scope, tokens: number): Promise<SetAside | null> {
  const limit = db.get(dailyTokens)
  if (limit === null) return null
  const [row] = await db.rows(setAside, { id: newId(), tokens, limit })
  return row ? { day: row.day, tokens } : null
}

const settle = new Statement<never>(
  sql<never>`update ai_usage set tokens = greatest(0, tokens + ${param('more')}::bigint)
    where account_id = ${param('account')} and day = ${param('day')}::date`,
)

/** Books what a question took in the place of what was set aside for it; where nobody knows, that stays. */
export async function bookTokens(db: Scope, { day, tokens }: SetAside, used: number | null): Promise<void> {
  if (used !== null && used !== tokens) await db.rows(settle, { day, more: used - tokens })
}

/** Where an account stands within its budget of today. */
export interface Standing {
  day: string
  dailyTokens: number
  ownDailyTokens: number | null
  maxDailyTokens: number
  usedTokens: number
  leftTokens: number
  questions: number
  resetsAt: Date
}

interface Day {
  day: string
  tokens: string
  own: string | null
  questions: number
  resetsAt: Date
}

const standing = new Statement<Day>(
  sql<Day>`select d.day::text as day, coalesce(u.tokens, 0)::text as tokens, coalesce(u.requests, 0) as questions,
      ${OWN_TOKENS}::text as own,
      (d.day + 1)::timestamp at time zone 'UTC' as "resetsAt"
    from (select ${today} as day) d left join ai_usage u on u.account_id = ${param('account')} and u.day = d.day`,
)

/** What an account may use today and has used; null where there is no model. */
export async function budgetOf(db: Scope): Promise<Standing | null> {
  const limit = db.get(dailyTokens)
  if (limit === null) return null
  const { tokens, own, ...rest } = (await db.rows(standing, {}))[0]!
  const [used, ownDailyTokens] = [Number(tokens), own === null ? null : Number(own)]
  const inForce = Math.min(limit, ownDailyTokens ?? limit)
  const leftTokens = Math.max(0, inForce - used)
  return { ...rest, dailyTokens: inForce, ownDailyTokens, maxDailyTokens: limit, usedTokens: used, leftTokens }
}
