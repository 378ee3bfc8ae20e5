import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, type Registry } from 'prom-client'
import { Derived } from './derived.js'

const RESOLUTION_MS = 20
const QUANTILES = [50, 99, 100]

/** Memory, CPU time and how late the event loop is; returns the end of that. */
export function measureProcess(registry: Registry): () => void {
  const registers = [registry]
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  new Gauge({
    name: 'nodejs_eventloop_lag_seconds',
    help: 'How late the event loop came to what was due, since the figures were last asked for.',
    labelNames: ['quantile'],
    registers,
    collect() {
      for (const quantile of QUANTILES) {
        const late = delays.count > 0 ? delays.percentile(quantile) / 1e9 - RESOLUTION_MS / 1000 : 0
        this.set({ quantile: String(quantile / 100) }, Math.max(late, 0))
      }
      delays.reset()
    },
  })
  const derived = new Derived(registry)
  derived.gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss())
  derived.gauge('nodejs_heap_size_used_bytes', 'Of that, what objects take up.', () => process.memoryUsage().heapUsed)
  derived.counter('process_cpu_seconds_total', 'CPU time of the process.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Unix time at which the process began.',
    registers,
  }).set(Math.round(Date.now() / 1000 - process.uptime()))
  return () => delays.disable()
}
