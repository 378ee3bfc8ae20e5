import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import type { Selection } from '../../kit/selection.js'
import { AppError, notFound } from '../../shared/errors.js'
import { isUuid, newId } from '../../shared/ids.js'
import { contactLock, seesContact } from '../contacts/index.js'
import { addressKey, SUPPRESSED } from '../mail/index.js'
import { holdUndecided } from '../opportunities/index.js'
import { EnrollmentState } from './enrollment.entity.js'
import { FlowStatus } from './flow.entity.js'
import { type EnrollmentRow, enrollmentReads } from './flow.reads.js'
import { WORDS } from './flow.service.js'
import { wrongState } from './flow-errors.service.js'
import { nextOf, type Plan } from './schedule.service.js'
import { holdEnrollment } from './stop.service.js'

/** Who is to begin which flow. */
export interface Wanted {
  flowId: string
  contactId: string
  /** The opportunity with which it comes about. */
  opportunityId?: string | null
}

interface Found {
  contact: { email: string | null } | null
  flow: { status: FlowStatus; version: number } | null
  plan: Plan | null
  twin: { id: string; state: EnrollmentState } | null
}

const planOf = sql`(select jsonb_build_object('steps', v.steps, 'sendWindow', v.send_window, 'zone', a.time_zone)
  from flow_version v where v.account_id = a.id and v.flow_id = f.id and v.number = f.version)`

// Holds the flow as it is now; of a version that came while this waited for it, there is no plan to be seen yet.
const look = new Statement<Found>(
  sql<Found>`with f as materialized (
      select id, status, version from flow where account_id = ${param('account')} and id = ${param('flowId')} for share)
    select
      (select jsonb_build_object('email', c.email) from contact c
        where c.account_id = a.id and c.id = ${param('contactId')}) as contact,
      case when f.id is not null then jsonb_build_object('status', f.status, 'version', f.version) end as flow,
      ${planOf} as plan,
      (select jsonb_build_object('id', e.id, 'state', e.state) from flow_enrollment e
        where e.account_id = a.id and e.flow_id = f.id and e.contact_id = ${param('contactId')}) as twin
    from account a left join f on true
    where a.id = ${param('account')}`,
  { prepared: true },
)

async function holdAndLook(db: Scope, ids: { flowId: string; contactId: string }): Promise<Found> {
  const found = (await db.rows(look, ids))[0]!
  return found.flow && !found.plan ? (await db.rows(look, ids))[0]! : found
}

// To who wants no mail none is sent, so there is nothing to begin.
const put = new Statement<{ id: string }>(
  sql<{ id: string }>`insert into flow_enrollment (id, account_id, flow_id, version, contact_id, opportunity_id, state,
      step, due_at, end_reason, ended_at)
    select ${param('id')}::uuid, ${param('account')}::uuid, ${param('flowId')}::uuid, ${param('version')}::int,
      ${param('contactId')}::uuid, ${param('opportunityId')}::uuid, ${param('state')}::text, ${param('step')}::int,
      ${param('dueAt')}::timestamptz, ${param('endReason')}::text, case when ${param('endReason')}::text is not null then now() end
    where not exists (select from mail_suppression s
      where s.account_id = ${param('account')} and s.address_key = ${param('addressKey')}::bytea)
    returning id`,
  { prepared: true },
)

/** An enrollment that was made. */
export interface Enrolled {
  id: string
  state: EnrollmentState
}

/**
 * Has a contact begin a flow, in the open transaction or one of its own. What is in the way is an AppError with a sentence
 * of its own: a flow or contact that the account does not have, a flow that is not active, a contact without email, one
 * who wants no mail, one who is, or was, in the flow already, an opportunity that was deleted or decided meanwhile.
 */
export function enroll(db: Scope, { flowId, contactId, opportunityId = null }: Wanted): Promise<Enrolled> {
  return db.transaction(async () => {
    if (!isUuid(flowId)) throw notFound('flow')
    if (!isUuid(contactId)) throw notFound('contact')
    contactLock.toChange(db, contactId)
    if (opportunityId) await holdUndecided(db, opportunityId)
    const { contact, flow, plan, twin } = await holdAndLook(db, { flowId, contactId })
    if (!flow) throw notFound('flow')
    if (!contact || !(await seesContact(db, contactId))) throw notFound('contact')
    if (flow.status !== FlowStatus.ACTIVE) throw wrongState(`The flow is not active: it is ${WORDS[flow.status]}.`)
    if (!contact.email) throw new AppError('VALIDATION_ERROR', 'The contact has no email address.')
    if (twin) throw new AlreadyEnrolled(twin)
    const first = nextOf(plan!, 0, new Date())
    const id = newId()
    const state = first ? EnrollmentState.ACTIVE : EnrollmentState.COMPLETED
    const place = { step: first?.step ?? plan!.steps.length, dueAt: first?.dueAt ?? null }
    const ended = { state, endReason: first ? null : 'finished' }
    const refers = { flowId, contactId, opportunityId, version: flow.version }
    const [made] = await db.rows(put, {
      ...{ id, ...refers, ...place, ...ended },
      addressKey: addressKey(db, contact.email),
    })
    if (!made) throw new AppError('VALIDATION_ERROR', SUPPRESSED)
    db.wrote(id)
    return { id, state }
  })
}

/** Refused, since the contact is, or was, in the flow: DUPLICATE_ERROR that names the enrollment. */
export class AlreadyEnrolled extends AppError {
  constructor(readonly enrollment: Enrolled) {
    const { id, state } = enrollment
    const isOver = state !== EnrollmentState.ACTIVE && state !== EnrollmentState.PAUSED
    super(
      'DUPLICATE_ERROR',
      `The contact is in this flow already${isOver ? `, and is through with it: ${state}` : ''}.`,
      {
        faults: [{ path: ['contactId'], message: 'is in this flow already', extra: { existingId: id } }],
      },
    )
  }
}

/** The same by somebody's hand, which is written down. */
export function enrollByHand(db: Scope, wanted: Wanted, selection: Selection): Promise<EnrollmentRow> {
  return db.transaction(async () => {
    const { id } = await enroll(db, wanted)
    await tellChange(db, 'flow_enrollment', id, 'created')
    return (await enrollmentReads.find(db, id, selection))!
  })
}

const again = new Statement<{ status: FlowStatus }>(
  sql<{
    status: FlowStatus
  }>`update flow_enrollment e set due_at = now(), error = null, end_reason = null, ended_at = null,
      attempts = 0, state = case f.status when 'active' then 'active' else 'paused' end
    from flow f
    where e.account_id = ${param('account')} and e.id = ${param('id')}
      and f.account_id = e.account_id and f.id = e.flow_id and f.status in ('active', 'paused')
    returning f.status`,
)
const holdFlowOf = new Statement<never>(
  sql<never>`select from flow where account_id = ${param('account')} and id = (select flow_id from flow_enrollment
    where account_id = ${param('account')} and id = ${param('id')}) for share`,
)

/** Has the step that failed be tried again; WRONG_STATE where none has, or the flow is archived. */
export function retryEnrollment(db: Scope, id: string, selection: Selection): Promise<EnrollmentRow> {
  return db.transaction(async () => {
    const { state, ...held } = await holdEnrollment(db, id, { first: () => db.send(holdFlowOf, { id }) })
    if (state !== EnrollmentState.FAILED) throw wrongState(`No step of the enrollment has failed: it is ${state}.`)
    const [found] = await db.rows(again, { id: held.id })
    if (!found) throw wrongState('The flow is archived: none of its steps happens any more.')
    await tellChange(db, 'flow_enrollment', held.id, 'retried')
    db.wrote(held.id)
    return (await enrollmentReads.find(db, held.id, selection))!
  })
}
