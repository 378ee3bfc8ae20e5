import type { Turn } from '../shared/read-turns.js'
import type { Warnings } from '../shared/warnings.js'

/** Whoever waits for what is done. */
export interface Caller {
  /** The name of what is done: calls of one kind hold only a part of the connections. */
  readonly kind: string
  /** Whether nobody waits any more; then what runs is cancelled. */
  readonly gone?: () => boolean
  /**
   * The permission that takes what it does now, if that outlasts the call: then each transaction begins by making sure that
   * the viewer still has it.
   */
  readonly lasting?: string
  /** The read that it is, if it is one. */
  readonly turn?: Turn
  /** Hears how many statements were sent for what is done. */
  sent?(statements: number): void
  /** The network address that it calls from. */
  readonly address?: string
  /** The tool by which an AI assistant calls, if one does. */
  readonly tool?: string
}

/** How an account is seen. */
export interface ScopeOptions {
  /** Where what is odd about an input is told. */
  warnings?: Warnings
  /** Whether statements are under row level security; if not told, whether it is on. */
  walled?: boolean
  /** Whether a stored operation runs, whose statements are worth keeping prepared. */
  stored?: boolean
  caller?: Caller
  /** The agency whose records are seen too. */
  agencyId?: string
}
