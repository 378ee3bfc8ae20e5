import { type DemoWork, listed } from '../../../kit/demo.js'
import { users } from '../../users/index.js'
import { Pipeline, Stage } from '../pipeline.entity.js'
import { RoundRobinMember, RoundRobinRule } from '../round-robin.entity.js'
import { firstPipeline, fourthStage, secondPipeline, turns } from './data.js'

/** A pipeline and its stages in order. */
interface Way {
  pipeline: Pipeline
  stages: Stage[]
}

/** Makes of the default pipeline the demo account's first, and a second one whose opportunities are taken in turns. */
export async function makeDemo({ em, accountId, made }: DemoWork) {
  const staff = made(users).users
  const first = await em.findOneOrFail(Pipeline, { accountId, isDefault: true })
  Object.assign(first, firstPipeline)
  const firstStages = await em.find(Stage, { pipelineId: first.id }, { orderBy: { position: 'asc' } })
  Object.assign(firstStages[3]!, fourthStage)

  const { stages, ...fields } = secondPipeline
  const second = em.create(Pipeline, { ...fields, accountId })
  const secondStages = stages.map((stage, index) =>
    em.create(Stage, { ...stage, accountId, pipelineId: second.id, position: index + 1 }),
  )
  const rule = em.create(RoundRobinRule, { accountId, pipelineId: second.id })
  const members = turns.map((place) => staff[place]!)
  for (const [index, { id: userId }] of members.entries()) {
    em.create(RoundRobinMember, { accountId, ruleId: rule.id, userId, position: index + 1 })
  }
  const ways: [Way, Way] = [
    { pipeline: first, stages: firstStages },
    { pipeline: second, stages: secondStages },
  ]
  /** Whose turn it was to take the opportunity of this number in the second pipeline; the next ones come after it. */
  const taker = (nth: number) => {
    rule.turn = String(Math.max(Number(rule.turn), nth + 1))
    return members[nth % members.length]!
  }
  const ids = {
    pipelines: listed(ways.map(({ pipeline }) => pipeline)),
    stages: listed(ways.flatMap((way) => way.stages)),
  }
  return { made: { ways, taker }, ids }
}
