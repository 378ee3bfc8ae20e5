import { domains } from './domains/index.js'
import { assemble } from './kit/domain.js'

/** What the domains of the product add up to. */
export const assembly = assemble(domains)
