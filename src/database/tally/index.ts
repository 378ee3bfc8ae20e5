export { createTally, markFresh } from './ddl.js'
export { type Tally, type TallyColumn, tableOf } from './definition.js'
export { COMPACT_AFTER, compactAll, compactTally, type Mismatch, verifyTally } from './upkeep.js'
