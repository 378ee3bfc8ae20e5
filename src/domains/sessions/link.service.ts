import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { hashCredential, isCredential, makeCredential } from '../../shared/credential.js'
import { AppError } from '../../shared/errors.js'
import { newId } from '../../shared/ids.js'
import { SIGN_IN_ERRORS } from './session-credential.service.js'
import { sessionSettings } from './settings.service.js'
import type { Person } from './sign-in.reads.js'
import type { LinkPurpose } from './sign-in-link.entity.js'

/** What the tokens of links begin with. */
const LINK_PREFIX = 'fl_link_'

/** For how many hours a link works, and the page of the dashboard that it leads to. */
const KINDS: Readonly<Record<LinkPurpose, { hours: number; page: string }>> = {
  reset: { hours: 1, page: 'reset-password' },
  invitation: { hours: 168, page: 'accept-invitation' },
}

const put = new Statement<never>(
  sql<never>`insert into sign_in_link (id, sign_in_id, account_id, purpose, email_key, hash, expires_at)
    select ${param('id')}::uuid, i.id, i.account_id, ${param('purpose')}, i.email_key, ${param('hash')}::bytea,
      now() + make_interval(hours => ${param('hours')}::int)
    from sign_in i where i.id = ${param('person')}::uuid
    on conflict (sign_in_id, purpose) do update
      set id = excluded.id, email_key = excluded.email_key, hash = excluded.hash, expires_at = excluded.expires_at`,
  { ofService: true },
)

const inForce = sql`from sign_in_link l join sign_in i on i.id = l.sign_in_id and i.email_key = l.email_key
  where l.hash = ${param('hash')}::bytea and l.purpose = ${param('purpose')} and l.expires_at > now()`

const find = new Statement<{ person: string }>(sql<{ person: string }>`select i.id as person ${inForce}`, {
  ofService: true,
})

const use = new Statement<{ id: string }>(
  sql<{ id: string }>`delete from sign_in_link where id = (select l.id ${inForce}) returning id`,
  { ofService: true },
)

const end = new Statement<never>(sql<never>`delete from sign_in_link where sign_in_id = ${param('person')}::uuid`, {
  ofService: true,
})

/** Makes a link for a person, who is held, in the place of an earlier one; its token is kept as a hash alone. */
export async function makeLink(db: Scope, { id: person }: Person, purpose: LinkPurpose): Promise<string> {
  const { hours, page } = KINDS[purpose]
  const token = makeCredential(LINK_PREFIX)
  await db.rows(put, { id: newId(), person, purpose, hash: hashCredential(token), hours })
  // Behind the #, so that it reaches no log of a server and no Referer.
  return `${db.get(sessionSettings).publicUrl}/${page}#token=${token}`
}

/** Who has the link with this token; INVALID_LINK when nobody does. */
export async function personOfLink(db: Scope, purpose: LinkPurpose, token: string): Promise<string> {
  if (!isCredential(LINK_PREFIX, token)) throw invalidLink()
  const [found] = await db.rows(find, { hash: hashCredential(token), purpose })
  if (!found) throw invalidLink()
  return found.person
}

/** Uses a link up, inside the transaction that holds its person; INVALID_LINK when it is in force no longer. */
export async function useLink(db: Scope, purpose: LinkPurpose, token: string): Promise<void> {
  const used = await db.rows(use, { hash: hashCredential(token), purpose })
  if (used.length === 0) throw invalidLink()
}

/** Ends all links of a person. */
export async function endLinks(db: Scope, person: string): Promise<void> {
  await db.rows(end, { person })
}

/** The answer to a link that does not work, whyever. */
export const invalidLink = () =>
  new AppError(SIGN_IN_ERRORS.INVALID_LINK, 'This link was used, has expired, or a newer one has taken its place.')
