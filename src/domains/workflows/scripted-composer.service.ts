import type { AgentCriterion } from '../agents/index.js'
import type { Composer, ComposerTask, Composition, Qualification } from './composer.service.js'

// The score that a lead begins with who says nothing, and from which on it is warm and hot.
const [WARM, HOT] = [40, 70]
// A provider takes no parameter that is empty.
const NOTHING = '-'

/** Text as keywords are looked for in it: without case and accents. */
const folded = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Whether one of the keywords stands in a text, as a whole word or several. */
export function mentions(text: string, keywords: readonly string[]): boolean {
  const words = ` ${folded(text).replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `
  return keywords.some((keyword) => {
    const wanted = folded(keyword)
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
    return wanted !== '' && words.includes(` ${wanted} `)
  })
}

/** A text with its variables filled in; those that nobody knows stay empty. */
function filled(text: string, { agent, lead }: ComposerTask): string {
  const values: Record<string, string> = { ...lead, first_name: lead.name.split(/\s+/)[0]!, agent_name: agent.name }
  return text.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) =>
    Object.hasOwn(values, name) ? values[name]! : '',
  )
}

/** Writes with the agent's own texts, and qualifies by its criteria: no text of a lead becomes anything else than what is searched. */
export const scriptedComposer: Composer = {
  async opening(_db, task): Promise<Composition | null> {
    const { opening, openingTemplate } = task.agent
    if (!opening && !openingTemplate) return null
    const parameters = openingTemplate?.parameters.map((parameter) => filled(parameter, task).trim() || NOTHING) ?? []
    const template = openingTemplate && { ...openingTemplate, parameters }
    return { text: opening ? filled(opening, task) : [openingTemplate!.name, ...parameters].join(' '), template }
  },

  async reply(_db, task) {
    const { agent, said } = task
    const last = said.findLastIndex(({ by }) => by !== 'lead')
    const unanswered = said
      .slice(last + 1)
      .map(({ text }) => text)
      .join('\n')
    const script = agent.scripts.find(({ keywords }) => mentions(unanswered, keywords))
    const text = script?.reply ?? agent.fallback
    const reply = text && unanswered ? { text: filled(text, task) } : null
    return { reply, qualification: qualify(agent.criteria, task), handsOver: null, articles: [] }
  },
}

function qualify(criteria: readonly AgentCriterion[], { said }: ComposerTask): Qualification | null {
  if (criteria.length === 0) return null
  const all = said
    .filter(({ by }) => by === 'lead')
    .map(({ text }) => text)
    .join('\n')
  const met = criteria.filter(({ keywords }) => mentions(all, keywords))
  const score = Math.min(
    100,
    Math.max(
      0,
      met.reduce((sum, { points }) => sum + points, 0),
    ),
  )
  const named = (isFor: boolean) => met.filter(({ points }) => points >= 0 === isFor).map(({ name }) => name)
  return {
    score,
    stage: score >= HOT ? 'hot' : score >= WARM ? 'warm' : 'cold',
    reasons: named(true),
    objections: named(false),
  }
}
