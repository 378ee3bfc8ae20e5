/** What an agent answers to a message in which one of the keywords stands. */
export interface AgentScript {
  keywords: string[]
  reply: string
}

/** What counts for a lead in whose messages one of the keywords stands, or, with less than 0 points, against it. */
export interface AgentCriterion {
  name: string
  keywords: string[]
  points: number
}
