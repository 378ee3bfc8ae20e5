export { type DeliveryOptions, startDelivery } from './delivery.js'
export { UPKEEP_QUEUES, upkeepJobs } from './upkeep.js'
export { startWorker, WORKER_CONNECTIONS } from './worker.js'
