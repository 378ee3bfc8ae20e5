import { sql } from 'kysely'
import type { Database } from '../../database/index.js'
import { param, Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { contactLock, giveTag, holdTags } from '../contacts/index.js'
import { MailStatus, queueMails } from '../mail/index.js'
import { holdOfContact, moveHeld } from '../opportunities/index.js'
import type { Claimed } from './claim.service.js'
import { EndReason, EnrollmentState } from './enrollment.entity.js'
import { nextOf, type Plan, sendingTime } from './schedule.service.js'
import { type Step, StepKind } from './step.types.js'

/** Steps of one account's flow, of one version and place in it, that are due at an instant. */
export interface Due {
  plan: Plan
  claimed: readonly Claimed[]
  at: Date
}

/** What becomes of an enrollment with a step. */
interface Outcome {
  id: string
  state: EnrollmentState
  step: number
  dueAt: Date | null
  mailId: string | null
  endReason: EndReason | null
  error: string | null
}

// What has ended meanwhile, by the step itself for instance, stays as it is.
const advance = new Statement<never>(
  sql<never>`update flow_enrollment e set state = o.state, step = o.step, due_at = o."dueAt", mail_id = o."mailId",
      end_reason = o."endReason", error = o.error, attempts = 0, claimed_until = null,
      ended_at = case when o."endReason" is not null then now() end
    from jsonb_to_recordset(${param('outcomes')}::jsonb) as o(id uuid, state text, step int, "dueAt" timestamptz,
      "mailId" uuid, "endReason" text, error text)
    where e.account_id = ${param('account')} and e.id = o.id and e.state = 'active'
      and e.id = any(${param('ids')}::uuid[])`,
  { prepared: true },
)

function store(db: Scope, outcomes: readonly Outcome[]): void {
  if (outcomes.length > 0) {
    db.send(advance, { outcomes: JSON.stringify(outcomes), ids: outcomes.map(({ id }) => id) })
  }
}

function goOn({ plan, at }: Due, { id, step, mailId }: Claimed, mail = mailId): Outcome {
  const next = nextOf(plan, step + 1, at)
  const rest = { id, mailId: mail, error: null }
  if (next) return { ...rest, ...next, state: EnrollmentState.ACTIVE, endReason: null }
  return {
    ...rest,
    step: plan.steps.length,
    dueAt: null,
    state: EnrollmentState.COMPLETED,
    endReason: EndReason.FINISHED,
  }
}

const end = ({ id, step }: Claimed, mailId: string | null, state: EnrollmentState, endReason: EndReason): Outcome => ({
  id,
  step,
  mailId,
  state,
  endReason,
  dueAt: null,
  error: null,
})

function fail(one: Claimed, sentence: string): Outcome {
  const error = `Step ${one.step + 1}: ${sentence}`
  return { ...end(one, one.mailId, EnrollmentState.FAILED, EndReason.STEP_FAILED), error }
}

const holdContacts = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from contact
    where account_id = ${param('account')} and id = any(${param('ids')}::uuid[])
    order by id for no key update skip locked`,
  { prepared: true },
)
const holdEnrollments = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from flow_enrollment
    where account_id = ${param('account')} and id = any(${param('ids')}::uuid[]) and state = 'active'
      and step = ${param('step')} and contact_id = any(${param('contactIds')}::uuid[])
    order by id for no key update`,
  { prepared: true },
)

/**
 * Has steps of one place happen, each in the transaction that moves its enrollment on. Resolves to those that did not,
 * since somebody holds their contacts: they are to be tried again soon.
 */
export async function carryOut(database: Database, due: Due): Promise<Claimed[]> {
  const { plan, claimed, at } = due
  const { accountId, step } = claimed[0]!
  const db = Scope.ofSystem(database, accountId)
  const one = plan.steps[step]
  if (one?.kind === StepKind.SEND) {
    const time = sendingTime(plan, at.getTime())
    if (time > at.getTime()) return postpone(db, due, new Date(time))
    return sendAll(db, due, one)
  }
  for (const single of claimed) await carryOutOne(db, due, single, one)
  return []
}

const later = new Statement<never>(
  sql<never>`update flow_enrollment set due_at = ${param('dueAt')}::timestamptz, claimed_until = null, attempts = 0
    where account_id = ${param('account')} and state = 'active' and step = ${param('step')} and id in (
      select id from flow_enrollment where account_id = ${param('account')} and id = any(${param('ids')}::uuid[])
      order by id for no key update)`,
  { prepared: true },
)

async function postpone(db: Scope, { claimed }: Due, dueAt: Date): Promise<Claimed[]> {
  await db.rows(later, { ids: claimed.map(({ id }) => id), step: claimed[0]!.step, dueAt })
  return []
}

type Sending = Extract<Step, { kind: StepKind.SEND }>

/** Sends one mail to each contact, all in one transaction. What somebody else holds is left: nobody waits for it. */
function sendAll(db: Scope, due: Due, { templateId, senderId }: Sending): Promise<Claimed[]> {
  const { claimed } = due
  return db.transaction(async () => {
    const held = await db.rows(holdContacts, { ids: claimed.map(({ contactId }) => contactId) })
    const contactIds = held.map(({ id }) => id)
    const ids = claimed.map(({ id }) => id)
    const live = new Set(
      (await db.rows(holdEnrollments, { ids, step: claimed[0]!.step, contactIds })).map(({ id }) => id),
    )
    const ready = claimed.filter(({ id }) => live.has(id))
    if (ready.length > 0) {
      const wanted = { templateId, senderId, contactIds: ready.map(({ contactId }) => contactId) }
      const queued = await queueMails(db, wanted).catch((error: unknown) => {
        if (error instanceof AppError) return error
        throw error
      })
      store(
        db,
        ready.map((one) => sent(due, one, queued instanceof AppError ? queued : queued.get(one.contactId)!)),
      )
    }
    const free = new Set(contactIds)
    return claimed.filter(({ contactId }) => !free.has(contactId))
  })
}

function sent(due: Due, one: Claimed, mail: AppError | { id: string; status: string }): Outcome {
  if (mail instanceof AppError) return fail(one, mail.message)
  if (mail.status !== MailStatus.SUPPRESSED) return goOn(due, one, mail.id)
  return end(one, mail.id, EnrollmentState.STOPPED, EndReason.UNSUBSCRIBED)
}

// All that are open of the contact: the step may end others too, and several are held in the order of their ids.
const holdOfOne = new Statement<{ id: string; step: number }>(
  sql<{ id: string; step: number }>`select id, step from flow_enrollment
    where account_id = ${param('account')} and contact_id = ${param('contactId')} and state in ('active', 'paused')
    order by id for no key update`,
  { prepared: true },
)

/** Has one step happen, with its locks in the order that all take them in: tag, contact, opportunity, enrollments. */
function carryOutOne(db: Scope, due: Due, one: Claimed, step: Step | undefined): Promise<void> {
  const { id, contactId, opportunityId } = one
  return db.transaction(async () => {
    if (step?.kind === StepKind.TAG) holdTags(db, [step.tagId])
    contactLock.toChange(db, contactId)
    const opportunity = step?.kind === StepKind.MOVE ? await holdOfContact(db, contactId, opportunityId) : undefined
    const open = await db.rows(holdOfOne, { contactId })
    if (!open.some((found) => found.id === id && found.step === one.step)) return
    try {
      if (step?.kind === StepKind.TAG) await giveTag(db, contactId, step.tagId)
      if (step?.kind === StepKind.MOVE) {
        if (!opportunity) throw new AppError('NOT_FOUND', 'The contact has no open opportunity that could be moved.')
        await moveHeld(db, opportunity, step.stageId)
      }
      const over = !step || step.kind === StepKind.STOP
      store(db, [over ? end(one, one.mailId, EnrollmentState.COMPLETED, EndReason.FINISHED) : goOn(due, one)])
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      store(db, [fail(one, error.message)])
    }
  })
}

/** Notes of a step that it failed again and again for a reason of ours. */
export async function giveUp(database: Database, one: Claimed): Promise<void> {
  const db = Scope.ofSystem(database, one.accountId)
  await db.transaction(async () => {
    contactLock.toChange(db, one.contactId)
    const open = await db.rows(holdOfOne, { contactId: one.contactId })
    if (!open.some((found) => found.id === one.id && found.step === one.step)) return
    store(db, [fail(one, 'It failed for a reason of our own, which we have written down.')])
  })
}
