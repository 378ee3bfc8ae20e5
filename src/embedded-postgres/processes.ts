import { spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync, realpathSync } from 'node:fs'

/** A token that tells this process from a later one with the same pid, or undefined when no such process runs. */
export function processIdentity(pid: number): string | undefined {
  return process.platform === 'linux' ? linuxIdentity(pid) : psIdentity(pid)
}

/** Tells whether `pid` is a running postmaster of the cluster, and not some program that was given its old pid. */
export function isPostmasterOf(pid: number, cluster: string): boolean {
  if (processIdentity(pid) === undefined) return false
  if (process.platform !== 'linux') return ps(pid, 'comm=').includes('postgres')
  try {
    // A postmaster's working directory is always its cluster; of a removed one it says "(deleted)".
    return readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, '') === realPath(cluster)
  } catch {
    return /^postgres\s*$/.test(readProc(pid, 'comm') ?? '')
  }
}

function linuxIdentity(pid: number): string | undefined {
  const stat = readProc(pid, 'stat')
  if (stat === undefined) return undefined
  // The command name is in parentheses and may hold anything, so count the fields after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTicks] = [fields[0], fields[19]]
  // A zombie nobody reaps (an init-less container) still has its pid, but is dead.
  if (state === 'Z' || state === 'X') return undefined
  return `${bootId()}:${startTicks}`
}

function psIdentity(pid: number): string | undefined {
  const [state = '', ...started] = ps(pid, 'state=,lstart=').trim().split(/\s+/)
  return state === '' || state.startsWith('Z') ? undefined : started.join(' ')
}

function ps(pid: number, columns: string): string {
  return spawnSync('/bin/ps', ['-o', columns, '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

function readProc(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
