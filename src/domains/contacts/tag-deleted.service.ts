import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'

// In the order of their ids: two tags that go at once may be on the same contacts.
const markChanged = new Statement<never>(
  sql<never>`with carriers as (
      select c.id from contact c join contact_tag ct on ct.account_id = c.account_id and ct.contact_id = c.id
      where c.account_id = ${param('account')} and ct.tag_id = ${param('tagId')}
      order by c.id for no key update of c)
    update contact set updated_at = now()
    where account_id = ${param('account')} and id in (select id from carriers)`,
)

/** A contact that loses a tag has changed; one whose tag has another name or colour has not. */
export async function markTaggedChanged(db: Scope, { tagId }: { tagId: string }): Promise<void> {
  await db.rows(markChanged, { tagId })
}
