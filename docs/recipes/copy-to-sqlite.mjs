// Copies contacts and opportunities into a SQLite file: everything the first time, what changed from then on.
// FAIRLEAD_URL=… FAIRLEAD_API_KEY=… node docs/recipes/copy-to-sqlite.mjs copy.db
import { DatabaseSync } from 'node:sqlite'
import { Fairlead } from '@fairlead/client'

const fairlead = new Fairlead({ baseUrl: process.env.FAIRLEAD_URL, apiKey: process.env.FAIRLEAD_API_KEY })
const db = new DatabaseSync(process.argv[2] ?? 'copy.db')
db.exec(`
  create table if not exists bookmark (list text primary key, at text not null);
  create table if not exists contacts (id text primary key, name text, email text, company text, updated_at text, record text);
  create table if not exists opportunities (id text primary key, title text, stage text, value real, updated_at text, record text);
`)
const bookmarkOf = db.prepare('select at from bookmark where list = ?')
const setBookmark = db.prepare('insert or replace into bookmark values (?, ?)')
const contact = db.prepare('insert or replace into contacts values (?, ?, ?, ?, ?, ?)')
const opportunity = db.prepare('insert or replace into opportunities values (?, ?, ?, ?, ?, ?)')

/** Stores page after page, each in one transaction with the bookmark to go on from, so that a crash costs nothing. */
async function copy(list, changes, store) {
  const since = bookmarkOf.get(list)?.at
  let count = 0
  for await (const { records, bookmark } of changes({ updated_after: since })) {
    db.exec('begin')
    for (const record of records) store(record)
    setBookmark.run(list, bookmark)
    db.exec('commit')
    count += records.length
  }
  console.log(`${list}: ${count} ${since ? `since ${since}` : 'in all'}`)
}

await copy(
  'contacts',
  (query) => fairlead.changedContacts(query),
  (one) => contact.run(one.id, one.name, one.email, one.company, one.updated_at, JSON.stringify(one)),
)
await copy(
  'opportunities',
  (query) => fairlead.changedOpportunities(query),
  (one) => opportunity.run(one.id, one.title, one.stage_name, one.value, one.updated_at, JSON.stringify(one)),
)
db.close()
