// What many tables have in common, as SQL for migrations: what these yield must not change any more.

/** The id and the account that a row belongs to. */
export const owned = `id uuid primary key,
  account_id uuid not null references account on delete cascade,`

/** 'infinity' means "now"; see stamp(). */
export const STAMPS = `created_at timestamptz(3) not null default 'infinity',
  updated_at timestamptz(3) not null default 'infinity'`

/** What a list is sorted by and searched through: the name without case and accents. */
export const NAME_KEY = `name_key text collate "C" not null generated always as (left(fold(name), 300)) stored`

/** That one of these columns changes. A trigger's condition cannot compare whole rows that have generated columns. */
export function changed(columns: string): string {
  const row = (version: string) =>
    columns
      .split(/\s+/)
      .map((column) => `${version}.${column}`)
      .join()
  return `(${row('old')}) is distinct from (${row('new')})`
}

/** Keeps created_at and updated_at; setting updated_at itself counts as a change. */
export function stampTriggers(table: string, change: string): string {
  return `create trigger ${table}_stamp_insert before insert on ${table} for each row execute function stamp();
create trigger ${table}_stamp_update before update on ${table} for each row
  when (${change} or old.updated_at is distinct from new.updated_at) execute function stamp();`
}

/** Row level security: the role that the service takes on for a tenant sees the tenant's rows alone. */
export const wall = (table: string): string => `alter table ${table} enable row level security;
create policy tenant on ${table} using
  (account_id = (select nullif(current_setting('app.account', true), '')::uuid));`
