import { setTimeout as delay } from 'node:timers/promises'
import { type Context, type Database, Scope } from '../../database/index.js'
import { AppError, Deferred } from '../../shared/errors.js'
import { newId } from '../../shared/ids.js'
import { type AgencyAction, AgencyEventStatus } from './agency-event.entity.js'
import {
  type Attempt,
  beginEvent,
  type Failure,
  failEvent,
  findByKey,
  forgetOutlivedKey,
  type KnownEvent,
  type NewEvent,
  noteDeferred,
  storeRefused,
} from './event-store.service.js'
import { attemptEvent, type Inputs, type Provisioning, type Results } from './provisioning.service.js'
import { TakenOver } from './provisioning-errors.service.js'

/** A call that changes something, as far as its event is concerned. */
interface Call {
  context: Context
  operation: string
  key?: string
  requestHash: Buffer
}

/** How a call ended: by its answer, by an error, or not yet. */
interface Done {
  status: number
  body: Record<string, unknown> | string
  failure?: Record<string, unknown>
  error?: AppError
  deferred?: boolean
}

interface Outcome {
  entry: string
  outcome: { status?: number; body: Record<string, unknown> | string }
  replayed: boolean
}

export interface JournalOptions {
  /** What each stored operation does. */
  actions: Readonly<Record<string, AgencyAction>>
  idempotencyTtlHours: number
  /** How long a repeat waits for a first call that still runs, in milliseconds. */
  waitMs?: number
}

const WAIT_MS = 10_000
/** With what it ends to look whether a credential that a call was let in with is still good. */
const NOT_LET_IN: ReadonlySet<string> = new Set(['INVALID_API_KEY', 'INSUFFICIENT_PERMISSIONS'])
const RETRY_AFTER_SECONDS = 1
const PENDING = { status: 202, body: { data: { status: 'pending' } } }
const { PENDING: IS_PENDING, PROCESSING, FAILED } = AgencyEventStatus

/** The event of a call on its way, which begins when what is asked for turns out to be sound. */
export class EventInHand {
  attempt?: Attempt
  /** Whether another call has used its key in the meantime. */
  isRepeat = false

  constructor(
    private readonly provisioning: Provisioning,
    private readonly context: Context,
    readonly event: NewEvent,
  ) {}

  /**
   * Stores the event and makes its first attempt. Whoever calls must still be allowed to as the event begins, which is what
   * its transaction makes sure of; from then on it is the agency's, and goes on though the token of the call be revoked.
   */
  async carryOut<Action extends AgencyAction>(action: Action, input: Inputs[Action]): Promise<Results[Action]> {
    const { id, action: booked } = this.event
    if (booked !== action) throw new Error(`a call of ${booked} asks for ${action}`)
    const agencyId = this.context.viewer.agencyId!
    const db = this.context.asService().forAgency(agencyId)
    if (!(await db.transaction(() => beginEvent(db, this.event, input, this.provisioning.leaseMs)))) {
      this.isRepeat = true
      throw new Deferred()
    }
    const attempt = { id, agencyId, action, number: 1, input, target: null, awaited: true }
    this.attempt = attempt
    return attemptEvent(this.provisioning, attempt as never)
  }
}

const HAND = Symbol('event in hand')

/** The event of the call; only a call that is booked has one. */
export function eventInHand({ perRequest }: Context): EventInHand {
  const hand = perRequest.get(HAND) as EventInHand | undefined
  if (!hand) throw new AppError('VALIDATION_ERROR', 'Sub-accounts are changed through the agency API alone.')
  return hand
}

/** Keeps an event of each write of an agency, and answers repeats from it. */
export class EventJournal {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly options: JournalOptions,
  ) {}

  /** Carries a call out once for its key, and says how it ended or that it is not done yet. */
  async book({ context, operation, key, requestHash }: Call, work: () => Promise<Done>): Promise<Outcome> {
    const { database } = this.provisioning
    const db = Scope.ofAgency(database, context.viewer.agencyId!)
    const action = this.options.actions[operation]
    if (!action) throw new Error(`nobody knows what ${operation} does`)
    const signed = key === undefined ? null : signatureOf(database, db.agencyId, action, key)
    const event: NewEvent = { id: newId(), action, key: signed, requestHash }
    const known = signed && (await this.lookUp(db, event))
    if (known) return this.repeat(db, event, known)
    if (signed) await forgetOutlivedKey(db, event, this.options.idempotencyTtlHours)

    const hand = new EventInHand(this.provisioning, context, event)
    context.perRequest.set(HAND, hand)
    const done = await this.inTime(hand, work)
    if (hand.isRepeat) return this.repeat(db, event, (await this.lookUp(db, event))!)
    if (!hand.attempt) return this.refuse(db, event, done)
    return { entry: event.id, outcome: done, replayed: false }
  }

  /** A caller is answered in time; what is still under way then goes on, and ends its event by itself. */
  private async inTime(hand: EventInHand, work: () => Promise<Done>): Promise<Done> {
    const whole = work().then((done) => this.settle(hand, done))
    const timer = new AbortController()
    const late = delay(this.provisioning.answerMs, undefined, { signal: timer.signal }).then(
      () => undefined,
      () => undefined,
    )
    const done = await Promise.race([whole, late]).finally(() => timer.abort())
    if (done) return done
    if (!hand.attempt) return whole
    whole.catch((error) => this.provisioning.log(error, hand.event.id))
    const db = Scope.ofAgency(this.provisioning.database, hand.attempt.agencyId)
    if (!(await noteDeferred(db, hand.attempt))) return whole
    return { ...PENDING, deferred: true }
  }

  /**
   * Ends the event of a call that came to nothing; what succeeded has ended its event itself. Where a worker has the event
   * by now, what becomes of it is that one's matter.
   */
  private async settle({ attempt }: EventInHand, done: Done): Promise<Done> {
    const { error, failure } = done
    if (!attempt || !error) return done
    const db = Scope.ofAgency(this.provisioning.database, attempt.agencyId)
    try {
      await failEvent(db, attempt, failureOfCall(error, done.status, failure))
      return done
    } catch (failed) {
      if (failed instanceof TakenOver) return { ...PENDING, deferred: true }
      throw failed
    }
  }

  /**
   * A call that was refused before its event began leaves a failed one. A fault of ours leaves none, nor does whoever may not
   * call at all by now.
   */
  private async refuse(db: Scope, event: NewEvent, done: Done): Promise<Outcome> {
    const { error, failure, status } = done
    if (!error || status >= 500) throw error ?? new Error('a booked call has done nothing')
    if (NOT_LET_IN.has(error.code)) throw error
    if (await storeRefused(db, event, failureOfCall(error, status, failure))) {
      return { entry: event.id, outcome: done, replayed: false }
    }
    return this.repeat(db, event, (await this.lookUp(db, event))!)
  }

  private lookUp(db: Scope, event: NewEvent): Promise<KnownEvent | undefined> {
    return findByKey(db, event, this.options.idempotencyTtlHours)
  }

  /** The outcome of an earlier call with the key, which is waited for while it runs. */
  private async repeat(db: Scope, event: NewEvent, first: KnownEvent): Promise<Outcome> {
    if (!first.requestHash.equals(event.requestHash)) {
      throw new AppError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used before with another request.')
    }
    const deadline = Date.now() + (this.options.waitMs ?? WAIT_MS)
    let known: KnownEvent | undefined = first
    for (let pause = 10; known?.status === PROCESSING && !known.deferred; pause = Math.min(pause * 2, 200)) {
      if (Date.now() + pause > deadline) throw inProgress()
      await delay(pause)
      known = await this.lookUp(db, event)
    }
    if (!known) throw inProgress() // it came too often, and so does this one
    return { entry: known.id, outcome: answerOf(known), replayed: true }
  }
}

function answerOf({ status, deferred, result, failure, failureStatus, gone }: KnownEvent): Outcome['outcome'] {
  if (status === FAILED) return { status: failureStatus!, body: { error: failure } }
  if (status === IS_PENDING || (status === PROCESSING && deferred)) return PENDING
  if (gone) {
    throw new AppError('RESOURCE_DELETED', 'What the first call with this Idempotency-Key created has been deleted.')
  }
  return { body: { data: result } }
}

const failureOfCall = ({ code, message }: AppError, status: number, failure?: Record<string, unknown>): Failure => ({
  status,
  code: String(failure?.code ?? code),
  message: String(failure?.message ?? message),
  body: failure,
})

/** A key is kept as a signature: callers put what they like into it. */
const signatureOf = (database: Database, agencyId: string, action: string, key: string): Buffer =>
  database.sign(agencyId, 'Idempotency-Key', action, key)

const inProgress = () =>
  new AppError('IDEMPOTENCY_IN_PROGRESS', 'The first call with this Idempotency-Key still runs.', {
    extra: { retryAfter: RETRY_AFTER_SECONDS },
  })
