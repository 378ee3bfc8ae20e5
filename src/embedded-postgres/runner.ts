import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { chown, lchown, lstat, readdir } from 'node:fs/promises'
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

/** Gives a folder with all that belongs to its former account to the runner, when that is another account than ours. */
export async function giveTreeToRunner(runner: Runner, folder: string, former: number): Promise<void> {
  const { uid, gid } = runner
  if (uid === undefined || gid === undefined) return
  const give = async (path: string) => {
    // A file of somebody else in it is a link that was put there to have us give it away.
    if ((await lstat(path)).uid === former) await lchown(path, uid, gid)
  }
  for (const name of await readdir(folder, { recursive: true })) await give(join(folder, name))
  await give(folder)
}

/** As root, gives paths to the owner of `example`, so that its owner can use the data folder without root later. */
export async function giveToOwnerOf(example: string, ...paths: string[]): Promise<void> {
  if (!isRoot()) return
  const { uid, gid } = statSync(example)
  if (uid !== 0) for (const path of paths) await chown(path, uid, gid)
}
