import { Migration } from '@mikro-orm/migrations'
import { wall } from './parts.js'

// No foreign key leads away: an entry outlives its actor, its subject and its account. That nobody changes or removes one
// holds for the owner of the table, too, and while triggers are off for a replication; only who drops the triggers can.
const audit = `
create table audit_entry (
  id uuid primary key,
  account_id uuid not null,
  action varchar(32) not null,
  subject_kind varchar(32) not null,
  subject_id uuid,
  fields text[] not null default '{}',
  actor_kind varchar(16) not null,
  actor_id uuid,
  actor_name varchar(255) not null,
  user_id uuid,
  address varchar(45),
  created_at timestamptz(3) not null default clock_timestamp()
);
create index audit_entry_time_idx on audit_entry (account_id, created_at, id);
create index audit_entry_subject_idx on audit_entry (account_id, subject_id, created_at, id);
create function audit_only_grows() returns trigger language plpgsql as $$ begin
  raise exception 'what % holds can only be added to', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger audit_entry_stays before update or delete or truncate on audit_entry
  for each statement execute function audit_only_grows();
alter table audit_entry enable always trigger audit_entry_stays;`

export class M0023_audit extends Migration {
  override up(): void {
    this.addSql(audit)
    this.addSql(wall('audit_entry'))
  }

  override down(): void {
    this.addSql('drop table audit_entry; drop function audit_only_grows')
  }
}
