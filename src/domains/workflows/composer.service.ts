import { defineNeed } from '../../database/index.js'
import type { Template } from '../../integrations/channels/index.js'
import type { AgentCriterion, AgentScript } from '../agents/index.js'

/** What a composer knows of an agent. */
export interface Composing {
  name: string
  persona: string | null
  opening: string | null
  openingTemplate: Template | null
  scripts: readonly AgentScript[]
  fallback: string | null
  criteria: readonly AgentCriterion[]
}

/** One message of a conversation, as far as a composer goes back, oldest first. */
export interface Said {
  by: 'lead' | 'ai' | 'user'
  text: string
}

/** With what a message is composed. */
export interface ComposerTask {
  accountId: string
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

/** Writes what agents say. What it throws is tried again. */
export interface Composer {
  /** What opens a conversation; null where the agent has nothing to open one with. */
  opening(task: ComposerTask): Promise<Composition | null>
  /** What answers the lead, null where nothing does, and what is to be thought of them, null where that stays as it is. */
  reply(task: ComposerTask): Promise<{ reply: Composition | null; qualification: Qualification | null }>
}

/** What writes for agents, which the start of the process provides. */
export const composer = defineNeed<Composer>('composer')
