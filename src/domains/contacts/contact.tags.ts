import { type RawBuilder, sql } from 'kysely'
import { param } from '../../database/index.js'
import type { Tag } from '../reference/tag.entity.js'
import { type ContactRow, tagsJson } from './contact.columns.js'

// A page has few different tags, each on many contacts. So the list reads each tag once, and of a contact only the ids.

/** The ids of the tags of a contact `c`. */
export const tagIdsColumn = sql`(select string_agg(ct.tag_id::text, ',') from contact_tag ct
  where ct.contact_id = c.id) as "tagIds"`

/** The tags of all contacts of a page, by name. */
export const pageTags = (valuesOf: (column: string) => RawBuilder<unknown>) => sql`select ${tagsJson} from tag t
  where t.account_id = ${param('account')} and t.id = any(array(
    select distinct ct.tag_id from contact_tag ct where ct.contact_id in (${valuesOf('id')})))`

/** A row of a list as it comes from the database. */
export type ListedContact = ContactRow & { tagIds?: string | null; shared?: Tag[] | null }

/** Gives each contact of a page its tags, in their order by name. */
export function spreadTags(rows: readonly ListedContact[]): void {
  const tags = rows[0]?.shared ?? []
  const places = new Map(tags.map(({ id }, place) => [id, place]))
  for (const row of rows) {
    const mine = row.tagIds ? row.tagIds.split(',').map((id) => places.get(id)!) : []
    row.tags = mine.sort((a, b) => a - b).map((place) => tags[place]!)
  }
}
