import type { EntityManager } from '@mikro-orm/postgresql'
import type { Scope } from '../../database/index.js'
import { Lifecycle, Pipeline, Stage } from './pipeline.entity.js'

const STAGES = [
  { name: 'New', color: '#64748b' },
  { name: 'Contacted', color: '#2563eb', lifecycle: Lifecycle.SENT },
  { name: 'Qualified', color: '#7c3aed', lifecycle: Lifecycle.QUALIFIED },
  { name: 'Proposal', color: '#d97706' },
  { name: 'Won', color: '#16a34a', lifecycle: Lifecycle.WON, isWinStage: true },
  { name: 'Lost', color: '#dc2626', lifecycle: Lifecycle.LOST, isLossStage: true },
]

/** Gives a new account its first pipeline, into which opportunities go that name no other. */
export async function addDefaultPipeline(db: Scope, { accountId }: { accountId: string }): Promise<void> {
  await db.unitOfWork(async (em) => {
    addDefaultStages(em, em.create(Pipeline, { accountId, name: 'Sales', isDefault: true }))
  })
}

/** Gives a new pipeline the stages that most begin with. */
export function addDefaultStages(em: EntityManager, { id: pipelineId, accountId }: Pipeline): void {
  for (const [index, stage] of STAGES.entries()) {
    em.create(Stage, { ...stage, accountId, pipelineId, position: index + 1 })
  }
}
