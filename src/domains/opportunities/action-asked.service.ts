import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { type ActionPlace, declaredActions } from '../../kit/action.js'
import { Later } from '../../kit/later.js'
import { isUuid, newId } from '../../shared/ids.js'

/** An action that was asked for, on its way. */
export interface AskedAction {
  id: string
  opportunityId: string
  contactId: string | null
  name: string
  input: Record<string, string>
  /** Whether somebody has claimed it. */
  claimed: boolean
  /** Whether who claimed it must have died. */
  dead: boolean
  result: object | null
}

/** What a caller gave for actions: by action, by input. */
export type GivenActions = Readonly<
  Record<string, Readonly<Record<string, string | null | undefined>> | null | undefined>
>

const NEW = { contactId: null, claimed: false, dead: false, result: null } as const

/** The actions that somebody asks for: those of which something is given. */
export function actionsAskedFor(
  db: Scope,
  given: GivenActions | null | undefined,
): Omit<AskedAction, 'opportunityId'>[] {
  return db.get(declaredActions).flatMap((action) => {
    const texts = Object.entries(given?.[action.name] ?? {}).map(([name, text]) => [name, text?.trim() ?? ''] as const)
    const named = texts.filter(([, text]) => text !== '')
    if (named.length === 0) return []
    const wrong = named.find(([, text]) => !isUuid(text))
    const input = wrong ? {} : Object.fromEntries(named.map(([name, id]) => [name, id.toLowerCase()]))
    const result = wrong ? action.failed(`What was given as the id of the ${inWords(wrong[0])} is no uuid.`) : null
    return { ...NEW, id: newId(), name: action.name, input, result }
  })
}

/** The actions that domains ask for by themselves, but for those of which the caller has given something. */
export async function decidedActions(
  db: Scope,
  place: ActionPlace,
  asked: readonly Pick<AskedAction, 'name'>[],
): Promise<Omit<AskedAction, 'opportunityId'>[]> {
  const decided: Omit<AskedAction, 'opportunityId'>[] = []
  for (const { name, decides } of db.get(declaredActions)) {
    if (!decides || asked.some((one) => one.name === name)) continue
    const given = await decides(db, place)
    if (given) decided.push({ ...NEW, id: newId(), name, input: given as Record<string, string> })
  }
  return decided
}

/** `templateId` as people say it. */
const inWords = (name: string) => name.replace(/Id$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const insert = new Statement<never>(
  sql<never>`insert into opportunity_action (id, account_id, opportunity_id, name, input, result)
    select id, ${param('account')}::uuid, ${param('opportunityId')}::uuid, name, input, nullif(result, 'null')
    from jsonb_to_recordset(${param('asked')}::jsonb) as asked(id uuid, name text, input jsonb, result jsonb)`,
  { prepared: true },
)

/** Stores what was asked for with the open transaction that creates the opportunity. */
export function storeActions(db: Scope, opportunityId: string, asked: readonly Omit<AskedAction, 'opportunityId'>[]) {
  const rows = asked.map(({ id, name, input, result }) => ({ id, name, input, result }))
  db.send(insert, { opportunityId, asked: JSON.stringify(rows) })
}

/** The blocks of actions that happen after the transaction, for an answer that is kept within it. */
export function promiseBlocks(db: Scope, asked: readonly Pick<AskedAction, 'id' | 'name'>[]): object {
  db.promised = true
  const declared = db.get(declaredActions)
  const blocks = asked.map(({ id, name }) => {
    const fields = Object.keys(declared.find((action) => action.name === name)!.failed(''))
    return [name, Object.fromEntries(fields.map((field) => [field, new Later(id, field)]))] as const
  })
  return Object.fromEntries(blocks)
}
