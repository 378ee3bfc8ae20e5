import { within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { accountCreated, accounts } from '../accounts/index.js'
import { agentDeleted, agents } from '../agents/index.js'
import { reference } from '../reference/index.js'
import { userActivated, userRemoved, users } from '../users/index.js'
import { addDefaultPipeline } from './default-pipeline.service.js'
import { clearEntryAgent } from './entry-agent.service.js'
import { Pipeline, Stage } from './pipeline.entity.js'
import { PipelineResolver } from './pipeline.resolver.js'
import { RoundRobinMember, RoundRobinRule } from './round-robin.entity.js'
import { RoundRobinResolver } from './round-robin.resolver.js'
import { leaveRules, rejoinRules } from './round-robin.service.js'
import { StageResolver } from './stage.resolver.js'

export { nextOwner, type OwnerQuestion } from './next-owner.service.js'
export { Lifecycle, Pipeline, Stage } from './pipeline.entity.js'
export { type PipelineRow, pipelineReads, type StageRow, stageReads } from './pipeline.reads.js'
export { RoundRobinMember, RoundRobinRule } from './round-robin.entity.js'

/** The ways of selling, and by whom what comes in is taken. */
export const pipelines = defineDomain({
  name: 'pipelines',
  uses: [accounts, reference, users, agents],
  entities: [Pipeline, Stage, RoundRobinRule, RoundRobinMember],
  resolvers: [PipelineResolver, StageResolver, RoundRobinResolver],
  permissions: { 'pipelines:read': 'list pipelines and their stages' },
  on: [
    within(accountCreated, addDefaultPipeline),
    within(agentDeleted, clearEntryAgent),
    within(userActivated, rejoinRules),
    within(userRemoved, leaveRules),
  ],
  demo: () => import('./demo/index.js'),
})
