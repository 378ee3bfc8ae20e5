import type { EntityManager } from '@mikro-orm/postgresql'
import { AiAgent } from '../../domains/agents/index.js'
import { Campaign } from '../../domains/campaigns/index.js'
import { InstagramAgent, InstagramProfile } from '../../domains/instagram-agents/index.js'
import { Pipeline, RoundRobinMember, RoundRobinRule, Stage } from '../../domains/pipelines/index.js'
import { DiscardReason, Product, Sector, Tag } from '../../domains/reference/index.js'
import { User, UserRole } from '../../domains/users/index.js'
import { aiAgents, instagramAgents } from './data/agents.js'
import { tags } from './data/contacts.js'
import { campaigns, discardReasons, products } from './data/offer.js'
import { firstPipeline, fourthStage, owner, secondPipeline, sectors, turns, users } from './data/organisation.js'

// The operator's unit of work is bound to no account.
const unfiltered = { filters: false } as const

/** What contacts and opportunities of the demo account refer to. */
export type Organisation = Awaited<ReturnType<typeof makeOrganisation>>

/** Makes everything of the demo account that is there before the first contact. */
export async function makeOrganisation(em: EntityManager, accountId: string) {
  const made = {
    tags: tags.map((tag) => em.create(Tag, { ...tag, accountId })),
    sectors: sectors.map((sector) => em.create(Sector, { ...sector, accountId })),
    discardReasons: discardReasons.map(({ remark: _, ...reason }, index) =>
      em.create(DiscardReason, { ...reason, displayOrder: index + 1, accountId }),
    ),
    products: products.map((product) => em.create(Product, { ...product, currency: 'BRL', accountId })),
    aiAgents: aiAgents.map((agent) => em.create(AiAgent, { ...agent, accountId })),
    instagramAgents: instagramAgents.map((agent) => makeInstagramAgent(em, accountId, agent)),
  }
  const staff = await makeUsers(em, accountId, made.sectors)
  const pipelines = await makePipelines(em, accountId, staff)
  const efforts = campaigns.map(({ sector, responsible, contacts: _, ...campaign }) =>
    em.create(Campaign, {
      ...campaign,
      accountId,
      sectorId: made.sectors[sector]!.id,
      defaultResponsibleId: staff[responsible]!.id,
    }),
  )
  return { ...made, users: staff, pipelines, campaigns: efforts }
}

function makeInstagramAgent(
  em: EntityManager,
  accountId: string,
  { profiles, ...fields }: (typeof instagramAgents)[number],
): InstagramAgent {
  const agent = em.create(InstagramAgent, { ...fields, totalProfilesFound: profiles.length, accountId })
  for (const profile of profiles) {
    const profileUrl = `https://www.instagram.com/${profile.username}/`
    em.create(InstagramProfile, { ...profile, profileUrl, agentId: agent.id, accountId })
  }
  return agent
}

/** The owner, whom every account has, and the others after it. */
async function makeUsers(em: EntityManager, accountId: string, sectors: readonly Sector[]): Promise<User[]> {
  const first = await em.findOneOrFail(User, { accountId, role: UserRole.OWNER }, unfiltered)
  Object.assign(first, owner)
  const others = users.map(({ sector, ...user }) =>
    em.create(User, { ...user, accountId, sectorId: sectors[sector]!.id }),
  )
  return [first, ...others]
}

/** A pipeline and its stages in order. */
interface Way {
  pipeline: Pipeline
  stages: Stage[]
}

async function makePipelines(em: EntityManager, accountId: string, staff: readonly User[]): Promise<[Way, Way]> {
  const first = await em.findOneOrFail(Pipeline, { accountId, isDefault: true }, unfiltered)
  Object.assign(first, firstPipeline)
  const firstStages = await em.find(Stage, { pipelineId: first.id }, { ...unfiltered, orderBy: { position: 'asc' } })
  Object.assign(firstStages[3]!, fourthStage)

  const { stages, ...fields } = secondPipeline
  const second = em.create(Pipeline, { ...fields, accountId })
  const secondStages = stages.map((stage, index) =>
    em.create(Stage, { ...stage, accountId, pipelineId: second.id, position: index + 1 }),
  )
  const rule = em.create(RoundRobinRule, { accountId, pipelineId: second.id })
  for (const [index, user] of turns.entries()) {
    em.create(RoundRobinMember, { accountId, ruleId: rule.id, userId: staff[user]!.id, position: index + 1 })
  }
  return [
    { pipeline: first, stages: firstStages },
    { pipeline: second, stages: secondStages },
  ]
}
