export { addDefaultPipeline } from './default-pipeline.js'
export { Lifecycle, Pipeline, Stage } from './pipeline.entity.js'
export { RoundRobinMember, RoundRobinRule } from './round-robin.entity.js'
