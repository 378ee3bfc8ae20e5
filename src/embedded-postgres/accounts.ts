import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { isRoot, type Runner } from './runner.js'

// Numbers that systemd's table of uids calls unused, and that a container with 65,536 of them has too.
const FIRST_OWN = 60_578
const LAST_OWN = 61_183
// The accounts of the system itself, which no person logs in with.
const LAST_SYSTEM = 999

/**
 * Chooses the account for the database programs when we are root: the owner of the cluster, else a non-root owner of the
 * data folder, else one that nothing else uses. Never `nobody`, which other programs run as: they could read it all.
 */
export function chooseRunner(cluster: string, dataDir: string): Runner {
  if (!isRoot()) return {}
  const clusterOwner = ownerOf(cluster)
  if (clusterOwner !== undefined && clusterOwner.uid !== 0 && !isShared(clusterOwner.uid)) return clusterOwner
  const folderOwner = ownerOf(dataDir)
  const usable = folderOwner !== undefined && folderOwner.uid !== 0 && !isShared(folderOwner.uid)
  return usable && hasName(folderOwner.uid) ? folderOwner : ownAccount(dataDir)
}

/** Whether an account is one that unrelated programs run as. */
export function isShared(uid: number): boolean {
  return uid === nobody().uid
}

/**
 * The account for initdb, which insists on one with a name; the server does not, and neither need the runner have one.
 * Then it is a system account that runs nothing, so that nobody can look at the cluster before it is the runner's.
 */
export function initAccount(runner: Runner): Runner {
  if (runner.uid === undefined || hasName(runner.uid)) return runner
  const busy = runningUids()
  const idle = namedAccounts().find(({ uid }) => uid > 0 && uid <= LAST_SYSTEM && !isShared(uid) && !busy.has(uid))
  return idle ?? nobody()
}

/** The same for a data folder each time, as long as nothing else takes it. */
function ownAccount(dataDir: string): Runner {
  const count = LAST_OWN - FIRST_OWN + 1
  const first = createHash('sha256').update(dataDir).digest().readUInt32BE() % count
  const busy = runningUids()
  for (let i = 0; i < count; i++) {
    const uid = FIRST_OWN + ((first + i) % count)
    if (!busy.has(uid) && !hasName(uid)) return { uid, gid: uid }
  }
  return nobody()
}

/** A folder mounted into a container often has an owner that the container does not know. */
function hasName(uid: number): boolean {
  return spawnSync('/usr/bin/id', ['-un', String(uid)], { stdio: 'ignore' }).status === 0
}

function runningUids(): Set<number> {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('/bin/ps', ['-axo', 'uid='], { encoding: 'utf8' })
    return new Set((stdout ?? '').split('\n').filter(Boolean).map(Number))
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return new Set(pids.flatMap((pid) => ownerOf(`/proc/${pid}`)?.uid ?? []))
}

function namedAccounts(): (Required<Runner> & { name: string })[] {
  let text = ''
  try {
    text = readFileSync('/etc/passwd', 'utf8')
  } catch {}
  return [...text.matchAll(/^([^:\n]+):[^:\n]*:(\d+):(\d+):/gm)].map(([, name, uid, gid]) => {
    return { name: name!, uid: Number(uid), gid: Number(gid) }
  })
}

function nobody(): Required<Runner> {
  const { uid, gid } = namedAccounts().find(({ name }) => name === 'nobody') ?? { uid: 65_534, gid: 65_534 }
  return { uid, gid }
}

function ownerOf(path: string): Required<Runner> | undefined {
  try {
    const { uid, gid } = statSync(path)
    return { uid, gid }
  } catch {
    return undefined
  }
}
