import { chmodSync, closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { embeddedError } from './errors.js'

const SQLITE_BUSY = 5
const PAUSE_MS = 20

/**
 * Runs `work` while no other process (or other caller in this one) holds the lock file.
 *
 * It is a lock of the operating system, reached through SQLite because Node has no flock: the kernel drops it when its
 * holder dies, however it dies, so there is no stale lock to detect and take over.
 */
export async function withLock<T>(file: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  closeToOthers(file)
  const handle = new DatabaseSync(file, { timeout: 0 })
  try {
    await lockHandle(handle, file, waitMs)
    return await work()
  } finally {
    handle.close()
  }
}

/**
 * Whoever can read the file could lock it too, and so hold us up. It is never opened and closed again here: that would
 * end a lock that this same process has on it.
 */
function closeToOthers(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  try {
    chmodSync(file, 0o600) // one of an earlier version
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error // it is another account's, and its to open
  }
}

async function lockHandle(handle: DatabaseSync, file: string, waitMs: number): Promise<void> {
  const deadline = Date.now() + waitMs
  while (!tryLock(handle)) {
    if (Date.now() > deadline) throw embeddedError(`another process has been holding ${file} for ${waitMs / 1000} s`)
    await delay(PAUSE_MS)
  }
}

function tryLock(handle: DatabaseSync): boolean {
  try {
    // The journal in memory: a file beside the lock would be left behind by a killed process.
    handle.exec('pragma journal_mode = memory; begin exclusive')
    return true
  } catch (error) {
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY) return false
    throw error
  }
}
