import DataLoader from 'dataloader'
import { sql } from 'kysely'
import { type Context, param, type Scope, Statement } from '../../database/index.js'
import { TYPE } from './activate.service.js'
import { dailyTokens, OWN_TOKENS } from './budget.service.js'
import { Errand } from './errand.types.js'

/** An agent as far as it says what it can do. */
export interface Able {
  id: string
  name: string
  type: string
  isActive: boolean
  /** Whether it has a first text, or an approved template. */
  hasOpening: boolean
  /** Whether it has a text of its own to answer with, or criteria to qualify by. */
  hasAnswers: boolean
  /** Whether its account lets agents ask a model, where there is one. */
  mayAsk: boolean
}

const able = new Statement<Able>(
  sql<Able>`select a.id, a.name, a.type, a.is_active as "isActive",
      a.opening is not null or a.opening_template is not null as "hasOpening",
      a.fallback is not null or a.scripts <> '[]' or a.criteria <> '[]' as "hasAnswers",
      ${OWN_TOKENS} is distinct from 0 as "mayAsk"
    from ai_agent a where a.account_id = ${param('account')} and a.id = any(${param('ids')}::uuid[]) and a.deleted_at is null`,
)

/** An agent as far as it says what it can do; undefined where there is none. */
export async function ableAgent(db: Scope, id: string): Promise<Able | undefined> {
  return (await db.rows(able, { ids: [id] }))[0]
}

/** What an agent has to do something with, be it paused. */
export function errandsOf(db: Scope, { type, hasOpening, hasAnswers, mayAsk }: Able): Errand[] {
  const canAnswer = hasAnswers || (mayAsk && db.get(dailyTokens) !== null)
  return [
    ...(type === TYPE && hasOpening ? [Errand.BEGIN_CONVERSATION] : []),
    ...(canAnswer ? [Errand.ANSWER] : []),
    Errand.HAND_OVER,
  ]
}

/** Loads what agents can be told to do. */
export const errandsLoader = ({ db }: Context): DataLoader<string, Errand[]> =>
  new DataLoader(async (ids) => {
    const found = new Map((await db.rows(able, { ids })).map((one) => [one.id, one]))
    return ids.map((id) => (found.has(id) ? errandsOf(db, found.get(id)!) : []))
  })
