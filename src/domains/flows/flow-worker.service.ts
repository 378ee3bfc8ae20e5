import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/index.js'
import { Pace } from '../../kit/pace.js'
import { asTrace } from '../../kit/traced.js'
import { type Clock, systemClock } from '../../shared/clock.js'
import { type Claimed, claimSteps, releaseSteps } from './claim.service.js'
import type { Plan } from './schedule.service.js'
import { carryOut, giveUp } from './step.service.js'

/** What has the steps of flows happen in the background. */
export interface FlowWorkerOptions {
  database: Database
  log: (error: unknown, enrollmentId?: string) => void
  /** Milliseconds between two looks for what is due. */
  pollMs?: number
  clock?: Clock
}

const POLL_MS = 500
const STOP_MS = 5000
/** How many steps are claimed at once: a tenth of a second's, or more of them where that does not keep the pace. */
const BATCH = { least: 25, most: 100 }
/** A worker does no more, so that whoever waits for an answer does not notice; several do as much more. */
const PER_SECOND = 250
/** How many groups of steps happen side by side: each takes a connection. */
const AT_ONCE = 3
const MAX_ATTEMPTS = 5
const SOON_MS = 1000
const PAUSE_MS = 10_000

/**
 * Has the steps that are due happen, until stopped. However many processes do so, each step is claimed by one of them, and
 * happens in the transaction that moves its enrollment on: never twice, and after the death of a process in another.
 */
export function startFlowWorker({ database, log, pollMs = POLL_MS, clock = systemClock }: FlowWorkerOptions) {
  const ended = new AbortController()
  const plans = new Plans(database)
  const pace = new Pace(PER_SECOND)
  let batch = BATCH.least

  const tryGroup = async (group: readonly Claimed[]): Promise<void> => {
    const at = clock()
    try {
      const plan = await plans.of(group[0]!)
      const steps = { plan, claimed: group, at }
      const left = await asTrace(database, 'steps of a flow', group[0]!, () => carryOut(database, steps))
      await releaseSteps(database, left, new Date(at.getTime() + SOON_MS))
    } catch (error) {
      // One that cannot happen must not hold up those beside it.
      if (group.length > 1) for (const one of group) await tryGroup([one])
      else await failed(group[0]!, error)
    }
  }

  const failed = async (one: Claimed, error: unknown): Promise<void> => {
    log(error, one.id)
    const until = new Date(clock().getTime() + PAUSE_MS * 2 ** one.attempts)
    if (one.attempts >= MAX_ATTEMPTS) await giveUp(database, one)
    else await releaseSteps(database, [one], until, true)
  }

  const work = async (groups: Claimed[][]): Promise<void> => {
    for (let group = groups.shift(); group; group = groups.shift()) {
      if (ended.signal.aborted) await releaseSteps(database, group, clock())
      else await tryGroup(group)
    }
  }

  const look = async (): Promise<number> => {
    const claimed = await claimSteps(database, batch, clock())
    const keepsPace = await pace.take(claimed.length, ended.signal)
    batch = keepsPace || claimed.length < batch ? BATCH.least : Math.min(batch * 2, BATCH.most)
    const spent = claimed.filter(({ attempts }) => attempts > MAX_ATTEMPTS)
    for (const one of spent) await giveUp(database, one)
    const groups = grouped(claimed.filter((one) => !spent.includes(one)))
    const working = Array.from({ length: AT_ONCE }, () => work(groups))
    for (const { status, ...rest } of await Promise.allSettled(working)) {
      if (status === 'rejected') log((rest as PromiseRejectedResult).reason)
    }
    return claimed.length
  }

  const loop = async () => {
    while (!ended.signal.aborted) {
      const found = await look().catch((error) => {
        log(error)
        return 0
      })
      if (found === 0) await delay(pollMs, undefined, { signal: ended.signal, ref: false }).catch(() => {})
    }
  }
  const looping = loop()

  return {
    /** Claims nothing more and waits for the steps under way, but not for longer than a few seconds. */
    stop: async (): Promise<void> => {
      ended.abort()
      await Promise.race([looping, delay(STOP_MS, undefined, { ref: false })])
    },
  }
}

/** Steps that can happen together: of one place in one version of a flow. */
function grouped(claimed: readonly Claimed[]): Claimed[][] {
  const groups = Map.groupBy(claimed, ({ flowId, version, step }) => `${flowId} ${version} ${step}`)
  return [...groups.values()]
}

const READ = `select v.steps, v.send_window as "sendWindow", a.time_zone as zone
  from flow_version v join account a on a.id = v.account_id
  where v.account_id = $1 and v.flow_id = $2 and v.number = $3`

const PLAN_MS = 10_000

/** What says when which step happens. Versions are written once; the account's time zone may be an old one for seconds. */
class Plans {
  private readonly known = new LRUCache<string, Plan>({ max: 1000, ttl: PLAN_MS })

  constructor(private readonly database: Database) {}

  async of({ accountId, flowId, version }: Claimed): Promise<Plan> {
    const key = `${flowId} ${version}`
    const known = this.known.get(key)
    if (known) return known
    const { rows } = await this.database.pool.query<Plan>(READ, [accountId, flowId, version])
    this.known.set(key, rows[0]!)
    return rows[0]!
  }
}
