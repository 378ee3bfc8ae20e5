import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'

const markChanged = new Statement<never>(
  sql<never>`update contact c set updated_at = now() from contact_tag ct
    where c.account_id = ${param('account')} and ct.account_id = c.account_id and ct.contact_id = c.id
      and ct.tag_id = ${param('tagId')}`,
)

/** A contact that loses a tag has changed; one whose tag has another name or colour has not. */
export async function markTaggedChanged(db: Scope, { tagId }: { tagId: string }): Promise<void> {
  await db.rows(markChanged, { tagId })
}
