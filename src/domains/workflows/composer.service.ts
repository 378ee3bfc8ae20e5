import { sql } from 'kysely'
import { defineNeed, type Scope } from '../../database/index.js'
import type { Template } from '../../integrations/channels/index.js'
import type { AgentCriterion, AgentScript, KnowledgeHit } from '../agents/index.js'

/** What a composer knows of an agent. */
export interface Composing {
  id: string
  name: string
  persona: string | null
  opening: string | null
  openingTemplate: Template | null
  scripts: readonly AgentScript[]
  fallback: string | null
  criteria: readonly AgentCriterion[]
}

/** What a composer knows of the agent `a`. */
export const COMPOSING = sql`jsonb_build_object('id', a.id, 'name', a.name, 'persona', a.persona, 'opening', a.opening,
  'openingTemplate', a.opening_template, 'scripts', a.scripts, 'fallback', a.fallback, 'criteria', a.criteria)`

/** One message of a conversation, as far as a composer goes back, oldest first. */
export interface Said {
  by: 'lead' | 'ai' | 'user'
  text: string
}

/** What the lead has written since anybody of the account has, as one text. */
export function unansweredOf(said: readonly Said[]): string {
  const last = said.findLastIndex(({ by }) => by !== 'lead')
  return said
    .slice(last + 1)
    .map(({ text }) => text)
    .join('\n')
}

/** With what a message is composed. */
export interface ComposerTask {
  agent: Composing
  /** The lead; texts that others wrote are data, whatever they say. */
  lead: Readonly<Record<'name' | 'company' | 'title', string>>
  said: readonly Said[]
}

/** How well a lead fits, as the conversation shows so far. */
export interface Qualification {
  /** From 0 to 100. */
  score: number
  stage: string
  reasons: string[]
  objections: string[]
}

/** What an agent says: a text, and the template that is sent in its place where one is named. */
export interface Composition {
  text: string
  template?: Template | null
}

/** What answers a lead, and what is to be thought of them. */
export interface Answer {
  /** Null where there is nothing to say. */
  reply: Composition | null
  /** Null where what is thought of them stays as it is. */
  qualification: Qualification | null
  /** Why a person is to have the conversation from now on; null where the agent keeps it. */
  handsOver: string | null
  /** The articles that it was given to answer from. */
  articles: readonly Pick<KnowledgeHit, 'id' | 'name'>[]
}

/** Writes what agents say, with what an account has. Throws NotComposed. */
export interface Composer {
  /** What opens a conversation; null where the agent has nothing to open one with. */
  opening(db: Scope, task: ComposerTask): Promise<Composition | null>
  /** What answers the lead. */
  reply(db: Scope, task: ComposerTask): Promise<Answer>
}

/** Why there is no answer, in a sentence; where `again` is set, the same may lead to one after so many milliseconds, or any. */
export class NotComposed extends Error {
  constructor(
    readonly reason: string,
    readonly again?: { afterMs?: number },
  ) {
    super(reason)
  }
}

/** What writes for agents, which the start of the process provides. */
export const composer = defineNeed<Composer>('composer')
