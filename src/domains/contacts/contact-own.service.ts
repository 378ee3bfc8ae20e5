import { type RawBuilder, sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'

/** That a contact is a seller's: they own an opportunity of it, look after a conversation of it, or created it. */
export const isContactOf = (seller: unknown, contact: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from contact_seller s where s.account_id = ${param('account')} and s.user_id = ${seller}
    and s.contact_id = ${contact})`

const visible = new Statement<{ visible: boolean }>(
  sql<{ visible: boolean }>`select ${isContactOf(param('ownerScope'), sql`${param('id')}`)} as visible`,
  { prepared: true },
)

/** Whether the viewer may know of a contact of the account: whoever is confined to their own, if it is theirs. */
export async function seesContact(db: Scope, id: string): Promise<boolean> {
  return db.viewer.ownerScope === undefined || (await db.rows(visible, { id }))[0]!.visible
}

const keep = new Statement<never>(
  sql<never>`insert into contact_seller (account_id, user_id, contact_id, created)
    values (${param('account')}, ${param('userId')}, ${param('id')}, true)`,
  { prepared: true },
)

/** Notes whose a new contact is; one that a program creates is nobody's. */
export function noteCreator(db: Scope, id: string): void {
  const { userId } = db.viewer.actor
  if (userId) db.send(keep, { id, userId })
}
