import type { ClassType } from 'type-graphql'
import { defineNeed, type Scope } from '../database/index.js'

/** The inputs of an action that were given: ids of records, which need not exist. */
export type GivenIds = Readonly<Record<string, string | undefined>>

/** What an action is done for. */
export interface ActionTarget {
  opportunityId: string
  /** Null when the contact has been erased meanwhile. */
  contactId: string | null
  /** Aborted when the action's time is up: what it does after that is reported nowhere. */
  signal: AbortSignal
}

/** Where an opportunity stands that has come into a pipeline. */
export interface ActionPlace {
  opportunityId: string
  contactId: string
  pipelineId: string
  stageId: string
  /** Whether it was moved here from another pipeline, and is not new. */
  isMoved: boolean
}

/** The two types of a slot, of which each action is one field. */
export interface ActionSlot {
  input: ClassType
  block: ClassType
}

/**
 * Something that a caller can ask for along with a record that is created, and that happens after the commit: a domain
 * above says in its manifest what goes into it and what is told of it.
 */
// biome-ignore lint/suspicious/noExplicitAny: a list holds actions of various inputs and blocks
export interface Action<Given extends GivenIds = any, Block extends object = any> {
  slot: ActionSlot
  /** Its field in both types of the slot. */
  name: string
  description: string
  /** Its inputs: ids as plain, nullable `ID`s. It is asked for when one of them is given. */
  input: ClassType
  /** What is told of it; has a field `error`, null where nothing went wrong. */
  block: ClassType
  /**
   * `database` when all that it does is in our own database: it runs inside of the transaction that stores its block, so
   * both happen or none. `outside` when it reaches further: it is claimed before, and never run a second time.
   */
  effect: 'database' | 'outside'
  /**
   * What the domain asks for by itself, of each new opportunity of whose creator the action was given nothing, and of each
   * that is moved into an open stage of another pipeline; null for nothing. Called within the transaction that does so, so a
   * statement here is one more for every creation. It is told of where an action was asked for; where none was, it happens
   * in the background.
   */
  decides?(db: Scope, place: ActionPlace): Promise<Given | null>
  /** The block of one that failed. */
  failed(error: string): Block
  /** Does it. What it throws as an AppError is told in its block, anything else as a general sentence. */
  run(db: Scope, given: Given, target: ActionTarget): Promise<Block>
}

/** All actions that the domains declare. */
export const declaredActions = defineNeed<readonly Action[]>('declaredActions')
