import { Migration } from '@mikro-orm/migrations'

// The lists of operators are of all agencies, those of an agency's dashboards of one.
const indexes = `
create index agency_event_received_idx on agency_event (received_at, id);
create index agency_event_account_idx on agency_event (target_account_id, received_at, id);
create index sub_account_all_idx on sub_account (created_at, id);
create index ledger_entry_at_idx on ledger_entry (agency_id, at, id);
create index ledger_entry_all_idx on ledger_entry (at, id)`

export class M0030_reads_of_agencies extends Migration {
  override up(): void {
    this.addSql(indexes)
  }

  override down(): void {
    this.addSql(`drop index agency_event_received_idx, agency_event_account_idx, sub_account_all_idx, ledger_entry_at_idx,
      ledger_entry_all_idx`)
  }
}
