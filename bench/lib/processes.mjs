import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const TICK_MS = 10 // Linux counts CPU time in hundredths of a second

function all() {
  const found = new Map()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number)
      found.set(Number(pid), { parent: fields[1], own: fields[11] + fields[12], ended: fields[13] + fields[14] })
    } catch {} // it ended meanwhile
  }
  return found
}

function tree(root, processes) {
  const pids = [root]
  for (const pid of pids) for (const [child, { parent }] of processes) if (parent === pid) pids.push(child)
  return pids.filter((pid) => processes.has(pid))
}

/** Milliseconds of CPU that a process, its descendants and its ended children have used so far. */
export function cpuMs(root) {
  const processes = all()
  const running = tree(root, processes).reduce((sum, pid) => sum + processes.get(pid).own, 0)
  return (running + (processes.get(root)?.ended ?? 0)) * TICK_MS
}

/** Peak resident memory of a process and its descendants, in MiB. */
export function peakMiB(root) {
  return tree(root, all()).reduce((sum, pid) => {
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return sum + (peak ? peak[1] / 1024 : 0)
  }, 0)
}

/** Has the peak of a process count from now on. */
export function forgetPeak(pid) {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
