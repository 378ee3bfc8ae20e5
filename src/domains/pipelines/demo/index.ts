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
  const taking = members.map(({ id: userId }, index) =>
    em.create(RoundRobinMember, { accountId, ruleId: rule.id, userId, position: index + 1 }),
  )
  const ways: [Way, Way] = [
    { pipeline: first, stages: firstStages },
    { pipeline: second, stages: secondStages },
  ]
  /** Whose turn it was to take the opportunity of this number in the second pipeline; the next ones come after it. */
  const taker = (nth: number) => {
    const place = nth % members.length
    const taker = taking[place]!
    taker.turns = Math.max(taker.turns, Math.floor(nth / members.length) + 1)
    taker.lastTurn = String(Math.max(Number(taker.lastTurn), nth + 1))
    return members[place]!
  }
  const ids = {
    pipelines: listed(ways.map(({ pipeline }) => pipeline)),
    stages: listed(ways.flatMap((way) => way.stages)),
  }
  return { made: { ways, taker }, ids }
}
