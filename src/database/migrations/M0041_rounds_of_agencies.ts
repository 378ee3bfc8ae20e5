import { Migration } from '@mikro-orm/migrations'

// Workers go from agency to agency, and take what is due of each first.
const rounds = `
create index agency_event_open_idx on agency_event (agency_id, due_at) where status in ('pending', 'processing');
drop index agency_event_due_idx`

export class M0041_rounds_of_agencies extends Migration {
  override up(): void {
    this.addSql(rounds)
  }

  override down(): void {
    this.addSql(`drop index agency_event_open_idx;
      create index agency_event_due_idx on agency_event (due_at) where status in ('pending', 'processing')`)
  }
}
