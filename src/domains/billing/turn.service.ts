import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Database, flushedLater, param, Scope, Statement } from '../../database/index.js'
import { newId } from '../../shared/ids.js'

/** That an agency's money is being moved by somebody else for longer than one waits; to be tried again later. */
export class AgencyBusy extends Error {}

/** That one has not come to one's turn in time: nothing was done. */
export class TurnNotReached extends AgencyBusy {}

/** That it is one's turn to move an agency's money. */
export interface Turn {
  readonly agencyId: string
  readonly holder: string
}

/** How turns are given, in milliseconds. */
export interface TurnPace {
  /** After what time without a sign of life another may have the turn. */
  lease: number
  /** How long one waits for it. */
  patience: number
}

export const TURN_PACE: TurnPace = { lease: 30_000, patience: 20_000 }
const FIRST_LOOK_MS = 10
const LAST_LOOK_MS = 250

const take = new Statement<{ id: string }>(
  sql<{ id: string }>`update billing_standing set turn_holder = ${param('holder')},
      turn_until = now() + make_interval(secs => ${param('lease')}::float8 / 1000)
    where agency_id = ${param('agency')}
      and (turn_holder is null or turn_until < now() or turn_holder = ${param('holder')}) returning id, ${flushedLater}`,
  { prepared: true },
)
const prolong = new Statement<never>(
  sql<never>`update billing_standing set turn_until = now() + make_interval(secs => ${param('lease')}::float8 / 1000)
    where agency_id = ${param('agency')} and turn_holder = ${param('holder')}`,
)
const giveBack = new Statement<unknown>(
  sql<unknown>`update billing_standing set turn_holder = null, turn_until = null
    where agency_id = ${param('agency')} and turn_holder = ${param('holder')} returning ${flushedLater}`,
  { prepared: true },
)
const hold = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from billing_standing
    where agency_id = ${param('agency')} and turn_holder = ${param('holder')} for update`,
  { prepared: true },
)

/** Those of this process who wait for a turn, by agency: they need not look, each is woken by the one before. */
const waiting = new WeakMap<Database, Map<string, Promise<void>>>()

/**
 * Does something while nobody else moves the agency's money; whoever else wants to waits, in this process in the order of
 * asking. `open` makes sure that its standing is there, and is asked only where the turn was not to be had at once. Throws
 * TurnNotReached when it does not come to it in time.
 */
export async function inTurn<T>(
  database: Database,
  agencyId: string,
  work: (turn: Turn) => Promise<T>,
  { lease, patience }: TurnPace = TURN_PACE,
  open: (db: Scope) => Promise<void> = async () => {},
): Promise<T> {
  const deadline = Date.now() + patience
  const leave = await queue(database, agencyId, deadline)
  const db = Scope.ofAgency(database, agencyId)
  const turn: Turn = { agencyId, holder: newId() }
  try {
    await takeTurn(db, turn, { lease, deadline, open })
    const beat = setInterval(() => void db.rows(prolong, { holder: turn.holder, lease }).catch(() => {}), lease / 3)
    try {
      return await work(turn)
    } finally {
      clearInterval(beat)
      // Should this fail, the lease ends by itself.
      await db.rows(giveBack, { holder: turn.holder }).catch(() => {})
    }
  } finally {
    leave()
  }
}

/** Makes sure inside of a transaction that it still is one's turn, and stays so until the transaction ends. */
export async function holdTurn(db: Scope, { agencyId, holder }: Turn): Promise<void> {
  if (db.agencyId !== agencyId) throw new Error('the turn is of another agency')
  const [held] = await db.rows(hold, { holder })
  if (!held) throw new AgencyBusy('the turn was lost to somebody else')
}

async function takeTurn(
  db: Scope,
  { holder }: Turn,
  { lease, deadline, open }: { lease: number; deadline: number; open: (db: Scope) => Promise<void> },
): Promise<void> {
  const isTaken = async () => (await db.rows(take, { holder, lease })).length > 0
  if (await isTaken()) return
  await open(db)
  for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 2, LAST_LOOK_MS)) {
    if (await isTaken()) return
    if (Date.now() + pause > deadline) throw new TurnNotReached("another process moves the agency's money")
    await delay(pause * (0.5 + Math.random() / 2))
  }
}

/** Waits for those of this process who came before; resolves to what lets the next one go on. */
async function queue(database: Database, agencyId: string, deadline: number): Promise<() => void> {
  const queues = waiting.get(database) ?? new Map<string, Promise<void>>()
  waiting.set(database, queues)
  const before = queues.get(agencyId) ?? Promise.resolve()
  let leave = () => {}
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const mine = before.then(() => left)
  queues.set(agencyId, mine)
  void mine.then(() => {
    if (queues.get(agencyId) === mine) queues.delete(agencyId)
  })
  const timer = new AbortController()
  const late = delay(Math.max(deadline - Date.now(), 0), 'late', { signal: timer.signal }).catch(() => 'early')
  const end = await Promise.race([before, late])
  timer.abort()
  if (end !== 'late') return leave
  leave()
  throw new TurnNotReached("the agency's money has been moved for long")
}
