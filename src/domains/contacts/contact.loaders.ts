import DataLoader from 'dataloader'
import { sql } from 'kysely'
import { type Context, param, Statement } from '../../database/index.js'
import type { Tag } from '../reference/tag.entity.js'
import type { ContactNote } from './contact.entity.js'

type Of<T> = T & { contactId: string }

const tagsOf = new Statement<Of<Tag>>(
  sql<Of<Tag>>`select ct.contact_id as "contactId", t.id, t.name, t.color, t.created_at as "createdAt"
    from contact_tag ct join tag t on t.id = ct.tag_id
    where ct.account_id = ${param('account')} and ct.contact_id = any(${param('ids')}::uuid[]) order by t.name, t.id`,
  { prepared: true },
)

const notesOf = new Statement<Of<ContactNote>>(
  sql<Of<ContactNote>>`select n.contact_id as "contactId", n.id, n.note, n.created_at as "createdAt"
    from contact_note n where n.account_id = ${param('account')} and n.contact_id = any(${param('ids')}::uuid[])
    order by n.created_at, n.id`,
  { prepared: true },
)

/** The tags of contacts that were reached through another record, in one statement for all of them. */
export function contactTagsLoader({ db }: Context): DataLoader<string, Tag[]> {
  return listLoader((ids) => db.rows(tagsOf, { account: db.accountId, ids }))
}

/** The notes of contacts, oldest first, in one statement for all of them. */
export function contactNotesLoader({ db }: Context): DataLoader<string, ContactNote[]> {
  return listLoader((ids) => db.rows(notesOf, { account: db.accountId, ids }))
}

function listLoader<T>(read: (ids: readonly string[]) => Promise<Of<T>[]>): DataLoader<string, T[]> {
  return new DataLoader(async (ids) => {
    const byContact = Map.groupBy(await read(ids), ({ contactId }) => contactId)
    return ids.map((id) => byContact.get(id) ?? [])
  })
}
