import type { AgencyEvent, ChangedChannels, CreatedSubAccount, DeletedSubAccount } from './generated/agency-types.js'

/** What an agency's event that is done holds as its `result`, by its `action`: the answer of the call, without a password. */
export interface EventResults {
  'sub_account.create': Omit<CreatedSubAccount, 'temporary_password'>
  'sub_account.channels.update': ChangedChannels
  'sub_account.delete': DeletedSubAccount
}

/** An event of an action that has ended well. */
export type DoneEvent<Action extends keyof EventResults> = AgencyEvent & {
  action: Action
  status: 'processed' | 'ignored'
  result: EventResults[Action]
}

/** Whether an event is of this action and has ended well: its `result` is typed then. */
export function isDone<Action extends keyof EventResults>(
  event: AgencyEvent,
  action: Action,
): event is DoneEvent<Action> {
  return event.action === action && ['processed', 'ignored'].includes(event.status) && event.result !== null
}
