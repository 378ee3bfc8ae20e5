import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { embeddedError } from './errors.js'
import { isCluster, type Placement } from './placement.js'
import { giveToOwnerOf, giveToRunner, run } from './runner.js'

// The builtin provider decides how text sorts and folds, the same everywhere. The system's locale only classifies
// characters in pg_trgm and the like; not every system has every name, so the next one is tried.
const SYSTEM_LOCALES = ['C.UTF-8', 'en_US.UTF-8', 'C']

/** Makes the cluster if there is none; returns the superuser's password and whether the cluster is new. */
export async function ensureCluster(place: Placement, durable: boolean): Promise<{ password: string; fresh: boolean }> {
  const fresh = !isCluster(place.cluster)
  const password = await readOrMakePassword(place, fresh)
  if (fresh) await createCluster(place, password, durable)
  return { password, fresh }
}

async function readOrMakePassword(place: Placement, fresh: boolean): Promise<string> {
  const file = join(place.dataDir, 'postgres.password')
  const known = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (known !== '') return known
  if (!fresh) throw embeddedError(`the password file ${file} of the database in ${place.cluster} is missing`)
  const password = randomBytes(24).toString('hex')
  const staging = `${file}.new-${process.pid}`
  await writeFile(staging, `${password}\n`, { mode: 0o600 })
  await giveToOwnerOf(place.dataDir, staging)
  await rename(staging, file)
  return password
}

/** Works beside the final place and renames at the end, so that a process killed in the middle leaves no half cluster. */
async function createCluster(place: Placement, password: string, durable: boolean): Promise<void> {
  await removeLeftovers(place)
  const staging = `${place.cluster}.init-${process.pid}`
  const passwordFile = `${staging}.password`
  try {
    await writeFile(passwordFile, password, { mode: 0o600 })
    await giveToRunner(place.runner, passwordFile)
    await initialise(place, staging, passwordFile, durable)
    await rename(staging, place.cluster)
  } finally {
    await rm(passwordFile, { force: true })
  }
}

async function initialise(place: Placement, staging: string, passwordFile: string, durable: boolean): Promise<void> {
  for (const locale of SYSTEM_LOCALES) {
    const { code, output } = await runInitdb(place, staging, passwordFile, locale, durable)
    if (code === 0) return
    await rm(staging, { recursive: true, force: true })
    const last = locale === SYSTEM_LOCALES.at(-1)
    if (last || !/locale/i.test(lastLine(output))) throw embeddedError(`cannot make ${place.cluster}`, output)
  }
}

async function runInitdb(place: Placement, staging: string, passwordFile: string, locale: string, durable: boolean) {
  await mkdir(staging)
  await chmod(staging, 0o700)
  await giveToRunner(place.runner, staging)
  return run(place.runner, join(place.native, 'bin', 'initdb'), [
    `--pgdata=${staging}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    `--locale=${locale}`,
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ])
}

/** Leftovers are of killed processes; an initdb that outlived its process may still write, which is no reason to fail. */
async function removeLeftovers(place: Placement): Promise<void> {
  const prefix = `${basename(place.cluster)}.init-`
  for (const name of await readdir(place.home)) {
    if (!name.startsWith(prefix)) continue
    await rm(join(place.home, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
  }
}

function lastLine(output: string): string {
  return output.match(/error: .*/g)?.at(-1) ?? output
}
