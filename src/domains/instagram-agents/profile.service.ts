import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import { extractedContactsOf } from '../../kit/extracted-contacts.js'
import { columnsOf, jsonOf } from '../../kit/reads/index.js'
import { AppError, invalid, notFound } from '../../shared/errors.js'
import { isUuid, newId } from '../../shared/ids.js'
import { textFault } from '../../shared/text.js'
import { type InstagramAgentRow, instagramAgentReads } from './agent.reads.js'
import { InstagramAgent, InstagramProfile } from './instagram.entity.js'
import type { InstagramProfileInput } from './instagram.inputs.js'
import type { InstagramProfileRow } from './profile.loaders.js'

/** A profile that has just been added, and the agent that holds it. */
export interface AddedProfileRows {
  profile: InstagramProfileRow
  agent: InstagramAgentRow
}

type Added = InstagramAgentRow & { profile: InstagramProfileRow | null }

// The update locks the agent, so of parallel calls each finds the count as the one before left it: the total is exact
// and the limit holds. No row means that there is no such agent or no room; no profile, that the agent has it.
const add = new Statement<Added>(
  sql<Added>`with a as (
      update instagram_agent a set total_profiles_found = a.total_profiles_found + 1
      where a.account_id = ${param('account')} and a.id = ${param('agentId')}
        and (a.total_limit is null or a.total_profiles_found < a.total_limit)
      returning a.*),
    p as (
      insert into instagram_profile as p (id, account_id, agent_id, username, display_name, profile_url, bio,
        followers_count, following_count, posts_count, external_url, extracted_contacts)
      select ${param('id')}::uuid, a.account_id, a.id, ${param('username')}, ${param('displayName')},
        ${param('profileUrl')}, ${param('bio')}, ${param('followersCount')}::int, ${param('followingCount')}::int,
        ${param('postsCount')}::int, ${param('externalUrl')}, ${param('extractedContacts')}::jsonb from a
      on conflict on constraint instagram_profile_once do nothing
      returning p.*)
    select ${columnsOf(InstagramAgent, 'a')}, (select ${jsonOf(InstagramProfile, 'p')} from p) as profile from a`,
  { prepared: true },
)

/**
 * Adds a profile to what an agent holds. LIMIT_REACHED when the agent is full, DUPLICATE_ERROR when it has the profile;
 * nothing is stored and nothing counted then.
 */
export function addInstagramProfile(
  db: Scope,
  agentId: string,
  input: InstagramProfileInput,
): Promise<AddedProfileRows> {
  return db.transaction(async () => {
    const username = usernameOf(input.username)
    const id = newId()
    const values = {
      username,
      displayName: input.displayName ?? username,
      profileUrl: input.profileUrl ?? addressOf(username),
      bio: input.bio ?? '',
      followersCount: input.followersCount ?? null,
      followingCount: input.followingCount ?? null,
      postsCount: input.postsCount ?? null,
      externalUrl: input.externalUrl ?? '',
      extractedContacts: JSON.stringify(extractedContactsOf(input.extractedContacts ?? {})),
    }
    const [added] = isUuid(agentId) ? await db.rows(add, { ...values, id, agentId }) : []
    if (!added) throw await refusal(db, agentId, username)
    const { profile, ...agent } = added
    if (!profile) throw duplicate()
    for (const written of [id, agent.id]) db.wrote(written)
    return { profile, agent }
  })
}

const ADDRESS = /^(?:https?:\/\/)?(?:[\w-]+\.)?instagram\.com\/(?:_u\/|stories\/)?([^/?#\s]+)/i

/** A username as Instagram compares it: out of a profile's address, without @ before it, in lower case. */
function usernameOf(text: string): string {
  const username = (ADDRESS.exec(text.trim())?.[1] ?? text).replace(/^[@\s]+/, '').toLowerCase()
  const fault = username === '' ? 'must not be empty' : textFault(username, 255) // some letters grow in lower case
  if (fault) throw invalid([{ path: ['input', 'username'], message: fault }])
  return username
}

/** Only what would mean something else in an address is encoded: a username may use every character that there is. */
function addressOf(username: string): string {
  return `https://www.instagram.com/${username.replace(/[ \t\n%/?#\\]/g, encodeURIComponent)}/`
}

const held = new Statement<{ id: string }>(
  sql<{ id: string }>`select p.id from instagram_profile p where p.account_id = ${param('account')}
    and p.agent_id = ${param('agentId')} and p.username = ${param('username')}`,
)

/** Why a profile was not added: there is no such agent, or it has the profile, or no room for another. */
async function refusal(db: Scope, agentId: string, username: string): Promise<AppError> {
  if (!(await instagramAgentReads.find(db, agentId))) return notFound('Instagram agent')
  if ((await db.rows(held, { agentId, username })).length > 0) return duplicate()
  return new AppError('LIMIT_REACHED', 'The agent holds as many profiles as its limit allows.')
}

function duplicate(): AppError {
  return new AppError('DUPLICATE_ERROR', 'The agent has this profile already.', {
    faults: [{ path: ['input', 'username'], message: 'is a profile that the agent has already' }],
  })
}

// The agent is locked before the profile, as it is when one is added.
const remove = new Statement<{ id: string }>(
  sql<{ id: string }>`with agent as materialized (
      select a.id from instagram_profile p join instagram_agent a on a.account_id = p.account_id and a.id = p.agent_id
      where p.account_id = ${param('account')} and p.id = ${param('id')} for no key update of a),
    gone as (
      delete from instagram_profile p using agent
      where p.account_id = ${param('account')} and p.id = ${param('id')} and p.agent_id = agent.id
      returning p.id, p.agent_id)
    update instagram_agent a set total_profiles_found = a.total_profiles_found - 1 from gone
    where a.account_id = ${param('account')} and a.id = gone.agent_id returning gone.id`,
)

/** Removes a profile from what its agent holds. */
export function removeInstagramProfile(db: Scope, id: string): Promise<DeletedRecord> {
  return db.transaction(async () => {
    const [gone] = isUuid(id) ? await db.rows(remove, { id }) : []
    if (!gone) throw notFound('profile')
    await tellChange(db, 'instagram_profile', gone.id, 'deleted')
    return { id: gone.id, deleted: true }
  })
}
