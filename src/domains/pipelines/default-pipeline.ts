import type { EntityManager } from '@mikro-orm/postgresql'
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
export function addDefaultPipeline(em: EntityManager, accountId: string): Pipeline {
  const pipeline = em.create(Pipeline, { accountId, name: 'Sales', isDefault: true })
  addDefaultStages(em, pipeline)
  return pipeline
}

/** Gives a new pipeline the stages that most begin with. */
export function addDefaultStages(em: EntityManager, { id: pipelineId, accountId }: Pipeline): void {
  for (const [index, stage] of STAGES.entries()) {
    em.create(Stage, { ...stage, accountId, pipelineId, position: index + 1 })
  }
}
