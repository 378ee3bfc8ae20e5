export { type ReferenceFilter, referenceReads } from './reads.js'
export { referenceResolver } from './resolver.js'
export { ReferenceWrites } from './writes.js'
