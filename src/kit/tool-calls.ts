import { defineFact, type Scope } from '../database/index.js'
import { newId } from '../shared/ids.js'

/** That an AI assistant has changed something by a tool: `subjectId` is the record that its answer or its call names, if any. */
export const toolCalled = defineFact<{ callId: string; subjectId: string | null }>('toolCalled', 'callId')

/** Tells that a tool has changed something, in the open transaction; the scope knows which one. */
export function tellCall(db: Scope, subjectId: string | null): Promise<void> {
  return db.announce(toolCalled, { callId: newId(), subjectId })
}
