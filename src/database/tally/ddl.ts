import { contributionOf, keysOf, sumsOf, type Tally, tableOf } from './definition.js'

/**
 * The SQL that makes a tally and fills it from what the table holds. Migrations call it, so what it yields for a given
 * definition must not change any more; a change of a tally is a new migration.
 */
export function createTally(tally: Tally): string {
  const table = tableOf(tally)
  const keys = keysOf(tally).join(', ')
  const columns = [...keysOf(tally), ...sumsOf(tally)].join(', ')
  const dimensionColumns = tally.dimensions.map(({ name, type }) => `${name} ${type},`).join(' ')
  const sumColumns = tally.sums.map(({ name, type }) => `, ${name} ${type} not null`).join('')
  return `
create table ${table} (account_id uuid not null, ${dimensionColumns} n bigint not null${sumColumns})
  with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index ${table}_idx on ${table} (${keys}) include (${sumsOf(tally).join(', ')});
insert into ${table} (${columns}) ${totalsOf(tally)};
${['insert', 'update', 'delete'].map((event) => triggerOf(tally, event)).join('\n')}`
}

/**
 * Has a tally tell the rows that writers have added since it was last compacted, which are `fresh`, from those that a
 * compaction made. Its index answers everything that is asked of a tally.
 */
export function markFresh(tally: Tally): string {
  const table = tableOf(tally)
  return `
alter table ${table} add column fresh boolean not null default true;
drop index ${table}_idx;
create index ${table}_idx on ${table} (${keysOf(tally).join(', ')}) include (${[...sumsOf(tally), 'fresh'].join(', ')});`
}

/** Takes `markFresh` back. The index goes with the column. */
export function unmarkFresh(tally: Tally): string {
  const table = tableOf(tally)
  return `alter table ${table} drop column fresh;
create index ${table}_idx on ${table} (${keysOf(tally).join(', ')}) include (${sumsOf(tally).join(', ')});`
}

/** The totals as they follow from the table itself. */
export function totalsOf(tally: Tally): string {
  const sums = sumsOf(tally).map((name) => `sum(${name}) as ${name}`)
  const keys = keysOf(tally).join(', ')
  return `select ${[keys, ...sums].join(', ')} from (select ${contributionOf(tally, 1)} from ${tally.table} r) r
  group by ${keys}`
}

/** One trigger for each statement, not for each row: a bulk load writes a handful of differences. */
function triggerOf(tally: Tally, event: string): string {
  const nothingCanChange = tally.dimensions.length + tally.sums.length === 0
  if (event === 'update' && nothingCanChange) return ''
  const table = tableOf(tally)
  const columns = [...keysOf(tally), ...sumsOf(tally)].join(', ')
  const sources = [
    ...(event === 'delete' ? [] : [`select ${contributionOf(tally, 1)} from new_rows r`]),
    ...(event === 'insert' ? [] : [`select ${contributionOf(tally, -1)} from old_rows r`]),
  ]
  const sums = sumsOf(tally).map((name) => `sum(${name})`)
  const transition = [
    ...(event === 'delete' ? [] : ['new table as new_rows']),
    ...(event === 'insert' ? [] : ['old table as old_rows']),
  ]
  return `
create function ${table}_${event}() returns trigger language plpgsql as $$ begin
  insert into ${table} (${columns})
    select ${[...keysOf(tally), ...sums].join(', ')} from (${sources.join(' union all ')}) d
    group by ${keysOf(tally).join(', ')} having ${sums.map((sum) => `${sum} <> 0`).join(' or ')};
  return null; end $$;
create trigger ${table}_${event} after ${event} on ${tally.table} referencing ${transition.join(' ')}
  for each statement execute function ${table}_${event}();`
}
