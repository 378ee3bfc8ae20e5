import type { Scope } from '../scope.js'
import type { Fact, FactIds } from './fact.js'

/** What a domain does when a fact is announced. */
// biome-ignore lint/suspicious/noExplicitAny: a list holds handlers of various facts
export type FactHandler<Ids extends FactIds = any> = (db: Scope, ids: Ids) => void | Promise<void>

/** That a domain listens to a fact; it stands in the domain's manifest. */
export interface Subscription {
  when: 'within' | 'after'
  fact: Fact
  handler: FactHandler
  /** Whether no transaction is open while the handler runs. */
  outside?: boolean
}

/** A subscription with the name of the domain that has it. */
export interface Subscriber extends Subscription {
  domain: string
}

/**
 * Listens inside the transaction that announces: what the handler does is part of it, and its failure undoes all of it.
 * Several domains do so in the order of the list of domains, which thereby is the order of their locks.
 */
export function within<Ids extends FactIds>(fact: Fact<Ids>, handler: FactHandler<NoInfer<Ids>>): Subscription {
  return { when: 'within', fact: fact as unknown as Fact, handler }
}

/**
 * Listens after the commit, in a worker: at least once, for each record in the order in which things happened to it. The
 * handler gets a transaction of its own, and what it does there it does exactly once; what it does outside of the
 * database may happen again. It fails by throwing, and is tried again later; until it succeeds, what the domain would
 * hear of the same record waits, and nothing else. It cannot count on finding a record as it was, or at all.
 */
export function after<Ids extends FactIds>(fact: Fact<Ids>, handler: FactHandler<NoInfer<Ids>>): Subscription {
  return { when: 'after', fact: fact as unknown as Fact, handler }
}

/**
 * Listens after the commit like `after`, for what is done outside of the database and may take up to a minute: the handler
 * gets no transaction, holds nothing but what it opens itself, and may be called again even though it succeeded.
 */
export function outside<Ids extends FactIds>(fact: Fact<Ids>, handler: FactHandler<NoInfer<Ids>>): Subscription {
  return { ...after(fact, handler), outside: true }
}

interface Told {
  handle: FactHandler
  outside: boolean
}

/** Who listens to which fact, as the manifests say in the order of the list of domains. */
export class Subscribers {
  private readonly inside = new Map<Fact, FactHandler[]>()
  private readonly later = new Map<Fact, string[]>()
  private readonly handlers = new Map<string, Told>()
  private readonly waiting = new Set<() => void>()

  /** Throws when two facts have one name, or a domain listens twice to the same one after the commit. */
  constructor(subscribers: readonly Subscriber[] = []) {
    const facts = new Map<string, Fact>()
    for (const { when, fact, handler, outside = false, domain } of subscribers) {
      if ((facts.get(fact.name) ?? fact) !== fact) throw new Error(`two facts have the name ${fact.name}`)
      facts.set(fact.name, fact)
      if (when === 'within') {
        this.inside.set(fact, [...this.within(fact), handler])
        continue
      }
      const name = `${domain} ${fact.name}`
      if (this.handlers.has(name)) throw new Error(`${domain} listens twice to ${fact.name}`)
      this.handlers.set(name, { handle: handler, outside })
      this.later.set(fact, [...this.after(fact), domain])
    }
  }

  /** What runs inside the transaction that announces the fact, in order. */
  within(fact: Fact): readonly FactHandler[] {
    return this.inside.get(fact) ?? []
  }

  /** The domains that hear of the fact after the commit. */
  after(fact: Fact): readonly string[] {
    return this.later.get(fact) ?? []
  }

  /** What a domain does when it hears of a fact after the commit. */
  handlerOf(domain: string, fact: string): Told | undefined {
    return this.handlers.get(`${domain} ${fact}`)
  }

  /** The domains and facts of which something may be told after the commit. */
  get told(): readonly { domain: string; fact: string }[] {
    return [...this.later].flatMap(([{ name }, domains]) => domains.map((domain) => ({ domain, fact: name })))
  }

  /** Calls when this process has stored a fact, so that a worker in it need not wait for its next look; returns the end. */
  onStored(wake: () => void): () => void {
    this.waiting.add(wake)
    return () => void this.waiting.delete(wake)
  }

  /** Says that a fact was stored, and its transaction committed. */
  stored(): void {
    for (const wake of this.waiting) wake()
  }
}
