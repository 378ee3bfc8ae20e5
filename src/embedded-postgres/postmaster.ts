import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile, rename, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { answers, type Login } from './connection.js'
import { embeddedError } from './errors.js'
import type { Placement } from './placement.js'
import { isPostmasterOf } from './processes.js'
import { giveToOwnerOf, RUNNER_ENV } from './runner.js'

/** A postmaster that answers on 127.0.0.1. */
export interface Postmaster {
  pid: number
  port: number
}

interface PidFile {
  pid: number
  port: number
  status: string
}

// Generous: crash recovery after a heavy load reads up to a gigabyte of log.
const START_TIMEOUT_MS = 180_000
const FAST_STOP_TIMEOUT_MS = 60_000
const EMPTY_PID_FILE_MS = 1000
const LOG_LIMIT_BYTES = 10_000_000
const PAUSE_MS = 10

// Passing states of the machine, not of the cluster: a taken port, or a predecessor whose last processes are still going.
const PASSING_FAILURE = /could not bind|could not create any TCP|lock file .* already exists|shared memory block/

/** Finds the cluster's running postmaster, whoever started it; waits while it starts, recovers or stops. */
export async function findPostmaster(place: Placement, login: Login): Promise<Postmaster | undefined> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline) {
    const found = await readPidFile(place.cluster)
    if (found === undefined) return undefined
    if (!isPostmasterOf(found.pid, place.cluster)) {
      // PostgreSQL itself would refuse to start when another program of the same account was given the old pid. It finds
      // last processes of a dead postmaster by their shared memory, whose key needs no such file.
      await rm(pidFilePath(place.cluster), { force: true })
      return undefined
    }
    if (isUp(found) && (await answers(found.port, login))) return { pid: found.pid, port: found.port }
    await delay(PAUSE_MS)
  }
  throw await failure(place, 'the running server does not answer')
}

/** Starts the cluster and waits until it answers; on the given port, if that is still free. */
export async function startPostmaster(
  place: Placement,
  login: Login,
  settings: Record<string, string>,
  preferredPort = 0,
): Promise<Postmaster> {
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    const { child, port, logStart } = await launch(place, settings, preferredPort)
    if (await becomesReady(child, place, login, port, deadline)) {
      child.unref()
      return { pid: child.pid!, port }
    }
    const logged = (await readLog(place)).subarray(logStart).toString()
    if (!PASSING_FAILURE.test(logged) || Date.now() > deadline) throw await failure(place, 'the server does not start')
    await delay(20 * PAUSE_MS)
    const other = await findPostmaster(place, login)
    if (other !== undefined) return other
  }
}

/** The pid of the cluster's postmaster, if one runs. */
export async function runningPid(cluster: string): Promise<number | undefined> {
  const found = await readPidFile(cluster)
  return found !== undefined && isPostmasterOf(found.pid, cluster) ? found.pid : undefined
}

/** Stops the cluster's postmaster, if one runs, by a fast shutdown and returns when it is gone. */
export async function stopPostmaster(cluster: string, lastKnownPid?: number): Promise<void> {
  const pid = (await readPidFile(cluster))?.pid ?? lastKnownPid
  if (pid === undefined) return
  if (await signalAndWait(pid, cluster, 'SIGINT', FAST_STOP_TIMEOUT_MS)) return
  // An immediate shutdown loses nothing either, it only leaves the next start a recovery to do.
  if (await signalAndWait(pid, cluster, 'SIGQUIT', FAST_STOP_TIMEOUT_MS)) return
  throw embeddedError(`the server (pid ${pid}) does not stop`)
}

async function signalAndWait(pid: number, cluster: string, signal: NodeJS.Signals, waitMs: number): Promise<boolean> {
  const deadline = Date.now() + waitMs
  if (isPostmasterOf(pid, cluster)) sendSignal(pid, signal)
  while (isPostmasterOf(pid, cluster)) {
    if (Date.now() > deadline) return false
    await delay(PAUSE_MS)
  }
  return true
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function launch(place: Placement, settings: Record<string, string>, preferredPort: number) {
  const logStart = await prepareLog(place)
  const port = await freePort(preferredPort).catch(() => freePort(0))
  const parameters = Object.entries({ ...settings, port: String(port) }).flatMap(([key, value]) => [
    '-c',
    `${key}=${value}`,
  ])
  const log = openSync(place.logFile, 'a', 0o600)
  try {
    // Detached: a Ctrl-C reaches our whole process group, and the database must outlive our own orderly end.
    const child = spawn(join(place.native, 'bin', 'postgres'), ['-D', place.cluster, ...parameters], {
      ...place.runner,
      cwd: '/',
      env: RUNNER_ENV,
      detached: true,
      stdio: ['ignore', log, log],
    })
    await giveToOwnerOf(place.dataDir, place.logFile)
    return { child, port, logStart }
  } finally {
    closeSync(log)
  }
}

async function becomesReady(
  child: ChildProcess,
  place: Placement,
  login: Login,
  port: number,
  deadline: number,
): Promise<boolean> {
  let unstartable: Error | undefined
  child.on('error', (error) => {
    unstartable = error
  })
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
    await delay(PAUSE_MS)
    if (unstartable !== undefined) throw embeddedError('the server cannot be run', unstartable.message)
    const found = await readPidFile(place.cluster)
    if (found !== undefined && found.pid === child.pid && isUp(found) && (await answers(port, login))) return true
  }
  child.kill('SIGQUIT')
  return false
}

/** Asking earlier would only fill the server's log with refused connections. */
function isUp(found: PidFile): boolean {
  return found.status === 'ready' && found.port > 0
}

async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  const deadline = Date.now() + EMPTY_PID_FILE_MS
  for (;;) {
    const text = await readFile(pidFilePath(cluster), 'utf8').catch(() => undefined)
    if (text === undefined) return undefined
    const [pid, , , port, , , , status] = text.split('\n').map((line) => line.trim())
    // A starting postmaster creates the file first and fills it then; a killed machine may leave it empty for good.
    if (pid || Date.now() > deadline) return { pid: Number(pid || -1), port: Number(port ?? 0), status: status ?? '' }
    await delay(PAUSE_MS)
  }
}

function pidFilePath(cluster: string): string {
  return join(cluster, 'postmaster.pid')
}

function freePort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

/** Starts a new log when the old one has grown large; returns where this start's part begins. */
async function prepareLog(place: Placement): Promise<number> {
  const size = (await stat(place.logFile).catch(() => undefined))?.size ?? 0
  if (size < LOG_LIMIT_BYTES) return size
  await rename(place.logFile, `${place.logFile}.1`)
  return 0
}

async function readLog(place: Placement): Promise<Buffer> {
  return readFile(place.logFile).catch(() => Buffer.alloc(0))
}

async function failure(place: Placement, problem: string): Promise<Error> {
  const lines = (await readLog(place)).toString().trimEnd().split('\n').slice(-15)
  return embeddedError(`${problem} (${place.cluster}, log ${place.logFile})`, lines.join('\n'))
}
