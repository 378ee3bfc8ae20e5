import { type Database, Scope } from '../../database/index.js'
import type { ChannelKind, Told } from '../../integrations/channels/index.js'
import { channelAccountOf } from '../channels/index.js'
import { recordGroupName, recordInbound, recordReceipt } from '../conversations/index.js'
import { stillWaits } from './erase.service.js'

/** A notice that this process has claimed. */
export interface ClaimedNotice {
  id: string
  kind: ChannelKind
  numberId: string
  what: Told['what']
  attempts: number
}

/** How long recording one may take, in milliseconds, before another process takes it. */
const LEASE_MS = 60_000
/** Meta tells again what was not taken for a week; what could not be recorded within that is given up. */
const KEPT = '7 days'
const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 3_600_000

// The first of each lane alone: the others wait for it, also while it is tried again.
const CLAIM = `with first as (
    select n.id from channel_notice n
    where n.due_at <= now() and not exists (select from channel_notice e where e.lane = n.lane and e.id < n.id)
    order by n.id limit $1 for update of n skip locked),
  claimed as (
    update channel_notice n set attempts = n.attempts + 1, due_at = now() + $2::float8 * interval '1 millisecond'
    from first where n.id = first.id
    returning n.id, n.kind, n.number_id as "numberId", n.what, n.attempts)
  select * from claimed order by id`
// Several at once in the order of their ids, as an erasure takes them, so that neither waits for the other in a circle.
const HELD = 'with held as (select id from channel_notice where id = any($1) order by id for update)'
const FORGET = `${HELD} delete from channel_notice n using held where n.id = held.id`
const LATER = `update channel_notice set due_at = now() + $2::float8 * interval '1 millisecond' where id = $1`
const GIVE_UP = `delete from channel_notice where received_at < now() - interval '${KEPT}' and attempts > 0`

/** Claims at most so many notices that are due, the first of each lane. */
export async function claimNotices({ pool }: Database, limit: number): Promise<ClaimedNotice[]> {
  return (await pool.query<ClaimedNotice>(CLAIM, [limit, LEASE_MS])).rows
}

/** Takes notices away that were recorded. */
export async function forgetNotices({ pool }: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await pool.query(FORGET, [ids])
}

/** Lets a notice, and with it its lane, wait: a second after the first failure, twice as long each time after. */
export async function postponeNotice({ pool }: Database, { id, attempts }: ClaimedNotice): Promise<void> {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), MAX_PAUSE_MS) * (0.5 + Math.random() / 2)
  await pool.query(LATER, [id, pause])
}

const RELEASE = `${HELD} update channel_notice n set attempts = attempts - 1, due_at = now() from held where n.id = held.id`

/** Puts claimed notices back that were not begun. */
export async function releaseNotices({ pool }: Database, notices: readonly ClaimedNotice[]): Promise<void> {
  if (notices.length > 0) await pool.query(RELEASE, [notices.map(({ id }) => id)])
}

/** Gives up what could not be recorded for a week. */
export async function sweepNotices({ pool }: Database): Promise<void> {
  await pool.query(GIVE_UP)
}

/** The person whom a notice tells of was erased while it was being recorded. */
class ErasedMeanwhile extends Error {}

/**
 * Records what was told in the account that has connected the number; of a number that nobody has, or of who was erased
 * since it was claimed, nothing.
 */
export async function recordNotice(database: Database, { id, kind, numberId, what }: ClaimedNotice): Promise<void> {
  const channel = await channelAccountOf(database, kind, numberId)
  if (!channel) return
  const db = Scope.ofSystem(database, channel.accountId)
  const { about, at, ...told } = what
  const one = { ...told, at: new Date(at), channelAccountId: channel.id }
  if (about === 'receipt') return recordReceipt(db, one as Parameters<typeof recordReceipt>[1])
  const confirm = async () => {
    if (!(await stillWaits(db, id))) throw new ErasedMeanwhile()
  }
  try {
    if (about === 'group') await recordGroupName(db, one as Parameters<typeof recordGroupName>[1], confirm)
    else await recordInbound(db, one as Parameters<typeof recordInbound>[1], confirm)
  } catch (error) {
    if (!(error instanceof ErasedMeanwhile)) throw error
  }
}
