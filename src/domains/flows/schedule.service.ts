import type { Step } from './step.types.js'
import { StepKind } from './step.types.js'
import { openFrom, type SendWindow } from './window.service.js'

/** What says when which step happens. */
export interface Plan {
  steps: readonly Step[]
  sendWindow: SendWindow | null
  /** The time zone of the account. */
  zone: string
}

/** The next step to happen, by its place from 0 on, and when. */
export interface Next {
  step: number
  dueAt: Date
}

const TWO_WEEKS = 14 * 86_400_000

/**
 * What comes next once the steps before this place are done at an instant: the first that does something, after the waits
 * before it, and, if it sends, within the hours. Undefined where nothing more happens.
 */
export function nextOf({ steps, sendWindow, zone }: Plan, place: number, at: Date): Next | undefined {
  let due = at.getTime()
  for (let step = place; step < steps.length; step++) {
    const { kind, ...one } = steps[step]!
    if (kind === StepKind.WAIT) due += (one as { waitSeconds: number }).waitSeconds * 1000
    else return { step, dueAt: new Date(kind === StepKind.SEND ? sendingTime({ sendWindow, zone }, due) : due) }
  }
  return undefined
}

/** When a mail goes that could go from an instant on, in milliseconds. */
export function sendingTime({ sendWindow, zone }: Omit<Plan, 'steps'>, at: number): number {
  return sendWindow ? (openFrom(sendWindow, zone, at) ?? at + TWO_WEEKS) : at
}
