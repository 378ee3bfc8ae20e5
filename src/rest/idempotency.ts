import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Context, type Idempotent, type KeptAnswer, once } from '../database/index.js'
import { fulfil } from '../kit/later.js'
import { AppError } from '../shared/errors.js'
import type { Findings } from './findings.js'

/** How long a repeat waits for the first call that still runs. */
export const WAIT_MS = 10_000
const RETRY_AFTER_SECONDS = 1
/** The header, and the name under which faults of it are told. */
export const KEY_HEADER = 'Idempotency-Key'
const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/

/** The Idempotency-Key of a request, if it has one; one that cannot be a key is a fault. */
export function idempotencyKeyOf({ headers }: IncomingMessage, findings: Findings): string | undefined {
  const key = headers['idempotency-key']
  return key === undefined ? undefined : checkedKey(key, KEY_HEADER, findings)
}

/** What was given as the key of a call; one that cannot be a key is a fault of this field. */
export function checkedKey(key: unknown, field: string, findings: Findings): string | undefined {
  if (typeof key === 'string' && VISIBLE_ASCII.test(key)) return key
  findings.fault(field, 'must be 1 to 255 visible ASCII characters')
  return undefined
}

/** The key has no effect on a method that does the same however often it is sent; the caller hears so. */
export function noticeIdleKey({ headers, method }: IncomingMessage, findings: Findings): undefined {
  if (headers['idempotency-key'] === undefined) return
  findings.warn(KEY_HEADER, `has no effect on ${method}`, ' and was ignored')
}

/** A hash of what a call asks for: its path parameters and its body as canonical JSON. */
export function hashRequest(path: Readonly<Record<string, string>>, body: object): Buffer {
  return createHash('sha256').update(canonical({ path, body })).digest()
}

/** JSON with the members of each object in order, so that two spellings of one value are equal. */
function canonical(value: unknown): string {
  try {
    return stringify(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new AppError('VALIDATION_ERROR', 'The body is nested too deeply.', { cause: error })
  }
}

function stringify(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    // From entries, and not by assignment: a member may be named __proto__.
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Makes calls with an Idempotency-Key happen once. */
export class Idempotency {
  /** The calls of this process that run now: repeats wait for them without asking the database. */
  private readonly running = new Map<string, Promise<unknown>>()

  constructor(
    private readonly ttlHours: number,
    private readonly waitMs: number = WAIT_MS,
    private readonly tell: (outcome: string) => void = () => {},
  ) {}

  /** Runs the work, or returns the answer that it had before. */
  async run(
    { db }: Context,
    operation: string,
    key: string,
    requestHash: Buffer,
    work: () => Promise<KeptAnswer>,
  ): Promise<KeptAnswer & { replayed: boolean }> {
    const call = { operation, key, requestHash }
    const name = `${db.accountId} ${operation} ${key}`
    const deadline = Date.now() + this.waitMs
    let repeat = false
    for (let pause = 10; ; pause = Math.min(pause * 2, 200)) {
      // Nothing is awaited between the last look and the attempt: of the repeats that wake together, one goes on.
      for (let first = this.running.get(name); first; first = this.running.get(name)) {
        repeat = true
        await waitFor(first, deadline)
      }
      const result = await this.attempt(name, async () => whole(db, await once(db, call, this.ttlHours, work, repeat)))
      if (result.kind !== 'busy') {
        this.tell(result.kind)
        return answerOf(result)
      }
      // Another process has the key.
      if (Date.now() + pause > deadline) throw inProgress()
      repeat = true
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }

  private async attempt(name: string, work: () => Promise<Idempotent>): Promise<Idempotent> {
    const attempt = work()
    const settled = attempt.then(
      () => {},
      () => {},
    )
    this.running.set(name, settled)
    try {
      return await attempt
    } finally {
      this.running.delete(name)
    }
  }
}

/** What came of a call, with what its answer promised. */
async function whole(db: Context['db'], result: Idempotent): Promise<Idempotent> {
  if (result.kind !== 'fresh' && result.kind !== 'replayed') return result
  return result.promised ? { ...result, body: await fulfil(db, result.body) } : result
}

async function waitFor(running: Promise<unknown>, deadline: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), Math.max(deadline - Date.now(), 0))
  })
  const first = await Promise.race([running, late])
  clearTimeout(timer)
  if (first === 'late') throw inProgress()
}

function answerOf(result: Exclude<Idempotent, { kind: 'busy' }>): KeptAnswer & { replayed: boolean } {
  if (result.kind === 'fresh' || result.kind === 'replayed') {
    return { status: result.status, body: result.body, replayed: result.kind === 'replayed' }
  }
  if (result.kind === 'erased') {
    throw new AppError('RESOURCE_DELETED', 'What the first call with this Idempotency-Key created has been deleted.')
  }
  throw new AppError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used before with another request.')
}

function inProgress(): AppError {
  return new AppError('IDEMPOTENCY_IN_PROGRESS', 'The first call with this Idempotency-Key still runs.', {
    extra: { retryAfter: RETRY_AFTER_SECONDS },
  })
}
