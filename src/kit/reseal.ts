import type { Database } from '../database/index.js'
import { cipher } from './cipher.js'
import type { RecurringJob } from './job.js'

const AT_ONCE = 500

/**
 * Seals what a column holds with the present key, where a former one did: then that can be taken out of the settings. Each
 * row is sealed for its id. What somebody else has changed meanwhile is theirs, and sealed with the present key already.
 */
export async function resealColumn(database: Database, table: string, column: string): Promise<number> {
  const sealing = database.needs.get(cipher).get()
  if (!sealing.isRotating) return 0
  const { pool } = database
  let count = 0
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await pool.query<{ id: string; sealed: Buffer }>(
      `select id, ${column} as sealed from ${table} where id > $1 and length(${column}) > 0 order by id limit $2`,
      [after, AT_ONCE],
    )
    for (const { id, sealed } of rows) {
      const anew = sealing.reseal(sealed, id)
      if (!anew) continue
      const put = `update ${table} set ${column} = $2 where id = $1 and ${column} = $3`
      count += (await pool.query(put, [id, anew, sealed])).rowCount ?? 0
    }
    if (rows.length < AT_ONCE) return count
    after = rows.at(-1)!.id
  }
}

/** The job that does so every hour, which has nothing to do while no former key is set. */
export const resealJob = (table: string, column: string): RecurringJob => ({
  name: `reseal-${table.replaceAll('_', '-')}`,
  cron: '17 * * * *',
  run: async (database) => void (await resealColumn(database, table, column)),
})
