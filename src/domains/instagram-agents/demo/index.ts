import { type DemoWork, listed } from '../../../kit/demo.js'
import { InstagramAgent, InstagramProfile } from '../instagram.entity.js'
import { instagramAgents } from './data.js'

/** Makes the demo account's collection agents with what they have found. */
export function makeDemo({ em, accountId }: DemoWork) {
  const made = instagramAgents.map(({ profiles, ...fields }) => {
    const agent = em.create(InstagramAgent, { ...fields, totalProfilesFound: profiles.length, accountId })
    for (const profile of profiles) {
      const profileUrl = `https://www.instagram.com/${profile.username}/`
      em.create(InstagramProfile, { ...profile, profileUrl, agentId: agent.id, accountId })
    }
    return agent
  })
  return { made: { instagramAgents: made }, ids: { instagram_agents: listed(made) } }
}
