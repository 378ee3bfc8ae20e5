import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { type Fault, invalid } from '../../shared/errors.js'
import type { FlowSendWindowInput, FlowStepInput } from './flow.inputs.js'
import { type Step, StepKind } from './step.types.js'
import { minutesOf, type SendWindow } from './window.service.js'

/** Steps that a flow has at most. */
export const MAX_STEPS = 50
const YEAR_SECONDS = 366 * 86_400

const NEEDED = {
  [StepKind.SEND]: 'templateId',
  [StepKind.WAIT]: 'waitSeconds',
  [StepKind.TAG]: 'tagId',
  [StepKind.MOVE]: 'stageId',
  [StepKind.STOP]: undefined,
} as const
const GIVEN = ['templateId', 'senderId', 'waitSeconds', 'tagId', 'stageId'] as const

/** The steps as they are stored; throws VALIDATION_ERROR that says of each wrong one what is wrong. */
export async function stepsOf(db: Scope, given: readonly FlowStepInput[]): Promise<Step[]> {
  const path = ['input', 'steps']
  if (given.length === 0) throw invalid([{ path, message: 'must hold one step at least' }])
  if (given.length > MAX_STEPS) throw invalid([{ path, message: `must hold ${MAX_STEPS} steps at most` }])
  const faults = given.flatMap((step, i) => faultsOf(step, [...path, i]))
  if (faults.length > 0) throw invalid(faults)
  const steps = given.map(stepOf)
  const unknown = await missing(db, steps)
  if (unknown.length > 0) {
    throw invalid(
      unknown.map(({ at, field, what }) => ({ path: [...path, at, field], message: `is not the id of ${what}` })),
    )
  }
  return steps
}

function faultsOf(step: FlowStepInput, path: (string | number)[]): Fault[] {
  const needed = NEEDED[step.kind]
  const faults: Fault[] = []
  if (needed && !step[needed]) {
    faults.push({ path: [...path, needed], message: `is needed in a step of kind ${step.kind.toUpperCase()}` })
  }
  for (const name of GIVEN) {
    const belongs = name === needed || (name === 'senderId' && step.kind === StepKind.SEND)
    if (step[name] && !belongs) {
      faults.push({ path: [...path, name], message: `does not belong into a step of kind ${step.kind.toUpperCase()}` })
    }
  }
  if (step.kind === StepKind.WAIT && (step.waitSeconds ?? 0) > YEAR_SECONDS) {
    faults.push({ path: [...path, 'waitSeconds'], message: `must be at most ${YEAR_SECONDS}, which is a year` })
  }
  return faults
}

function stepOf({ kind, templateId, senderId, waitSeconds, tagId, stageId }: FlowStepInput): Step {
  const id = (given: string | null | undefined) => given!.toLowerCase()
  switch (kind) {
    case StepKind.SEND:
      return { kind, templateId: id(templateId), senderId: senderId ? id(senderId) : null }
    case StepKind.WAIT:
      return { kind, waitSeconds: waitSeconds! }
    case StepKind.TAG:
      return { kind, tagId: id(tagId) }
    case StepKind.MOVE:
      return { kind, stageId: id(stageId) }
    default:
      return { kind }
  }
}

/** The hours as they are stored; throws VALIDATION_ERROR where no mail could ever go. */
export function windowOf(given: FlowSendWindowInput | null | undefined): SendWindow | null {
  if (!given) return null
  const faults: Fault[] = []
  const fault = (field: string, message: string) => faults.push({ path: ['input', 'sendWindow', field], message })
  const days = [...new Set(given.days)].sort()
  if (days.length === 0) fault('days', 'must hold one day at least')
  if (days.some((day) => day < 1 || day > 7)) fault('days', 'must be numbers from 1 (Monday) to 7 (Sunday)')
  const [from, until] = [minutesOf(given.from), minutesOf(given.until)]
  if (from === undefined) fault('from', 'must be a time as HH:MM')
  if (until === undefined) fault('until', 'must be a time as HH:MM')
  if (from !== undefined && until !== undefined && from >= until) fault('until', 'must be later than from')
  if (faults.length > 0) throw invalid(faults)
  return { days, from: given.from, until: given.until }
}

interface Known {
  templates: string[]
  /** Those that may send. */
  senders: string[]
  hasDefault: boolean
  tags: string[]
  stages: string[]
}

const look = new Statement<Known>(
  sql<Known>`select
    array(select id::text from email_template where account_id = ${param('account')}
      and id = any(${param('templates')}::uuid[]) and deleted_at is null) as templates,
    array(select id::text from email_sender where account_id = ${param('account')}
      and id = any(${param('senders')}::uuid[]) and deleted_at is null) as senders,
    exists (select from email_sender where account_id = ${param('account')}
      and is_default and deleted_at is null) as "hasDefault",
    array(select id::text from tag where account_id = ${param('account')} and id = any(${param('tags')}::uuid[])) as tags,
    array(select id::text from stage where account_id = ${param('account')}
      and id = any(${param('stages')}::uuid[])) as stages`,
)

/** What a step names that the account does not have, or not any more. */
export interface Missing {
  /** The place of the step, from 0 on. */
  at: number
  field: 'templateId' | 'senderId' | 'tagId' | 'stageId'
  what: string
}

/** What steps name that is not there; `strict` asks for a default sender too, where one is needed. */
export async function missing(db: Scope, steps: readonly Step[], { strict = false } = {}): Promise<Missing[]> {
  const ids = (read: (step: Step) => string | null | undefined) => steps.flatMap((step) => read(step) ?? [])
  const known = (
    await db.rows(look, {
      templates: ids((step) => (step.kind === StepKind.SEND ? step.templateId : null)),
      senders: ids((step) => (step.kind === StepKind.SEND ? step.senderId : null)),
      tags: ids((step) => (step.kind === StepKind.TAG ? step.tagId : null)),
      stages: ids((step) => (step.kind === StepKind.MOVE ? step.stageId : null)),
    })
  )[0]!
  return steps.flatMap((step, at): Missing[] => {
    if (step.kind === StepKind.TAG && !known.tags.includes(step.tagId)) return [{ at, field: 'tagId', what: 'a tag' }]
    if (step.kind === StepKind.MOVE && !known.stages.includes(step.stageId)) {
      return [{ at, field: 'stageId', what: 'a stage' }]
    }
    if (step.kind !== StepKind.SEND) return []
    const lost: Missing[] = []
    if (!known.templates.includes(step.templateId)) lost.push({ at, field: 'templateId', what: 'an email template' })
    const sends = step.senderId ? known.senders.includes(step.senderId) : known.hasDefault || !strict
    if (!sends) lost.push({ at, field: 'senderId', what: step.senderId ? 'an email sender' : 'a default sender' })
    return lost
  })
}
