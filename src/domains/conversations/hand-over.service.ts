import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import type { HeldConversation } from './hold.service.js'

const give = new Statement<never>(
  sql<never>`update conversation set status = 'manual'
    where account_id = ${param('account')} and id = ${param('id')} and status = 'active'`,
)
const note = new Statement<never>(
  sql<never>`insert into conversation_note (id, account_id, conversation_id, content)
    values (${param('noteId')}, ${param('account')}, ${param('id')}, ${param('why')})`,
)

/** Gives a conversation that is held to people, whoever looks after it, and notes why; its agent writes no more. */
export function handToPeople(db: Scope, { id }: HeldConversation, why: string): void {
  db.send(give, { id })
  db.send(note, { id, noteId: newId(), why })
  db.wrote(id)
}
