import { sql } from 'kysely'
import { columnOf, iso } from '../../database/index.js'
import type { InstagramProfile } from './instagram.entity.js'

/** A profile as a read brings it. */
export type InstagramProfileRow = Omit<InstagramProfile, 'accountId' | 'agentId'>

const NAMES = [
  'id',
  'username',
  'displayName',
  'profileUrl',
  'bio',
  'followersCount',
  'followingCount',
  'postsCount',
  'externalUrl',
  'extractedContacts',
  'source',
  'addedAt',
] as const satisfies readonly (keyof InstagramProfileRow)[]

/** A profile `p` as JSON. */
export const profileJson = sql`json_build_object(${sql.join(
  NAMES.flatMap((name) => {
    const column = `p.${columnOf(name)}`
    return [sql.lit(name), name === 'addedAt' ? iso(column) : sql.ref(column)]
  }),
)})`
