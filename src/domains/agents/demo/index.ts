import type { DemoWork } from '../../../kit/demo.js'
import { AiAgent } from '../ai-agent.entity.js'
import { aiAgents } from './data.js'

/** Makes the demo account's AI agents. */
export function makeDemo({ em, accountId }: DemoWork) {
  const made = aiAgents.map((agent) => em.create(AiAgent, { ...agent, accountId }))
  return { made: { aiAgents: made }, ids: { agents: made.map(({ id, name, type }) => ({ id, name, type })) } }
}
