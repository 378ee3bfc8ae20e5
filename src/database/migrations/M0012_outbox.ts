import { Migration } from '@mikro-orm/migrations'
import { wall } from './parts.js'

// Facts of which a domain is still to hear. Rows come and go, so the table is kept small by frequent vacuums. `record` is
// no reference: what is told of a record may be that it is gone.
const outbox = `
create table outbox (
  id bigint generated always as identity,
  account_id uuid not null,
  subscriber text collate "C" not null,
  fact text collate "C" not null,
  record uuid not null,
  ids jsonb not null,
  attempts int not null default 0,
  error text,
  due_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  primary key (record, subscriber, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index outbox_due on outbox (due_at);
-- For what a foreign key would do, at the price of a look at the account for each fact.
create function outbox_forget_account() returns trigger language plpgsql as $$ begin
  delete from outbox where account_id = old.id;
  return null; end $$;
create trigger outbox_forget_account after delete on account for each row execute function outbox_forget_account();`

export class M0012_outbox extends Migration {
  override up(): void {
    this.addSql(outbox)
    this.addSql(wall('outbox'))
  }

  override down(): void {
    this.addSql('drop trigger outbox_forget_account on account; drop function outbox_forget_account; drop table outbox')
  }
}
