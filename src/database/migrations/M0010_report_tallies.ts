import { Migration } from '@mikro-orm/migrations'
import { createTally, markFresh } from '../tally/ddl.js'
import { wall } from './parts.js'

const DATED = {
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
  ...DATED,
  dimensions: [SHARED[0]!, { name: 'stage_id', type: 'uuid' }, ...SHARED.slice(1)],
}
const opportunityDay = { name: 'opportunity_day', ...DATED, dimensions: [day, ...SHARED] }
const opportunityMonth = { name: 'opportunity_month', ...DATED, dimensions: [month, ...SHARED] }

const drop = (name: string) => `drop table ${name}_tally;
drop trigger ${name}_tally_insert on opportunity; drop trigger ${name}_tally_update on opportunity;
drop trigger ${name}_tally_delete on opportunity;
drop function ${name}_tally_insert, ${name}_tally_update, ${name}_tally_delete;`

export class M0010_report_tallies extends Migration {
  override up(): void {
    for (const tally of [opportunityDay, opportunityMonth]) {
      this.addSql(createTally(tally))
      this.addSql(wall(`${tally.name}_tally`))
    }
    for (const tally of [contact, conversation, campaignContact, opportunity, opportunityDay, opportunityMonth]) {
      this.addSql(markFresh(tally))
    }
  }

  override down(): void {
    for (const tally of [opportunityDay, opportunityMonth]) this.addSql(drop(tally.name))
    for (const { name } of [contact, conversation, campaignContact, opportunity]) {
      this.addSql(`alter table ${name}_tally drop column fresh`)
    }
  }
}
