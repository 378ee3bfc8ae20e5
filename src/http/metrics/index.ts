import { Counter, Histogram, Registry } from 'prom-client'
import type { Database } from '../../database/index.js'
import type { RequestCounter } from '../../integrations/rate-limits/index.js'
import type { Queue } from '../../kit/queue.js'
import { Derived } from './derived.js'
import { measureProcess } from './process.js'
import { measureQueues } from './queues.js'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const LOOK_MS = 3000

/** What is measured. */
export interface Measured {
  database: Database
  counter: RequestCounter
  queues: readonly Queue[]
}

/** The figures of a process, for Prometheus. No label is anything that callers choose, or an id. */
export class Metrics {
  readonly registry = new Registry()
  private readonly requests: Histogram<'operation' | 'status'>
  private readonly limits: Counter<'outcome'>
  private readonly repeats: Counter<'outcome'>
  private readonly ends: (() => void | Promise<void>)[] = []

  constructor({ database, counter, queues }: Measured) {
    const registers = [this.registry]
    this.requests = new Histogram({
      name: 'fairlead_request_duration_seconds',
      help: 'Requests by what they did: the operation, or the first field at /graphql; "none" where it never came to that.',
      labelNames: ['operation', 'status'],
      buckets: SECONDS,
      registers,
    })
    this.limits = new Counter({
      name: 'fairlead_rate_limited_total',
      help: 'Requests of known callers by whether their allowance let them pass.',
      labelNames: ['outcome'],
      registers,
    })
    this.repeats = new Counter({
      name: 'fairlead_idempotent_calls_total',
      help: 'Calls with an Idempotency-Key by what became of them.',
      labelNames: ['outcome'],
      registers,
    })
    this.measureCounter(counter)
    this.measureDatabase(database)
    this.ends.push(measureProcess(this.registry))
    const aside = database.openAside({
      ...{ name: 'figures', max: 1, answerMs: LOOK_MS },
      options: [`-c statement_timeout=${LOOK_MS}`],
    })
    this.ends.push(() => aside.end())
    measureQueues(this.registry, queues, (statement) => aside.query(statement))
  }

  /** Notes how a request ended. */
  answered(operation: string, status: number, seconds: number): void {
    this.requests.observe({ operation, status }, seconds)
  }

  /** Notes whether a request of a known caller could pass. */
  limited(outcome: 'passed' | 'refused'): void {
    this.limits.inc({ outcome })
  }

  /** Notes what became of a call with an Idempotency-Key. */
  repeated(outcome: string): void {
    this.repeats.inc({ outcome })
  }

  async stop(): Promise<void> {
    await Promise.all(this.ends.splice(0).map((end) => end()))
  }

  private measureCounter(counter: RequestCounter): void {
    const derived = new Derived(this.registry)
    const report = () => counter.report ?? { shared: 0, alone: 0, failures: 0, isDown: false }
    derived.gauge(
      'fairlead_rate_limit_store_up',
      'Whether requests are counted where they are meant to be: 0 while the shared store is away.',
      () => (report().isDown ? 0 : 1),
    )
    derived.counter(
      'fairlead_rate_limit_shared_total',
      'Requests that the shared store counted.',
      () => report().shared,
    )
    derived.counter('fairlead_rate_limit_alone_total', 'Requests counted by the process alone.', () => report().alone)
    derived.counter(
      'fairlead_rate_limit_failures_total',
      'How often the shared store was given up.',
      () => report().failures,
    )
  }

  private measureDatabase({ figures, requests, reads }: Database): void {
    const derived = new Derived(this.registry)
    derived.counter('fairlead_sql_statements_total', 'Statements that were sent.', () => figures.statements)
    const waits = new Histogram({
      name: 'fairlead_pool_wait_seconds',
      help: 'How long those waited for a connection that did not get one at once.',
      buckets: SECONDS,
      registers: [this.registry],
    })
    figures.waited = (seconds) => waits.observe(seconds)
    const work = new Histogram({
      name: 'fairlead_work_duration_seconds',
      help: 'Background work that this process did, by what it was and whether it failed.',
      labelNames: ['work', 'outcome'],
      buckets: SECONDS,
      registers: [this.registry],
    })
    figures.worked = (name, seconds, failed) =>
      work.observe({ work: name, outcome: failed ? 'failed' : 'done' }, seconds)
    derived.gauge('fairlead_pool_connections_in_use', 'Connections that requests hold.', () => requests.inUse)
    const { max } = requests.pool.options
    derived.gauge('fairlead_pool_connections_most', 'Connections that there may be for requests.', () => max)
    derived.gauge('fairlead_pool_waiting', 'Requests that wait for a connection.', () => requests.waiting)
    const line = 'Reads that wait because their account asks for many while others are at work.'
    derived.gauge('fairlead_reads_waiting', line, () => reads.waiting)
    derived.gauge('fairlead_database_silent', 'Whether the database has stopped answering.', () =>
      Number(requests.isSilent),
    )
  }
}

export { metricsRoutes, serveMetrics } from './routes.js'
