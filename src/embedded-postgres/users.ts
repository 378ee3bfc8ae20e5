import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { processIdentity } from './processes.js'
import { giveToOwnerOf } from './runner.js'

/** Registers this process as a user of the cluster and returns the file that says so. */
export async function registerUser(dataDir: string): Promise<string> {
  const folder = usersFolder(dataDir)
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${process.pid}-${randomBytes(4).toString('hex')}`)
  await writeFile(file, processIdentity(process.pid) ?? '')
  await giveToOwnerOf(dataDir, folder, file)
  return file
}

/** Takes a user's registration back. */
export async function unregisterUser(file: string): Promise<void> {
  await rm(file, { force: true })
}

/** Tells whether any running process is registered, and forgets those that died without saying goodbye. */
export async function hasUsers(dataDir: string): Promise<boolean> {
  const folder = usersFolder(dataDir)
  const names = await readdir(folder).catch(() => [])
  const alive = await Promise.all(names.map((name) => isAliveOrForget(join(folder, name), Number.parseInt(name, 10))))
  return alive.includes(true)
}

async function isAliveOrForget(file: string, pid: number): Promise<boolean> {
  const identity = Number.isNaN(pid) ? undefined : processIdentity(pid)
  const registered = await readFile(file, 'utf8').catch(() => undefined)
  if (identity !== undefined && identity === registered) return true
  await unregisterUser(file)
  return false
}

function usersFolder(dataDir: string): string {
  return join(dataDir, 'users')
}
