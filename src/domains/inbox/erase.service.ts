import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'

const erase = new Statement<never>(
  sql<never>`select erase_notices(${param('account')}::uuid, ${param('contactId')}::uuid)`,
)

/**
 * Takes away what a contact that is about to be deleted has sent and nobody has recorded yet, else it would be recorded
 * afterwards; receipts of messages to the contact no longer say whom they went to.
 */
export async function eraseContact(db: Scope, { contactId }: { contactId: string }): Promise<void> {
  await db.rows(erase, { contactId })
}

const eraseGroup = new Statement<never>(
  sql<never>`select erase_group_names(${param('account')}::uuid, ${param('channelAccountId')}::uuid, ${param('groupId')})`,
)

/** Takes away what a group whose conversation has just been erased is called, where nobody has recorded it yet. */
export async function eraseGroupNames(
  db: Scope,
  { channelAccountId, groupId }: { channelAccountId: string | null; groupId: string | null },
): Promise<void> {
  if (channelAccountId && groupId) await db.rows(eraseGroup, { channelAccountId, groupId })
}

const waits = new Statement<{ waits: boolean }>(
  sql<{ waits: boolean }>`select notice_waits(${param('account')}::uuid, ${param('id')}::bigint) as waits`,
  { prepared: true },
)

/** Whether a notice is still to be recorded, as it is once its person is held: an erasure may have taken it meanwhile. */
export async function stillWaits(db: Scope, id: string): Promise<boolean> {
  return (await db.rows(waits, { id }))[0]!.waits
}
