import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import type { Selection } from '../../kit/selection.js'
import { notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { contactLock, seesContact } from '../contacts/index.js'
import { withdrawMails } from '../mail/index.js'
import { EndReason } from './enrollment.entity.js'
import { type EnrollmentRow, enrollmentReads } from './flow.reads.js'
import { wrongState } from './flow-errors.service.js'

type Ended = { mailId: string | null }

// Those of a contact in the order of their ids, as all do who hold several.
const end = new Statement<Ended>(
  sql<Ended>`with held as (
      select id from flow_enrollment where account_id = ${param('account')} and contact_id = ${param('contactId')}
        and state in ('active', 'paused') order by id for no key update)
    update flow_enrollment e set state = 'stopped', end_reason = ${param('reason')}, ended_at = now(), due_at = null,
      claimed_until = null from held
    where e.account_id = ${param('account')} and e.id = held.id returning e.mail_id as "mailId"`,
  { prepared: true },
)

/** Takes a contact out of all flows that it is in. */
export async function stopContact(db: Scope, contactId: string, reason: EndReason): Promise<void> {
  await withdrawMailsOf(db, await db.rows(end, { contactId, reason }))
}

/** Has the last mails of enrollments that are over not go, where they are still waiting. */
export async function withdrawMailsOf(db: Scope, ended: readonly Ended[]): Promise<void> {
  const ids = ended.flatMap(({ mailId }) => mailId ?? [])
  if (ids.length > 0) await withdrawMails(db, ids, 'The flow that it is of was stopped before it went.')
}

/** A contact that has written, by whatever channel; what is written in a group is nobody's answer. */
export async function stopReplied(db: Scope, { contactId }: { contactId: string | null }): Promise<void> {
  if (contactId) await stopContact(db, contactId, EndReason.REPLIED)
}

/** A contact that wants no mail any more. */
export function stopUnsubscribed(db: Scope, { contactId }: { contactId: string }): Promise<void> {
  return stopContact(db, contactId, EndReason.UNSUBSCRIBED)
}

const REASONS = {
  won: EndReason.OPPORTUNITY_WON,
  lost: EndReason.OPPORTUNITY_LOST,
  discarded: EndReason.OPPORTUNITY_DISCARDED,
}

const contactOf = new Statement<{ contactId: string }>(
  sql<{ contactId: string }>`select contact_id as "contactId" from opportunity
    where account_id = ${param('account')} and id = ${param('id')} and contact_id is not null`,
  { prepared: true },
)

/** A contact of whom an opportunity was decided, which the transaction holds. */
export async function stopClosed(
  db: Scope,
  { opportunityId: id, outcome }: { opportunityId: string; outcome: keyof typeof REASONS },
): Promise<void> {
  const [found] = await db.rows(contactOf, { id })
  if (found) await stopContact(db, found.contactId, REASONS[outcome])
}

const unlink = new Statement<never>(
  sql<never>`update flow_enrollment set opportunity_id = null where account_id = ${param('account')} and id in (
      select id from flow_enrollment where account_id = ${param('account')} and opportunity_id = ${param('opportunityId')}
      order by id for no key update)`,
  { prepared: true },
)

/** Takes an opportunity that is about to be deleted off enrollments, which go on. */
export async function unlinkOpportunity(db: Scope, { opportunityId }: { opportunityId: string }): Promise<void> {
  await db.rows(unlink, { opportunityId })
}

const erase = new Statement<never>(
  sql<never>`with held as (
      select id from flow_enrollment where account_id = ${param('account')} and contact_id = ${param('contactId')}
      order by id for no key update)
    update flow_enrollment e set contact_id = null, opportunity_id = null, mail_id = null, error = null, due_at = null,
      claimed_until = null,
      end_reason = case when state in ('active', 'paused') then 'contact_deleted' else end_reason end,
      ended_at = coalesce(ended_at, now()),
      state = case when state in ('active', 'paused') then 'stopped' else state end
    from held where e.account_id = ${param('account')} and e.id = held.id`,
  { prepared: true },
)

/** Ends and empties the enrollments of a contact that is about to be deleted: that somebody was in the flow stays counted. */
export async function eraseContact(db: Scope, { contactId }: { contactId: string }): Promise<void> {
  await db.rows(erase, { contactId })
}

interface Held {
  id: string
  contactId: string
  state: string
}

const find = new Statement<Held>(
  sql<Held>`select id, contact_id as "contactId", state from flow_enrollment
    where account_id = ${param('account')} and id = ${param('id')} and contact_id is not null`,
)
const holdOne = new Statement<Held>(
  sql<Held>`select id, contact_id as "contactId", state from flow_enrollment
    where account_id = ${param('account')} and id = ${param('id')} and contact_id is not null for no key update`,
)

/** Holds an enrollment, and before it its contact and what else comes first; NOT_FOUND where the viewer has none such. */
export async function holdEnrollment(db: Scope, id: string, { first = () => {} } = {}): Promise<Held> {
  const [seen] = isUuid(id) ? await db.rows(find, { id }) : []
  if (!seen) throw notFound('enrollment')
  contactLock.toChange(db, seen.contactId)
  first()
  const [held] = await db.rows(holdOne, { id })
  if (!held || !(await seesContact(db, held.contactId))) throw notFound('enrollment')
  return held
}

const endOne = new Statement<Ended>(
  sql<Ended>`update flow_enrollment set state = 'stopped', end_reason = 'by_hand', ended_at = now(), due_at = null,
      claimed_until = null
    where account_id = ${param('account')} and id = ${param('id')} returning mail_id as "mailId"`,
)

/** Takes a contact out of a flow; WRONG_STATE where that is over already. */
export function stopEnrollment(db: Scope, id: string, selection: Selection): Promise<EnrollmentRow> {
  return db.transaction(async () => {
    const { state, ...held } = await holdEnrollment(db, id)
    if (state !== 'active' && state !== 'paused') throw wrongState(`The enrollment is over: it is ${state}.`)
    await withdrawMailsOf(db, await db.rows(endOne, { id: held.id }))
    await tellChange(db, 'flow_enrollment', held.id, 'stopped')
    db.wrote(held.id)
    return (await enrollmentReads.find(db, held.id, selection))!
  })
}
