import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import type { ChannelKind } from '../../integrations/channels/index.js'
import { AppError, type ErrorKind } from '../../shared/errors.js'
import { covered, messagingChannels } from '../channels/index.js'
import type { HeldConversation } from './hold.service.js'
import { SENDING_ERRORS } from './sending-errors.service.js'

/** How many messages of a conversation may wait to be sent. */
const MAX_WAITING = 50

interface Standing {
  isGroup: boolean
  isGone: boolean
  /** Null where the conversation goes through no channel account. */
  line: { kind: ChannelKind; name: string; isConnected: boolean; isCovered: boolean } | null
  isReachable: boolean
  isWindowOpen: boolean
  waiting: number
}

const standing = new Statement<Standing>(
  sql<Standing>`select c.group_id is not null as "isGroup", c.contact_id is null as "isGone",
      case when a.id is not null then jsonb_build_object('kind', a.kind, 'name', a.name,
        'isConnected', a.status = 'connected', 'isCovered', ${sql.raw(covered('a'))}) end as line,
      (a.kind = 'whatsapp' and p.phone is not null) or exists (select from channel_identity i
        where i.account_id = c.account_id and i.contact_id = c.contact_id and i.kind = a.kind
          and i.portfolio_id = coalesce(a.portfolio_id, '')) as "isReachable",
      coalesce(c.last_inbound_at > now() - interval '24 hours', false) as "isWindowOpen",
      (select count(*) from message m where m.account_id = c.account_id and m.conversation_id = c.id
        and m.due_at is not null)::int as waiting
    from conversation c
      left join channel_account a on a.account_id = c.account_id and a.id = c.channel_account_id
      left join contact p on p.account_id = c.account_id and p.id = c.contact_id
    where c.account_id = ${param('account')} and c.id = ${param('id')}`,
  { prepared: true },
)

const refused = (kind: ErrorKind, message: string) => new AppError(kind, message)

/** Throws what is in the way of a free text in a conversation that is held, which the provider or nobody would take. */
export async function requireSendable(db: Scope, { id }: HeldConversation): Promise<void> {
  const { isGroup, isGone, line, isReachable, isWindowOpen, waiting } = (await db.rows(standing, { id }))[0]!
  const { CHANNEL_UNAVAILABLE, CONTACT_UNREACHABLE, WINDOW_CLOSED, TOO_MANY_WAITING } = SENDING_ERRORS
  if (!line) throw refused(CHANNEL_UNAVAILABLE, 'The conversation goes through no channel account.')
  const { kind, name } = line
  if (!line.isConnected) throw refused(CHANNEL_UNAVAILABLE, `The channel account ${name} is disconnected.`)
  if (!line.isCovered) throw refused(CHANNEL_UNAVAILABLE, `The account's seats of ${kind} do not cover ${name}.`)
  if (!isGroup && isGone) throw refused(CONTACT_UNREACHABLE, 'The contact of the conversation was deleted.')
  if (!isGroup && !isReachable) {
    throw refused(
      CONTACT_UNREACHABLE,
      kind === 'whatsapp' ? 'The contact has no phone number.' : `Who the contact is on ${kind} is not known.`,
    )
  }
  if (!isGroup && !isWindowOpen && db.get(messagingChannels)[kind].hasWindow) {
    throw refused(WINDOW_CLOSED, 'The person has not written within the last 24 hours: only a template may be sent.')
  }
  if (waiting >= MAX_WAITING) {
    throw refused(TOO_MANY_WAITING, `${waiting} messages of the conversation wait to be sent already.`)
  }
}
