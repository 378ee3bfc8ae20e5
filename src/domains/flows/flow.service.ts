import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { param, rowLock, type Scope, Statement } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import { holderOf } from '../../kit/hold.js'
import type { Selection } from '../../kit/selection.js'
import { invalid } from '../../shared/errors.js'
import { EndReason, EnrollmentState } from './enrollment.entity.js'
import { Flow, FlowStatus, FlowVersion } from './flow.entity.js'
import type { CreateFlowInput, UpdateFlowInput } from './flow.inputs.js'
import { type FlowRow, flowReads } from './flow.reads.js'
import { wrongState } from './flow-errors.service.js'
import { missing, stepsOf, windowOf } from './steps.service.js'
import { withdrawMailsOf } from './stop.service.js'

/** The lock of flows; it comes before that of their enrollments. */
export const flowLock = rowLock('flow')

/** Creates a flow, as a draft. */
export function createFlow(db: Scope, { name, steps, sendWindow }: CreateFlowInput, selection: Selection) {
  return db.unitOfWork(async (em): Promise<FlowRow> => {
    const { accountId } = db
    const version = { steps: await stepsOf(db, steps), sendWindow: windowOf(sendWindow) }
    const flow = em.create(Flow, { name, accountId })
    em.create(FlowVersion, { ...version, accountId, flowId: flow.id, number: 1 })
    await em.flush()
    await tellChange(db, 'flow', flow.id, 'created')
    return stored(db, flow.id, selection)
  })
}

/** Changes a flow: other steps or hours are a new version. Who is in it goes on with the one that they began with. */
export function updateFlow(db: Scope, id: string, input: UpdateFlowInput, selection: Selection): Promise<FlowRow> {
  return db.unitOfWork(async (em) => {
    const flow = await hold(em, db, id)
    if (flow.status === FlowStatus.ARCHIVED) throw wrongState('The flow is archived: it cannot be changed any more.')
    const fields: string[] = []
    if (input.name !== undefined && input.name !== flow.name) {
      flow.name = input.name
      fields.push('name')
    }
    const { accountId } = db
    const last = await em.findOneOrFail(FlowVersion, { accountId, flowId: flow.id, number: flow.version })
    const steps = input.steps ? await stepsOf(db, input.steps) : last.steps
    const sendWindow = input.sendWindow === undefined ? (last.sendWindow ?? null) : windowOf(input.sendWindow)
    if (!same(steps, last.steps)) fields.push('steps')
    if (!same(sendWindow, last.sendWindow ?? null)) fields.push('sendWindow')
    if (fields.some((name) => name !== 'name')) {
      flow.version++
      em.create(FlowVersion, { steps, sendWindow, accountId, flowId: flow.id, number: flow.version })
    }
    await em.flush()
    if (fields.length > 0) await tellChange(db, 'flow', flow.id, 'updated', fields)
    return stored(db, flow.id, selection)
  })
}

// The database keeps the members of an object in an order of its own.
const same = (one: unknown, other: unknown) => canonical(one) === canonical(other)
const canonical = (value: unknown) =>
  JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort()) : part,
  )

/** Lets a draft take contacts; VALIDATION_ERROR where it names what is not there any more. */
export function activateFlow(db: Scope, id: string, selection: Selection): Promise<FlowRow> {
  return change(db, id, selection, {
    from: [FlowStatus.DRAFT],
    to: FlowStatus.ACTIVE,
    before: async (em, flow) => {
      const { accountId, id: flowId, version: number } = flow
      const { steps } = await em.findOneOrFail(FlowVersion, { accountId, flowId, number })
      const lost = await missing(db, steps, { strict: true })
      if (lost.length === 0) return
      throw invalid(lost.map(({ at, what }) => ({ path: ['id'], message: `has no ${bare(what)} in step ${at + 1}` })))
    },
  })
}

const bare = (what: string) => what.replace(/^an? /, '')

/** Has a flow take nobody, and those who are in it wait where they stand. */
export function pauseFlow(db: Scope, id: string, selection: Selection): Promise<FlowRow> {
  const from = EnrollmentState.ACTIVE
  return change(db, id, selection, {
    from: [FlowStatus.ACTIVE],
    to: FlowStatus.PAUSED,
    after: (flowId) => db.rows(moveAll, { flowId, from, to: EnrollmentState.PAUSED }),
  })
}

/** Has a paused flow go on; what fell due meanwhile is due now. */
export function resumeFlow(db: Scope, id: string, selection: Selection): Promise<FlowRow> {
  const from = EnrollmentState.PAUSED
  return change(db, id, selection, {
    from: [FlowStatus.PAUSED],
    to: FlowStatus.ACTIVE,
    after: (flowId) => db.rows(moveAll, { flowId, from, to: EnrollmentState.ACTIVE }),
  })
}

/** Ends a flow for good, and the enrollments of all who are in it. */
export function archiveFlow(db: Scope, id: string, selection: Selection): Promise<FlowRow> {
  return change(db, id, selection, {
    from: [FlowStatus.DRAFT, FlowStatus.ACTIVE, FlowStatus.PAUSED],
    to: FlowStatus.ARCHIVED,
    after: async (flowId) => {
      const ended = await db.rows(endAll, { flowId, reason: EndReason.FLOW_ARCHIVED })
      await withdrawMailsOf(db, ended)
    },
  })
}

// In the order of their ids, as all do who hold several: a step that is under way is waited for.
const OPEN = sql`select id from flow_enrollment where account_id = ${param('account')} and flow_id = ${param('flowId')}`
const moveAll = new Statement<never>(
  sql<never>`with held as (${OPEN} and state = ${param('from')} order by id for no key update)
    update flow_enrollment e set state = ${param('to')}, claimed_until = null from held
    where e.account_id = ${param('account')} and e.id = held.id`,
)
const endAll = new Statement<{ mailId: string | null }>(
  sql<{ mailId: string | null }>`with held as (${OPEN} and state in ('active', 'paused') order by id for no key update)
    update flow_enrollment e set state = 'stopped', end_reason = ${param('reason')}, ended_at = now(), due_at = null,
      claimed_until = null from held
    where e.account_id = ${param('account')} and e.id = held.id returning e.mail_id as "mailId"`,
)

interface Change {
  from: readonly FlowStatus[]
  to: FlowStatus
  before?(em: EntityManager, flow: Flow): Promise<void>
  after?(flowId: string): Promise<unknown>
}

function change(db: Scope, id: string, selection: Selection, { from, to, before, after }: Change): Promise<FlowRow> {
  return db.unitOfWork(async (em) => {
    const flow = await hold(em, db, id)
    if (!from.includes(flow.status))
      throw wrongState(`The flow is ${WORDS[flow.status as FlowStatus]}: it cannot become ${WORDS[to]}.`)
    await before?.(em, flow)
    flow.status = to
    await em.flush()
    await after?.(flow.id)
    await tellChange(db, 'flow', flow.id, 'updated', ['status'])
    return stored(db, flow.id, selection)
  })
}

/** States of a flow as sentences say them. */
export const WORDS: Readonly<Record<FlowStatus, string>> = {
  [FlowStatus.DRAFT]: 'a draft',
  [FlowStatus.ACTIVE]: 'active',
  [FlowStatus.PAUSED]: 'paused',
  [FlowStatus.ARCHIVED]: 'archived',
}

const hold = holderOf({ entity: Flow, lock: flowLock, what: 'flow' })

async function stored(db: Scope, id: string, selection: Selection): Promise<FlowRow> {
  db.wrote(id)
  return (await flowReads.find(db, id, selection))!
}
