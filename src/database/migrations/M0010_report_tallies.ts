import { Migration } from '@mikro-orm/migrations'
import { createTally, markFresh, unmarkFresh } from '../tally/ddl.js'
import { wall } from './parts.js'

const SUMMED = {
  table: 'opportunity',
  sums: [{ name: 'value', type: 'numeric' }],
}
const SHARED = [
  { name: 'pipeline_id', type: 'uuid' },
  { name: 'owner_user_id', type: 'uuid' },
  { name: 'sector_id', type: 'uuid' },
  { name: 'outcome', type: 'text' },
]
const day = { name: 'day', type: 'date', expression: "(r.created_at at time zone 'UTC')::date" }
const month = {
  name: 'month',
  type: 'date',
  expression: "date_trunc('month', r.created_at at time zone 'UTC')::date",
}

const contact = { name: 'contact', table: 'contact', dimensions: [], sums: [] }
const conversation = { name: 'conversation', table: 'conversation', dimensions: [], sums: [] }
const campaignContact = {
  name: 'campaign_contact',
  table: 'campaign_contact',
  dimensions: [{ name: 'campaign_id', type: 'uuid' }],
  sums: [],
}
const opportunity = {
  name: 'opportunity',
  ...SUMMED,
  dimensions: [SHARED[0]!, { name: 'stage_id', type: 'uuid' }, ...SHARED.slice(2)],
}
const opportunityOwner = { name: 'opportunity_owner', ...SUMMED, dimensions: SHARED }
const opportunityDay = { name: 'opportunity_day', ...SUMMED, dimensions: [day, ...SHARED] }
const opportunityMonth = { name: 'opportunity_month', ...SUMMED, dimensions: [month, ...SHARED] }

const made = [opportunityOwner, opportunityDay, opportunityMonth]

const drop = (name: string) => `drop table ${name}_tally;
drop trigger ${name}_tally_insert on opportunity; drop trigger ${name}_tally_update on opportunity;
drop trigger ${name}_tally_delete on opportunity;
drop function ${name}_tally_insert, ${name}_tally_update, ${name}_tally_delete;`

export class M0010_report_tallies extends Migration {
  override up(): void {
    for (const tally of made) {
      this.addSql(createTally(tally))
      this.addSql(wall(`${tally.name}_tally`))
    }
    for (const tally of [contact, conversation, campaignContact, opportunity, ...made]) this.addSql(markFresh(tally))
  }

  override down(): void {
    for (const tally of made) this.addSql(drop(tally.name))
    for (const tally of [contact, conversation, campaignContact, opportunity]) this.addSql(unmarkFresh(tally))
  }
}
