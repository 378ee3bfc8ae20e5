import { createHash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { access, chmod, lstat, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Binaries, copyBinaries, findBinaries } from './binaries.js'
import { embeddedError } from './errors.js'
import { stopPostmaster } from './postmaster.js'
import { canReach, chooseRunner, giveToOwnerOf, giveTreeToRunner, isRoot, type Runner } from './runner.js'

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

/** Makes the data folder if needed and returns its real path. */
export async function prepareDataDir(path: string): Promise<string> {
  await mkdir(path, { recursive: true })
  const dataDir = await realpath(resolve(path))
  const { uid, mode } = await stat(dataDir)
  await access(dataDir, constants.W_OK).catch(() => {
    throw embeddedError(`the data folder ${dataDir} belongs to another account (uid ${uid}) and is not writable`)
  })
  // Another account will own the cluster in it. Passing through gives nothing away: what is inside is closed by itself.
  if (isRoot() && uid === 0 && (mode & 0o011) !== 0o011) await chmod(dataDir, (mode & 0o7777) | 0o011)
  return dataDir
}

/** Decides where the cluster and the binaries of a data folder are; a decision once made is kept. */
export async function choosePlacement(dataDir: string, log: (message: string) => void): Promise<Placement> {
  const binaries = await findBinaries()
  const home = await chooseHome(dataDir, log)
  const cluster = join(home, 'postgres')
  const runner = chooseRunner(cluster, dataDir)
  await adoptCluster(cluster, runner)
  const native = await reachableBinaries(binaries, home, runner)
  return { dataDir, home, cluster, native, runner, logFile: join(dataDir, 'postgres.log') }
}

/** Tells whether a complete cluster is there. */
export function isCluster(cluster: string): boolean {
  return existsSync(join(cluster, 'PG_VERSION'))
}

async function chooseHome(dataDir: string, log: (message: string) => void): Promise<string> {
  const locationFile = join(dataDir, 'location')
  const recorded = (await readFile(locationFile, 'utf8').catch(() => '')).trim()
  if (recorded !== '' && isCluster(join(recorded, 'postgres')) && (await isOwnFolder(recorded))) return recorded
  if (isCluster(join(dataDir, 'postgres'))) return dataDir
  if (recorded !== '') log(`The database of ${dataDir} is no longer in ${recorded}; starting with an empty one.`)
  const runner = chooseRunner(join(dataDir, 'postgres'), dataDir)
  if (!isRoot() || (await canReach(runner, dataDir))) return dataDir
  const home = await fallbackHome(dataDir, runner)
  await writeFile(locationFile, `${home}\n`)
  await giveToOwnerOf(dataDir, locationFile)
  log(`${dataDir} is closed to other accounts and PostgreSQL does not run as root: its files are in ${home}.`)
  return home
}

async function fallbackHome(dataDir: string, runner: Runner): Promise<string> {
  const name = `fairlead-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`
  for (const parent of ['/var/lib', tmpdir()]) {
    const home = join(parent, name)
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

async function adoptCluster(cluster: string, runner: Runner): Promise<void> {
  if (!isRoot() || !isCluster(cluster)) return
  const { uid } = await stat(cluster)
  // Copied or restored by root: PostgreSQL insists that the cluster is its account's own and closed to others.
  if (uid === 0) {
    await giveTreeToRunner(runner, cluster)
    await chmod(cluster, 0o700)
  }
  if (await canReach(runner, cluster)) return
  throw embeddedError(
    `the account of the database (uid ${runner.uid}) can no longer reach ${cluster}: run "chmod o+x" on the folders above it`,
  )
}

async function reachableBinaries(binaries: Binaries, home: string, runner: Runner): Promise<string> {
  const reachable = !isRoot() || (await canReach(runner, join(binaries.native, 'bin', 'postgres')))
  return reachable ? binaries.native : copyBinaries(binaries, home)
}
