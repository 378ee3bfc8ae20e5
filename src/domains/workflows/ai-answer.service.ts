import { textFault, tidy } from '../../shared/text.js'
import type { AgentCriterion, KnowledgeHit } from '../agents/index.js'
import { faultOfReply } from './ai-guard.service.js'
import { MAX_REPLY } from './ai-question.service.js'
import type { ComposerTask, Qualification } from './composer.service.js'
import { qualified } from './qualify.service.js'
import { filled } from './scripted-composer.service.js'
import { says } from './words.service.js'

/** What of a model's answer can be used, and what is wrong with it, which is nothing where all of it can. */
export interface ReadAnswer {
  /** Undefined where it cannot be used, null where there is nothing to say. */
  reply: string | null | undefined
  /** What was said by a service that heeds no form, as a whole. */
  plain?: string | null
  handsOver: boolean
  qualification: Qualification | null
  fault: string | null
  /** Whether it said what the agent may not say. */
  isBarred?: boolean
}

const MAX_QUOTE = 200
const MAX_FINDINGS = 200

/** Reads a model's answer; what it says counts only as far as it fits the form and the agent may say it. */
export function readAnswer(text: string, task: ComposerTask, articles: readonly KnowledgeHit[]): ReadAnswer {
  const fields = objectIn(text)
  if (!fields) {
    const { reply: plain, isBarred } = /^\s*[{["<`]/.test(text) ? {} : readReply(text, task, articles)
    return { ...unread('It was not the JSON object that was asked for.'), plain, isBarred }
  }
  const { reply, hand_over: handsOver, findings, ...rest } = fields
  if (typeof handsOver !== 'boolean') return unread('hand_over must be true or false.')
  const read = readReply(reply, task, articles)
  const { criteria } = task.agent
  const found = criteria.length > 0 ? qualificationOf(findings, task, criteria) : { qualification: null }
  const foreign = Object.keys(rest)[0] ?? (criteria.length === 0 && findings !== undefined ? 'findings' : undefined)
  const fault = read.fault ?? found.fault ?? (foreign === undefined ? null : 'It had fields that were not asked for.')
  return { reply: read.reply, handsOver, qualification: found.qualification, fault, isBarred: read.isBarred }
}

/** What cannot be used at all. */
export const unread = (fault: string): ReadAnswer => ({
  reply: undefined,
  handsOver: false,
  qualification: null,
  fault,
})

/** The object that a text is, be it fenced as models like to do. */
function objectIn(text: string): Record<string, unknown> | undefined {
  const [, fenced] = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text) ?? []
  try {
    const value: unknown = JSON.parse(fenced ?? text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function readReply(
  reply: unknown,
  task: ComposerTask,
  articles: readonly KnowledgeHit[],
): { reply?: string | null; fault?: string; isBarred?: boolean } {
  if (reply === null) return { reply: null }
  if (typeof reply !== 'string') return { fault: 'reply must be a text or null.' }
  const text = tidy(filled(reply, task))
  if (text === '') return { fault: 'reply must not be empty: it is null where nothing is to be said.' }
  const fault = textFault(text, MAX_REPLY)
  if (fault) return { fault: `reply ${fault}.` }
  const guarded = faultOfReply(text, task, articles)
  return guarded ? { fault: guarded, isBarred: true } : { reply: text }
}

/** Criteria count by the lead's own words alone: what a model has no such words for is not met, whatever it says. */
function qualificationOf(
  findings: unknown,
  { said }: ComposerTask,
  criteria: readonly AgentCriterion[],
): { qualification: Qualification | null; fault?: string } {
  if (!Array.isArray(findings) || findings.length > MAX_FINDINGS || !findings.every(isFinding)) {
    return { qualification: null, fault: 'findings must be a list of objects with criterion and quote.' }
  }
  if (findings.some(({ criterion }) => !criteria.some(({ name }) => name === criterion))) {
    return { qualification: null, fault: 'A criterion must be one of those that were named.' }
  }
  const written = said.filter(({ by }) => by === 'lead').map(({ text }) => text)
  const isShown = ({ quote }: Finding) =>
    textFault(quote, MAX_QUOTE) === undefined && written.some((text) => says(text, quote))
  const shown = findings.filter(isShown)
  const met = criteria.flatMap((criterion) => {
    const finding = shown.find((one) => one.criterion === criterion.name)
    return finding ? [{ ...criterion, quote: tidy(finding.quote) }] : []
  })
  return { qualification: qualified(met) }
}

interface Finding {
  criterion: string
  quote: string
}

const isFinding = (value: unknown): value is Finding => {
  const { criterion, quote } = (value ?? {}) as Partial<Finding>
  return typeof criterion === 'string' && typeof quote === 'string'
}
