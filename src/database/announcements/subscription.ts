import type { Scope } from '../scope.js'
import type { Fact, FactIds } from './fact.js'

/** What a domain does when a fact is announced. */
// biome-ignore lint/suspicious/noExplicitAny: a list holds handlers of various facts
export type FactHandler<Ids extends FactIds = any> = (db: Scope, ids: Ids) => void | Promise<void>

/** That a domain listens to a fact; it stands in the domain's manifest. */
export interface Subscription {
  when: 'within'
  fact: Fact
  handler: FactHandler
}

/**
 * Listens inside the transaction that announces: what the handler does is part of it, and its failure undoes all of it.
 * Several domains do so in the order of the list of domains, which thereby is the order of their locks.
 */
export function within<Ids extends FactIds>(fact: Fact<Ids>, handler: FactHandler<Ids>): Subscription {
  return { when: 'within', fact: fact as unknown as Fact, handler }
}

/** Who listens to which fact, as the manifests say in the order of the list of domains. */
export class Subscribers {
  private readonly handlers = new Map<Fact, FactHandler[]>()

  constructor(subscriptions: readonly Subscription[] = []) {
    for (const { fact, handler } of subscriptions) {
      this.handlers.set(fact, [...(this.handlers.get(fact) ?? []), handler])
    }
  }

  /** What runs inside the transaction that announces the fact, in order. */
  within(fact: Fact): readonly FactHandler[] {
    return this.handlers.get(fact) ?? []
  }
}
