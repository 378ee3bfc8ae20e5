import { sql } from 'kysely'
import { loaderOf, param, partLoaderOf, Statement } from '../../database/index.js'
import { ALL_SCALARS, type ContactRow, contactColumns, PARTS, type Part, type PartValues } from './contact.columns.js'

/** A loader of one part of contacts that were reached without it. */
const partLoader = <P extends Part>(part: P, none: PartValues[P]) => partLoaderOf('contact', 'c', PARTS[part], none)

export const contactTagsLoader = partLoader('tags', [])
export const contactNotesLoader = partLoader('notes', [])
export const contactAttributionLoader = partLoader('attribution', null)

const byId = new Statement<ContactRow>(
  sql<ContactRow>`select ${sql.join(contactColumns(ALL_SCALARS))} from contact c
    where c.account_id = ${param('account')} and c.id = any(${param('ids')}::uuid[])`,
  { prepared: true },
)

/** A loader of contacts by id. */
export const contactLoader = loaderOf(byId)
