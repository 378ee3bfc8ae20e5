import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, lstat, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { chooseRunner, isShared } from './accounts.js'
import { type Binaries, copyBinaries, findBinaries } from './binaries.js'
import { requireSpace } from './data-folder.js'
import { embeddedError } from './errors.js'
import { runningPid, stopPostmaster } from './postmaster.js'
import { canReach, giveToOwnerOf, giveTreeToRunner, isRoot, type Runner } from './runner.js'

/** Where everything of one embedded database is, and which account runs it. */
export interface Placement {
  dataDir: string
  /** The folder that holds the cluster: the data folder, unless the runner cannot get there. */
  home: string
  cluster: string
  native: string
  logFile: string
  runner: Runner
}

/**
 * Decides where the cluster and the binaries of a data folder are; a decision once made is kept. `name` is the
 * application's, for a folder outside of the data folder.
 */
export async function choosePlacement(
  dataDir: string,
  name: string,
  log: (message: string) => void,
): Promise<Placement> {
  const binaries = await findBinaries()
  const home = await chooseHome(dataDir, name, log)
  const cluster = join(home, 'postgres')
  const runner = chooseRunner(cluster, dataDir)
  if ((await runningPid(cluster)) === undefined) {
    await requireSpace(home, !isCluster(cluster))
    await adoptCluster(cluster, runner)
  }
  await requireReach(cluster, runner)
  const native = await reachableBinaries(binaries, home, runner)
  return { dataDir, home, cluster, native, runner, logFile: join(dataDir, 'postgres.log') }
}

/** Tells whether a complete cluster is there. */
export function isCluster(cluster: string): boolean {
  return existsSync(join(cluster, 'PG_VERSION'))
}

async function chooseHome(dataDir: string, name: string, log: (message: string) => void): Promise<string> {
  const locationFile = join(dataDir, 'location')
  const recorded = (await readFile(locationFile, 'utf8').catch(() => '')).trim()
  if (recorded !== '' && isCluster(join(recorded, 'postgres')) && (await isOwnFolder(recorded))) return recorded
  if (isCluster(join(dataDir, 'postgres'))) return dataDir
  if (recorded !== '') log(`The database of ${dataDir} is no longer in ${recorded}; starting with an empty one.`)
  const runner = chooseRunner(join(dataDir, 'postgres'), dataDir)
  if (!isRoot() || (await canReach(runner, dataDir))) return dataDir
  const home = await fallbackHome(dataDir, name, runner)
  await writeFile(locationFile, `${home}\n`)
  await giveToOwnerOf(dataDir, locationFile)
  log(`${dataDir} is closed to other accounts and PostgreSQL does not run as root: its files are in ${home}.`)
  return home
}

async function fallbackHome(dataDir: string, name: string, runner: Runner): Promise<string> {
  const folder = `${name}-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`
  for (const parent of ['/var/lib', tmpdir()]) {
    const home = join(parent, folder)
    if (!(await isOwnFolder(home)) || !(await canReach(runner, home))) continue
    await setAsideOrphan(home)
    return home
  }
  throw embeddedError(
    `${dataDir} cannot be reached by the account with uid ${runner.uid}, and no other place was found`,
  )
}

/** The name can be guessed, and a folder somebody else prepared in a shared place must not be trusted. */
async function isOwnFolder(home: string): Promise<boolean> {
  try {
    await mkdir(home, { recursive: true })
    const found = await lstat(home)
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return false
    await chmod(home, 0o755)
    return true
  } catch {
    return false
  }
}

/** A cluster that no data folder points to belonged to one that was deleted; the latest is kept, just in case. */
async function setAsideOrphan(home: string): Promise<void> {
  const cluster = join(home, 'postgres')
  if (!existsSync(cluster)) return
  await stopPostmaster(cluster)
  await rm(`${cluster}.old`, { recursive: true, force: true })
  await rename(cluster, `${cluster}.old`)
}

/**
 * Makes the cluster the runner's where it is root's, copied or restored by it, or that of an account that others share. Not
 * under a running server, whose account's it is.
 */
async function adoptCluster(cluster: string, runner: Runner): Promise<void> {
  if (!isRoot() || !isCluster(cluster)) return
  const { uid } = await stat(cluster)
  if ((uid !== 0 && !isShared(uid)) || runner.uid === uid) return
  await giveTreeToRunner(runner, cluster, uid)
  await chmod(cluster, 0o700)
}

async function requireReach(cluster: string, runner: Runner): Promise<void> {
  if (!isRoot() || !isCluster(cluster) || (await canReach(runner, dirname(cluster)))) return
  throw embeddedError(
    `the account of the database (uid ${runner.uid}) can no longer reach ${cluster}: run "chmod o+x" on the folders above it`,
  )
}

async function reachableBinaries(binaries: Binaries, home: string, runner: Runner): Promise<string> {
  const reachable = !isRoot() || (await canReach(runner, join(binaries.native, 'bin', 'postgres')))
  return reachable ? binaries.native : copyBinaries(binaries, home)
}
