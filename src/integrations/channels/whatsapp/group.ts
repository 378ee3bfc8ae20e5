import type { ToldGroup } from '../told.js'
import { clean, idOf, listOf, momentOf, type Part, partOf, textOf } from './parts.js'

/** The fields of webhooks that tell what a group is called: that it was made, and that it was changed. */
export const GROUP_FIELDS: readonly unknown[] = ['group_lifecycle_update', 'group_settings_update']

/** Meta allows 128; this is what a conversation has room for. */
const MAX_NAME = 255

/**
 * What a group is called from now on; undefined where nothing of that is told, such as of a new picture, or where Meta tells
 * what could not be done: a group that was not made, or a subject that was not taken, has `errors`.
 */
export function groupIn(group: Part): ToldGroup | undefined {
  const groupId = idOf(group.group_id)
  const { text, update_successful: isTaken, errors } = partOf(group.group_subject)
  if (!groupId || isTaken === false || [group.errors, errors].some((one) => listOf(one).length > 0)) return undefined
  const name = clean((textOf(text) ?? textOf(group.subject) ?? '').replace(/[\s\p{Cc}]+/gu, ' '), MAX_NAME)
  return name === '' ? undefined : { about: 'group', groupId, name, at: momentOf(group.timestamp) }
}
