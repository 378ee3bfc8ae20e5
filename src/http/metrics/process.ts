import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from 'prom-client'

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
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of the process.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  new Gauge({
    name: 'nodejs_heap_size_used_bytes',
    help: 'Of that, what objects take up.',
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed)
    },
  })
  let seconds = 0
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the process.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      const now = (user + system) / 1e6
      this.inc(now - seconds)
      seconds = now
    },
  })
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Unix time at which the process began.',
    registers,
  }).set(Math.round(Date.now() / 1000 - process.uptime()))
  return () => delays.disable()
}
