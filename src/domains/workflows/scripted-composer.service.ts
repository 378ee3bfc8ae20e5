import type { AgentCriterion } from '../agents/index.js'
import {
  type Composer,
  type ComposerTask,
  type Composition,
  type Qualification,
  unansweredOf,
} from './composer.service.js'
import { qualified } from './qualify.service.js'
import { says } from './words.service.js'

// A provider takes no parameter that is empty.
const NOTHING = '-'

/** Whether one of the keywords stands in a text, as a whole word or several. */
const mentions = (text: string, keywords: readonly string[]) => keywords.some((keyword) => says(text, keyword))

/** A text with its variables filled in. Those that nobody knows leave no hole: a comma or a space before them goes too. */
export function filled(text: string, { agent, lead }: ComposerTask): string {
  const values: Record<string, string> = { ...lead, first_name: lead.name.split(/\s+/)[0]!, agent_name: agent.name }
  return text
    .replaceAll(/([, \t]*)\{\{\s*(\w+)\s*\}\}/g, (_, before: string, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name] : ''
      return value ? before + value : ''
    })
    .replace(/^[,\s]+/, '')
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
    const unanswered = unansweredOf(said)
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
  return qualified(criteria.filter(({ keywords }) => mentions(all, keywords)))
}
