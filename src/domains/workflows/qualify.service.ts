import type { AgentCriterion } from '../agents/index.js'
import type { Qualification } from './composer.service.js'

// The score from which on a lead is warm, and hot.
const [WARM, HOT] = [40, 70]

/** A criterion that a lead meets, and the lead's own words that show it. */
export interface Met extends AgentCriterion {
  quote?: string
}

/** What is to be thought of a lead who meets these criteria: a sum of their points, whoever found that they are met. */
export function qualified(met: readonly Met[]): Qualification {
  const sum = met.reduce((total, { points }) => total + points, 0)
  const score = Math.min(100, Math.max(0, sum))
  const told = (isFor: boolean) => met.filter(({ points }) => points >= 0 === isFor).map(toldOf)
  return {
    score,
    stage: score >= HOT ? 'hot' : score >= WARM ? 'warm' : 'cold',
    reasons: told(true),
    objections: told(false),
  }
}

const toldOf = ({ name, quote }: Met) => (quote === undefined ? name : `${name}: “${quote}”`)
