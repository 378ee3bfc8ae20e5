import type { KnowledgeHit } from '../agents/index.js'
import { FINDINGS, RULES } from './ai-question.service.js'
import type { ComposerTask } from './composer.service.js'
import { runsOf, wordsOf } from './words.service.js'

// So many words in a row are not the same by chance.
const RUN = 8
const SHORTEST = 4

/**
 * What a reply says that the agent may not say, whatever it was talked into; nothing where all is well. Code looks, since a
 * model that was talked into something would not: its instructions in their own words, and addresses of the web that the
 * company has not written.
 */
export function faultOfReply(reply: string, task: ComposerTask, articles: readonly KnowledgeHit[]): string | undefined {
  const { agent, said } = task
  const meant = [agent.fallback, agent.opening, ...agent.scripts.map((script) => script.reply)]
  const written = [...meant, ...articles.flatMap(({ name, content }) => [name, content])].filter((text) => text != null)
  const secrets = [agent.persona ?? '', RULES, FINDINGS]
  if (secrets.some((secret) => repeats(reply, secret, written))) return 'It gives away what the agent is told.'
  const ours = [...written, agent.persona ?? '', ...said.filter(({ by }) => by !== 'lead').map(({ text }) => text)]
  const known = new Set(ours.flatMap(hostsOf))
  if (hostsOf(reply).some((host) => !known.has(host)))
    return 'It names an address of the web that is not the company’s.'
  return undefined
}

/** Whether a text has words of another in a row, or all of a short one, but for those that stand in what may be said. */
function repeats(text: string, secret: string, sayable: readonly string[]): boolean {
  const length = Math.min(RUN, wordsOf(secret).trim().split(' ').length)
  if (length < SHORTEST) return false
  const may = sayable.map(wordsOf).join('')
  const secrets = new Set(runsOf(secret, length).filter((run) => !may.includes(` ${run} `)))
  return runsOf(text, length).some((run) => secrets.has(run))
}

const ADDRESS =
  /(?:https?:\/\/|www\.)([^\s/?#:]+)|\b((?:[a-z0-9-]+\.)+(?:com|net|org|io|app|dev|info|biz|me|ly|link|site|xyz|br|pt|ar|mx))\b(?=\/)/giu

/** The hosts of the addresses in a text. */
const hostsOf = (text: string): string[] =>
  [...text.matchAll(ADDRESS)].map(([, named, bare]) =>
    (named ?? bare)!
      .toLowerCase()
      .replace(/^www\./, '')
      .replace(/[.,;)]+$/, ''),
  )
