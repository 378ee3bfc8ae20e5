import { Migration } from '@mikro-orm/migrations'

const tables = ['tag', 'contact', 'contact_tag', 'contact_note', 'contact_touch', 'contact_tally', 'idempotency_record']

// The sub-select is evaluated once for a statement, not for each row; an unset setting is '' after its first use.
const policy = (column: string) => `(${column} = (select nullif(current_setting('app.account', true), '')::uuid))`

// Owners of tables pass by: the wall stands for the role that the service takes on for a tenant when it is told to.
const wall = (table: string, column = 'account_id') => `
alter table ${table} enable row level security;
create policy tenant on ${table} using ${policy(column)};`

// Sees all writers' transactions whoever asks, hence "security definer". What is stamped from now on is not earlier
// than the horizon: a writer takes the lock before it looks at the clock.
const horizon = `
create function sync_horizon(a uuid) returns timestamptz language plpgsql volatile security definer
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

export class M0004_row_security extends Migration {
  override up(): void {
    for (const table of tables) this.addSql(wall(table))
    this.addSql(wall('account', 'id'))
    this.addSql(wall('api_key'))
    this.addSql(horizon)
  }

  override down(): void {
    for (const table of [...tables, 'account', 'api_key']) {
      this.addSql(`drop policy tenant on ${table}; alter table ${table} disable row level security`)
    }
    this.addSql('drop function sync_horizon')
  }
}
