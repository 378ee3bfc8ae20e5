/** Work that waits in a table, for the figures. */
export interface Queue {
  /** In plural, with underscores: a label of the figures. */
  name: string
  /** Brings, for each `state`, the `count` of rows and the `age` in seconds since the first of them was due. */
  look: string
}

/** What waits in a table until the moment in its `due_at`: due already, or later. `open` says which rows still wait at all. */
export function defineQueue(name: string, table: string, open = 'due_at is not null'): Queue {
  const look = `select case when due_at <= now() then 'due' else 'later' end as state, count(*)::int as count,
      greatest(extract(epoch from now() - min(due_at)), 0)::float8 as age
    from ${table} where ${open} group by 1`
  return { name, look }
}
