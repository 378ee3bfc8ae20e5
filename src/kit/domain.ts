import type { EntityClass } from '@mikro-orm/postgresql'
import type { Subscriber, Subscription, Tally } from '../database/index.js'
import type { Action } from './action.js'
import type { MakeDemo } from './demo.js'
import type { OneOffJob, RecurringJob } from './job.js'
import type { Allowed, Permission, Permissions } from './permissions.js'
import type { Queue } from './queue.js'

// biome-ignore lint/complexity/noBannedTypes: the type that type-graphql takes
type ResolverClass = Function

/** What a domain consists of, as its manifest says; `Made` is what it gives the demo account. */
export interface Domain<Made = unknown> {
  /** The name of its folder. */
  name: string
  /** The domains that it may import, refer to in relations and read the tables of, and through them those that they use. */
  uses: readonly Domain[]
  entities: readonly EntityClass<unknown>[]
  resolvers: readonly ResolverClass[]
  tallies: readonly Tally[]
  permissions: Permissions
  jobs: readonly RecurringJob[]
  /** Those that a transaction asks for. */
  // biome-ignore lint/suspicious/noExplicitAny: a list holds jobs of various ids
  oneOffJobs: readonly OneOffJob<any>[]
  /** What waits in its tables, for the figures. */
  queues: readonly Queue[]
  /** What it fills the slots of domains below with. */
  actions: readonly Action[]
  /**
   * Of its tables that lead to contacts, the columns whose texts stay when a contact is deleted, each with the reason why it
   * tells nothing of the person. Everything else must go, which a test finds out.
   */
  notPersonal: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** What it does when a domain below announces something. */
  on: readonly Subscription[]
  /** Its part of the demo account, loaded when that is made. */
  demo?: () => Promise<{ makeDemo: MakeDemo<Made> }>
}

/** Defines a domain; what is left out is empty. */
export function defineDomain<Made = unknown>({
  name,
  ...parts
}: Pick<Domain, 'name'> & Partial<Domain<Made>>): Domain<Made> {
  const nothing = {
    uses: [],
    entities: [],
    resolvers: [],
    tallies: [],
    permissions: {},
    jobs: [],
    oneOffJobs: [],
    queues: [],
    actions: [],
    notPersonal: {},
    on: [],
  }
  return { name, ...nothing, ...parts }
}

/** What the domains add up to, in their order. */
export type Assembly = Omit<Domain, 'name' | 'uses' | 'demo' | 'notPersonal' | 'on'> & {
  domains: readonly Domain[]
  on: readonly Subscriber[]
}

/**
 * Adds domains up. Throws when one uses a domain that does not stand before it, or when two have the same name, or
 * declare the same entity, tally, permission, job or action.
 */
export function assemble(domains: readonly Domain[]): Assembly {
  for (const [place, { name, uses }] of domains.entries()) {
    const late = uses.find((used) => !domains.slice(0, place).includes(used))
    if (late) throw new Error(`the domain ${name} uses ${late.name}, which does not stand before it`)
  }
  const permissions = domains.flatMap((domain) => Object.entries(domain.permissions) as [Permission, Allowed][])
  const assembly: Assembly = {
    domains,
    entities: domains.flatMap(({ entities }) => entities),
    resolvers: domains.flatMap(({ resolvers }) => resolvers),
    tallies: domains.flatMap(({ tallies }) => tallies),
    permissions: Object.fromEntries(permissions),
    jobs: domains.flatMap(({ jobs }) => jobs),
    oneOffJobs: domains.flatMap(({ oneOffJobs }) => oneOffJobs),
    queues: domains.flatMap(({ queues }) => queues),
    actions: domains.flatMap(({ actions }) => actions),
    on: domains.flatMap(({ name, on }) => on.map((subscription) => ({ ...subscription, domain: name }))),
  }
  refuseTwins('name', domains)
  refuseTwins('entity', assembly.entities)
  refuseTwins('tally', assembly.tallies)
  refuseTwins(
    'permission',
    permissions.map(([name]) => ({ name })),
  )
  refuseTwins('job', [...assembly.jobs, ...assembly.oneOffJobs])
  refuseTwins('action', assembly.actions)
  return assembly
}

function refuseTwins(what: string, declared: readonly { name: string }[]): void {
  const names = declared.map(({ name }) => name)
  const twin = names.find((name, i) => names.indexOf(name) < i)
  if (twin) throw new Error(`two domains have the ${what} ${twin}`)
}
