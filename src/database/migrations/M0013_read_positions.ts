import { Migration } from '@mikro-orm/migrations'
import { wall } from './parts.js'

// No policy: under row-level security nobody sees them.
const secrets = `
create table service_secret (name varchar(64) primary key, value bytea not null);
alter table service_secret enable row level security;`

// How far whoever copies a list has come with each page that was asked for by its number: of all readers of a key in an
// hour, the one who has come least far. By the hour, so that each position is kept for a day and none for ever.
const positions = `
create table read_position (
  account_id uuid not null references account on delete cascade,
  key_id uuid not null,
  list bytea not null, -- a hash of the list with its filters, its order and the size of its pages
  page int not null,
  hour timestamptz not null,
  at timestamptz(3) not null,
  id uuid not null,
  primary key (account_id, key_id, list, page, hour)
);
create index read_position_hour_idx on read_position (hour);
${wall('read_position')}`

// Readers take what is stamped before the horizon. For that to be all that was committed before they asked, the
// millisecond in which they ask must be over: only then nobody can stamp anything with it that they would not see.
const horizon = `
create or replace function sync_horizon(a uuid) returns timestamptz language plpgsql volatile security definer
  set search_path = pg_catalog, public as $$
declare
  seen timestamptz := date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond';
  oldest timestamptz;
begin
  perform pg_sleep(greatest(0, extract(epoch from seen - clock_timestamp())));
  select min(coalesce(s.xact_start, '-infinity')) into oldest
  from pg_locks l join pg_stat_get_activity(null) s using (pid)
  where l.locktype = 'advisory' and l.classid = 4711 and l.objsubid = 2
    and l.objid = (hashtext(a::text)::bigint & 4294967295)::oid
    and l.database = (select oid from pg_database where datname = current_database());
  return date_trunc('milliseconds', least(seen, oldest));
end $$;`

const horizonBefore = `
create or replace function sync_horizon(a uuid) returns timestamptz language plpgsql volatile security definer
  set search_path = pg_catalog, public as $$
declare
  seen timestamptz := clock_timestamp();
  oldest timestamptz;
begin
  select min(coalesce(s.xact_start, '-infinity')) into oldest
  from pg_locks l join pg_stat_get_activity(null) s using (pid)
  where l.locktype = 'advisory' and l.classid = 4711 and l.objsubid = 2
    and l.objid = (hashtext(a::text)::bigint & 4294967295)::oid
    and l.database = (select oid from pg_database where datname = current_database());
  return date_trunc('milliseconds', least(seen, oldest));
end $$;`

// The time of a conversation's latest message is the time at which it was recorded, whatever the provider says: it is the
// stamp of the change, taken under the lock of stamp(), so that whoever reads on by it misses nothing. 'infinity' means
// "now", as it does of created_at; what is brought over from elsewhere keeps the times that it is given.
const lastMessages = `
create function stamp_last_message() returns trigger language plpgsql as $$ begin
  new.last_message_at := new.updated_at;
  return new; end $$;
create trigger conversation_talked before insert or update on conversation for each row
  when (new.last_message_at = 'infinity') execute function stamp_last_message();

create function message_recorded() returns trigger language plpgsql as $$ begin
  update conversation c set last_message_at = 'infinity' from (
      select distinct account_id, conversation_id from new_rows where created_at >= date_trunc('milliseconds', now())) m
    where c.account_id = m.account_id and c.id = m.conversation_id;
  return null; end $$;
create trigger message_recorded after insert on message referencing new table as new_rows
  for each statement execute function message_recorded();`

export class M0013_read_positions extends Migration {
  override up(): void {
    for (const statement of [secrets, positions, horizon, lastMessages]) this.addSql(statement)
  }

  override down(): void {
    this.addSql('drop trigger message_recorded on message; drop trigger conversation_talked on conversation')
    this.addSql('drop function message_recorded, stamp_last_message')
    this.addSql(horizonBefore)
    this.addSql('drop table read_position, service_secret')
  }
}
