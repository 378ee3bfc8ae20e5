import { setTimeout as delay } from 'node:timers/promises'
import { type Database, type Delivery, deliver, type Pace, takeDeliveries } from '../database/index.js'
import { asTrace } from '../kit/traced.js'

export interface DeliveryOptions extends Partial<Pace> {
  database: Database
  log: (error: unknown, delivery?: Delivery) => void
  /** Milliseconds between two looks for what other processes have stored. */
  poll?: number
}

const POLL_MS = 1000
const LEASE_MS = 10_000
const RETRY_MS = 1000
// Each takes a connection of the pool while it runs.
const AT_ONCE = 3
const STOP_MS = 5000

/**
 * Tells the domains what was announced, until stopped. However many processes do so, each delivery is made by one of them
 * at a time, and those of one record one after the other.
 */
export function startDelivery({ database, log, poll = POLL_MS, lease = LEASE_MS, retry = RETRY_MS }: DeliveryOptions) {
  const running = new Set<Promise<void>>()
  let stopping = false
  let woken = false
  let wake = () => {}
  const rouse = () => {
    woken = true
    wake()
  }
  const unlisten = database.subscribers.onStored(rouse)

  const begin = (delivery: Delivery) => {
    const { subscriber, fact } = delivery
    const run = asTrace(database, `${subscriber} hears ${fact}`, delivery, () =>
      deliver(database, delivery, { lease, retry }),
    )
      .catch((error) => log(error, delivery))
      .finally(() => {
        running.delete(run)
        rouse() // the record may have more, and there is room again
      })
    running.add(run)
  }

  const look = async () => {
    const room = AT_ONCE - running.size
    if (room === 0) return
    try {
      for (const delivery of await takeDeliveries(database, room, { lease, retry })) begin(delivery)
    } catch (error) {
      log(error)
    }
  }

  const rest = async () => {
    if (woken) return
    const timer = new AbortController()
    const roused = new Promise<void>((resolve) => {
      wake = resolve
    })
    await Promise.race([roused, delay(poll, undefined, { signal: timer.signal }).catch(() => {})])
    timer.abort()
  }

  const loop = async () => {
    while (!stopping) {
      woken = false
      await look()
      await rest()
    }
  }
  // Without anyone who listens after a commit there is nothing to look for.
  const looping = database.subscribers.told.length > 0 ? loop() : Promise.resolve()

  return {
    /** Takes no further delivery, and waits for those under way, but not for longer than a few seconds. */
    stop: async (): Promise<void> => {
      stopping = true
      unlisten()
      rouse()
      const done = looping.then(() => Promise.all(running))
      await Promise.race([done, delay(STOP_MS, undefined, { ref: false })])
    },
  }
}
