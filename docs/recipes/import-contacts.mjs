// Imports contacts from a CSV file whose columns are named like the API's fields, eight at a time, and writes what failed,
// and why, beside it. Correct that file and import it: what was done is not done again.
// FAIRLEAD_URL=… FAIRLEAD_API_KEY=… node docs/recipes/import-contacts.mjs contacts.csv
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { Fairlead, FairleadError } from '@fairlead/client'
import { rowsOf } from './csv.mjs'

const file = process.argv[2]
const fairlead = new Fairlead({ baseUrl: process.env.FAIRLEAD_URL, apiKey: process.env.FAIRLEAD_API_KEY, strict: true })
const rows = rowsOf(readFileSync(file, 'utf8'))
const failed = []
let created = 0

/** A row names itself by what it says, so that the same one, in this file or the next, makes one contact. */
const keyOf = (row) => `contact-${createHash('sha256').update(JSON.stringify(row)).digest('hex')}`

async function importRow({ error: _told, ...row }) {
  try {
    await fairlead.createContact(row, { idempotencyKey: keyOf(row) })
    created++
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error
    failed.push({ ...row, error: `${error.code}: ${error.message}` })
  }
}

const queue = rows.values()
await Promise.all(
  Array.from({ length: 8 }, async () => {
    for (const row of queue) await importRow(row)
  }),
)

const quoted = (value) => `"${String(value).replaceAll('"', '""')}"`
if (failed.length > 0) {
  const names = [...new Set(failed.flatMap((row) => Object.keys(row)))]
  const lines = [names, ...failed.map((row) => names.map((name) => row[name] ?? ''))]
  writeFileSync(`${file}.failed.csv`, `${lines.map((line) => line.map(quoted).join(',')).join('\n')}\n`)
}
console.log(
  `${created} of ${rows.length} created${failed.length > 0 ? `, ${failed.length} in ${file}.failed.csv` : ''}`,
)
