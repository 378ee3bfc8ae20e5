import { Migration } from '@mikro-orm/migrations'

// Nearly all events are processed, and those that one looks for are not: no other list of a state reads past all of them.
const indexes = `
create index agency_event_unusual_idx on agency_event (status, received_at, id) where status <> 'processed';
create index agency_event_unusual_own_idx on agency_event (agency_id, status, received_at, id) where status <> 'processed'`

export class M0031_unusual_events extends Migration {
  override up(): void {
    this.addSql(indexes)
  }

  override down(): void {
    this.addSql('drop index agency_event_unusual_idx, agency_event_unusual_own_idx')
  }
}
