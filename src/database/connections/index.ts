export { cut, sendTogether } from './driver.js'
export { giveBackLostConnections } from './give-back.js'
export { RequestPool } from './request-pool.js'
export type { Claim } from './shares.js'
