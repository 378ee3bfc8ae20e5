import pg from 'pg'
import { isoFromPostgres } from '../shared/time.js'

const TIMESTAMPTZ = 1184

/** Has the connections of a pool tell instants as we write them. */
export function readTimestampsAsIso(pool: pg.Pool): void {
  const types = new pg.TypeOverrides(pool.options.types as pg.CustomTypesConfig)
  types.setTypeParser(TIMESTAMPTZ, isoFromPostgres)
  pool.options.types = types
}
