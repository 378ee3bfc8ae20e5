import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { chown, lchown, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The account the database programs run as; empty means our own, since only root has to change it. */
export interface Runner {
  uid?: number
  gid?: number
}

/** The environment of the database programs: nothing of ours, so that no PG* or locale variable changes what they do. */
export const RUNNER_ENV = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' }

/** Tells whether this process is root, which PostgreSQL refuses to run as. */
export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Chooses the account for the database programs: that of the cluster, a non-root owner of the data folder, or nobody. */
export function chooseRunner(cluster: string, dataDir: string): Runner {
  if (!isRoot()) return {}
  const clusterOwner = ownerOf(cluster)
  if (clusterOwner !== undefined && clusterOwner.uid !== 0) return clusterOwner
  const folderOwner = ownerOf(dataDir)
  return folderOwner !== undefined && folderOwner.uid !== 0 && hasName(folderOwner.uid) ? folderOwner : nobody()
}

/** Runs a program to its end as the runner and returns its exit code (undefined: not startable) and all its output. */
export function run(
  runner: Runner,
  file: string,
  args: string[],
): Promise<{ code: number | undefined; output: string }> {
  return new Promise((resolve) => {
    // Detached: a Ctrl-C is for us to handle and must not break an initdb in the middle.
    const child = spawn(file, args, {
      ...runner,
      cwd: '/',
      env: RUNNER_ENV,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text))
    child.on('error', (error) => resolve({ code: undefined, output: `${output}${error.message}` }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** Tells whether the runner can enter a folder or execute a file, by really trying. */
export async function canReach(runner: Runner, path: string): Promise<boolean> {
  return (await run(runner, '/bin/sh', ['-c', 'test -x "$1"', 'sh', path])).code === 0
}

/** Gives paths to the runner, when that is another account than ours. */
export async function giveToRunner(runner: Runner, ...paths: string[]): Promise<void> {
  if (runner.uid === undefined || runner.gid === undefined) return
  for (const path of paths) await chown(path, runner.uid, runner.gid)
}

/** Gives a whole folder to the runner, when that is another account than ours. */
export async function giveTreeToRunner(runner: Runner, folder: string): Promise<void> {
  if (runner.uid === undefined || runner.gid === undefined) return
  for (const name of await readdir(folder, { recursive: true }))
    await lchown(join(folder, name), runner.uid, runner.gid)
  await chown(folder, runner.uid, runner.gid)
}

/** As root, gives paths to the owner of `example`, so that its owner can use the data folder without root later. */
export async function giveToOwnerOf(example: string, ...paths: string[]): Promise<void> {
  if (!isRoot()) return
  const { uid, gid } = statSync(example)
  if (uid !== 0) for (const path of paths) await chown(path, uid, gid)
}

function ownerOf(path: string): Required<Runner> | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && { uid: found.uid, gid: found.gid }
}

/** A folder mounted into a container often has an owner the container does not know, and initdb insists on a name. */
function hasName(uid: number): boolean {
  return spawnSync('/usr/bin/id', ['-un', String(uid)], { stdio: 'ignore' }).status === 0
}

function nobody(): Runner {
  const fallback = { uid: 65534, gid: 65534 }
  try {
    const [, uid, gid] = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m) ?? []
    return uid && gid ? { uid: Number(uid), gid: Number(gid) } : fallback
  } catch {
    return fallback
  }
}
