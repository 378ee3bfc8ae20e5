import type { Database } from '../../../src/database/index.js'
import { InstagramAgent, InstagramProfile } from '../../../src/domains/instagram-agents/index.js'

/** A collection agent of the account that holds profiles of these names, straight into the database. */
export async function makeInstagramAgent(
  database: Database,
  accountId: string,
  { usernames = [], ...overrides }: Partial<InstagramAgent> & { usernames?: string[] } = {},
): Promise<InstagramAgent & { profileIds: string[] }> {
  const em = database.fork()
  const totalProfilesFound = usernames.length
  const agent = em.create(InstagramAgent, { name: 'Agent', totalProfilesFound, ...overrides, accountId })
  const profiles = usernames.map((username) =>
    em.create(InstagramProfile, {
      accountId,
      agentId: agent.id,
      username,
      displayName: username,
      profileUrl: `https://www.instagram.com/${username}/`,
      bio: '',
      externalUrl: '',
      extractedContacts: { emails: [], phones: [], websites: [] },
    }),
  )
  await em.flush()
  return Object.assign(agent, { profileIds: profiles.map(({ id }) => id) })
}
