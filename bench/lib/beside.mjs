import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { median } from './bench.mjs'

const GENERATOR = new URL('load.mjs', import.meta.url)
const TURN_MS = 3000
/** What a change of turns takes: a generator starts, or what it left behind is called off. */
const BETWEEN_MS = 700
/** Alone, beside, beside, alone: what changes in the course of a run befalls both. */
const ORDER = [false, true, true, false]

/**
 * Reads at a steady rate, while heavy load goes on in half of the turns. Resolves for each read to the medians of the turns'
 * p50 and p99, alone and beside; and to how many heavy calls a second were answered.
 */
export async function inTurns(reads, heavy, turns) {
  const seconds = (turns * (TURN_MS + BETWEEN_MS)) / 1000
  const readers = reads.map((read) => generate({ ...read, seconds, warmup: 1, samples: true }))
  await Promise.all(readers.map(({ begun }) => begun))
  const taken = []
  let answered = 0
  for (let i = 0; i < turns; i++) {
    const works = ORDER[i % ORDER.length]
    const load = works && generate({ ...heavy, seconds: TURN_MS / 1000, warmup: BETWEEN_MS / 1000 })
    await (load ? load.begun : delay(BETWEEN_MS))
    const from = Date.now()
    if (load) {
      const { requests, non2xx, firstBad } = await load.result
      load.kill()
      if (non2xx > 0) throw new Error(`the heavy calls were answered with ${firstBad}`)
      answered += requests
    } else await delay(TURN_MS)
    taken.push({ works, from, to: Date.now() })
  }
  const results = await Promise.all(readers.map(({ result }) => result))
  for (const { kill } of readers) kill()
  const each = results.map(({ samples, non2xx, firstBad }) => {
    if (non2xx > 0) throw new Error(`the reads were answered with ${firstBad}`)
    return { alone: middle(samples, taken, false), beside: middle(samples, taken, true) }
  })
  const beside = taken.filter(({ works }) => works).length
  return { each, answered: answered / ((beside * TURN_MS) / 1000) }
}

function middle(samples, taken, which) {
  const sorted = taken
    .filter(({ works }) => works === which)
    .map(({ from, to }) => samples.flatMap(([at, ms]) => (at >= from && at < to ? [ms] : [])).toSorted((a, b) => a - b))
  const part = (share) => median(sorted.map((list) => list[Math.floor(share * list.length)]))
  return { p50: part(0.5), p99: part(0.99) }
}

/** A load generator under way. */
function generate(job) {
  const child = fork(GENERATOR)
  const [begun, result] = ['measuring', 'requests'].map(async (what) => {
    for (;;) {
      const [message] = await once(child, 'message')
      if (message[what] !== undefined) return message
    }
  })
  child.send({ terms: [], ids: [], firstNumber: 0, ...job })
  return { begun, result, kill: () => child.kill('SIGKILL') }
}
