import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import type { GroupName } from './inbound.types.js'

const LENGTH = 255

/** A group's name as it is kept. */
export const groupNameOf = (name: string): string => [...name].slice(0, LENGTH).join('')

// What is told late, or again, changes nothing: the name is the one that was given last.
const store = new Statement<never>(
  sql<never>`insert into conversation as c (id, account_id, status, channel, channel_account_id, group_id, group_name,
      group_named_at, is_group)
    select ${param('id')}::uuid, a.account_id, 'manual', upper(a.kind), a.id, ${param('groupId')}, ${param('name')},
      ${param('at')}::timestamptz, true
    from channel_account a where a.account_id = ${param('account')} and a.id = ${param('channelAccountId')}
    on conflict (account_id, channel_account_id, group_id) where group_id is not null
      do update set group_name = excluded.group_name, group_named_at = excluded.group_named_at
      where c.group_named_at is null or c.group_named_at < excluded.group_named_at
        or (c.group_named_at = excluded.group_named_at and c.group_name is distinct from excluded.group_name)`,
  { prepared: true },
)

/**
 * Records what a group is called since a moment, unless it has got another name since. A group that nobody has written in
 * gets its conversation by it, which is neither open again nor younger for a name. `confirm` is asked once nobody can erase
 * the conversation any more; what it throws undoes all.
 */
export function recordGroupName(
  db: Scope,
  { name, ...named }: GroupName,
  confirm: () => Promise<void> = async () => {},
): Promise<void> {
  return db.transaction(async () => {
    await db.rows(store, { id: newId(), name: groupNameOf(name), ...named })
    await confirm()
  })
}
