// Makes a sub-account for each row of a CSV file – external_ref,name,admin_email,whatsapp,linkedin – and follows the events
// of those that are not done at once. An agency may make five within an hour: the others are told, for the next run.
// FAIRLEAD_URL=… AGENCY_KEY=ag_… AGENCY_TOKEN=… node docs/recipes/provision-clients.mjs clients.csv
import { readFileSync } from 'node:fs'
import { FairleadAgency, FairleadError, isPending, RateLimitSubaccountCreateError } from '@fairlead/client'
import { rowsOf } from './csv.mjs'

const agency = new FairleadAgency({
  baseUrl: process.env.FAIRLEAD_URL,
  agencyKey: process.env.AGENCY_KEY,
  token: process.env.AGENCY_TOKEN,
})

async function provision({ external_ref, name, admin_email, ...seats }) {
  const channels = Object.fromEntries(Object.entries(seats).map(([channel, count]) => [channel, Number(count || 0)]))
  const client = { external_ref, name, admin_email, channels }
  const answer = await agency.createSubAccount(client, { idempotencyKey: `provision-${external_ref}` })
  if (!isPending(answer)) return `created ${answer.data.id}`
  for await (const event of agency.followEvent(answer.event_id)) console.log(`${external_ref}: ${event.status}`)
  const { status, target_account_id, error_code } = await agency.endOfEvent(answer.event_id)
  return status === 'processed' ? `created ${target_account_id}` : `failed ${error_code}`
}

for (const row of rowsOf(readFileSync(process.argv[2], 'utf8'))) {
  const outcome = await provision(row).catch((error) => {
    if (error instanceof RateLimitSubaccountCreateError) return `later, in ${error.retryAfter} s`
    if (error instanceof FairleadError) return `failed ${error.code}`
    throw error
  })
  console.log(`${row.external_ref}: ${outcome}`)
}
