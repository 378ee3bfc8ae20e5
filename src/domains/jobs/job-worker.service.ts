import { setTimeout as delay } from 'node:timers/promises'
import { type Database, failureCode, Scope } from '../../database/index.js'
import type { OneOffJob } from '../../kit/job.js'
import { asTrace } from '../../kit/traced.js'
import { endJob, giveUpJob, keepJob, MAX_ATTEMPTS, postponeJob, type TakenJob, takeJobs } from './queue.service.js'

/** The pace of jobs, in milliseconds. */
export interface JobPace {
  /** The time between two looks for what other processes have stored. */
  pollMs: number
  /** For how long others keep away from a job whose process has not been heard of. */
  leaseMs: number
  /** The pause after the first failure; each further one is four times as long. */
  pauseMs: number
  /** How long a job may take. */
  limitMs: number
}

/** What has jobs done in the background. */
export interface JobWorkerOptions extends Partial<JobPace> {
  database: Database
  /** All that there are; those of which this process knows nothing are left to others. */
  jobs: readonly OneOffJob[]
  log: (error: unknown, job?: TakenJob) => void
}

const PACE: JobPace = { pollMs: 1000, leaseMs: 30_000, pauseMs: 10_000, limitMs: 600_000 }
const AT_ONCE = 3
// Below what a process manager usually grants, and `fairlead serve` its parts.
const STOP_MS = 8000

/**
 * Has jobs done, until stopped. However many processes do so, each job is done by one of them at a time. One that fails is
 * tried five times in all, with pauses that grow, and kept as failed after that.
 */
export function startJobWorker({ database, jobs, log, ...pace }: JobWorkerOptions) {
  const { pollMs, leaseMs, pauseMs, limitMs } = { ...PACE, ...pace }
  const names = jobs.map(({ name }) => name)
  const running = new Set<Promise<void>>()
  const ended = new AbortController()
  let roused = Promise.withResolvers<void>()
  const rouse = () => roused.resolve()
  const unlisten = database.subscribers.onStored(rouse)

  const carryOut = async (taken: TakenJob): Promise<void> => {
    const over = new AbortController()
    const heard = setInterval(() => {
      const lost = (ours: boolean) => ours || over.abort(new LostJob())
      keepJob(database, taken, leaseMs).then(lost, log)
    }, leaseMs / 3)
    const limit = setTimeout(() => over.abort(new JobTimeOut()), limitMs)
    const aborted = new Promise<never>((_, reject) => {
      over.signal.addEventListener('abort', () => reject(over.signal.reason))
    })
    try {
      const { run } = jobs.find(({ name }) => name === taken.name)!
      const db = Scope.ofSystem(database, taken.accountId)
      await Promise.race([(async () => run(db, taken.ids, over.signal))(), aborted])
    } finally {
      clearInterval(heard)
      clearTimeout(limit)
    }
  }

  const work = async (taken: TakenJob): Promise<void> => {
    // Its process died each time, of which it may be the cause.
    if (taken.attempts > MAX_ATTEMPTS) return giveUpJob(database, taken, taken.attempts - 1, 'Interrupted')
    try {
      await asTrace(database, `job ${taken.name}`, taken, () => carryOut(taken))
    } catch (error) {
      if (error instanceof LostJob) return
      log(error, taken)
      if (taken.attempts >= MAX_ATTEMPTS) return giveUpJob(database, taken, taken.attempts, kindOf(error))
      return postponeJob(database, taken, pauseMs * 4 ** (taken.attempts - 1) * (0.75 + Math.random() / 2))
    }
    await endJob(database, taken)
  }

  const begin = (taken: TakenJob) => {
    const run = work(taken)
      .catch((error) => log(error, taken)) // the database: when the lease is over it is tried again
      .finally(() => {
        running.delete(run)
        rouse() // there is room again
      })
    running.add(run)
  }

  const look = async (): Promise<void> => {
    const room = AT_ONCE - running.size
    if (room === 0) return
    for (const taken of await takeJobs(database, names, room, leaseMs)) begin(taken)
  }

  const loop = async () => {
    while (!ended.signal.aborted) {
      roused = Promise.withResolvers()
      await look().catch((error) => log(error))
      const poll = new AbortController()
      await Promise.race([roused.promise, delay(pollMs, undefined, { signal: poll.signal }).catch(() => {})])
      poll.abort()
    }
  }
  const looping = names.length > 0 ? loop() : Promise.resolve()

  return {
    /** Takes no further job and waits for those under way, but not for longer than eight seconds: then another has them. */
    stop: async (): Promise<void> => {
      ended.abort()
      unlisten()
      rouse()
      const done = looping.then(() => Promise.all(running))
      await Promise.race([done, delay(STOP_MS, undefined, { ref: false })])
    },
  }
}

/** Another process has taken a job over, or it is gone. */
class LostJob extends Error {}

/** A job took longer than it may. */
class JobTimeOut extends Error {
  override name = 'TimeOut'
}

function kindOf(error: unknown): string {
  return [error instanceof Error ? error.name : 'Error', failureCode(error)].filter(Boolean).join(' ')
}
