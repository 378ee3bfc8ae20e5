export { upkeepJobs } from './upkeep.js'
export { startWorker } from './worker.js'
