import { sql } from 'kysely'
import { oneAtATime, param, type Scope, Statement } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import { AppError, errorKinds, invalid } from '../../shared/errors.js'
import { newId } from '../../shared/ids.js'
import { LEAST_TOKENS } from '../../shared/least-tokens.js'
import type { UpdateAiBudgetInput } from './budget.inputs.js'
import { budgetOf, dailyTokens as mostDailyTokens, OWN_TOKENS, type Standing } from './budget.service.js'

/** Why an account cannot say what its agents may use of a model. */
export const BUDGET_ERRORS = errorKinds({
  NO_LANGUAGE_MODEL: {
    status: 409,
    meaning: 'The service has no language model, so agents use nothing of one.',
    remedy: 'Nothing need be done: agents answer with their own texts.',
  },
})

const read = new Statement<{ tokens: string | null }>(
  sql<{ tokens: string | null }>`select ${OWN_TOKENS}::text as tokens from account where id = ${param('account')}`,
)

const store = new Statement<never>(
  sql<never>`insert into own_ai_budget (id, account_id, daily_tokens)
    values (${param('id')}, ${param('account')}, ${param('tokens')}::bigint)
    on conflict on constraint own_ai_budget_key do update set daily_tokens = excluded.daily_tokens`,
)

/**
 * Sets what the account's agents may use of the model in a day, today too: a question that is being asked is answered, and no
 * further one goes beyond. Null leaves it to the operator again, whose figure is the most that can be set.
 */
export async function updateAiBudget(db: Scope, { dailyTokens }: UpdateAiBudgetInput): Promise<Standing> {
  const most = db.get(mostDailyTokens)
  await db.transaction(async () => {
    // Within, so that whose rights have ended hears of that first.
    if (most === null)
      throw new AppError(BUDGET_ERRORS.NO_LANGUAGE_MODEL, 'There is no language model to have a budget of.')
    oneAtATime(db, 'own_ai_budget')
    const own = (await db.rows(read, {}))[0]!.tokens
    if (dailyTokens === undefined || dailyTokens === (own === null ? null : Number(own))) return
    requireAllowed(dailyTokens, most)
    db.send(store, { id: newId(), tokens: dailyTokens })
    await tellChange(db, 'ai_budget', db.accountId, 'updated', ['dailyTokens'])
  })
  return (await budgetOf(db))!
}

function requireAllowed(tokens: number | null, most: number): void {
  if (tokens === null || tokens === 0) return
  if (Number.isInteger(tokens) && tokens >= LEAST_TOKENS && tokens <= most) return
  const message = `must be 0, or a whole number from ${LEAST_TOKENS} to ${most}`
  throw invalid([{ path: ['input', 'dailyTokens'], message }])
}
