import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { initAccount } from './accounts.js'
import { embeddedError } from './errors.js'
import { readOrMakePassword, scramVerifier } from './password.js'
import { isCluster, type Placement } from './placement.js'
import { giveToRunner, giveTreeToRunner, type Runner, run } from './runner.js'

// The builtin provider decides how text sorts and folds, the same everywhere. The system's locale only classifies
// characters in pg_trgm and the like; not every system has every name, so the next one is tried.
const SYSTEM_LOCALES = ['C.UTF-8', 'en_US.UTF-8', 'C']

/** What a new cluster is like. */
export interface ClusterOptions {
  /** The name of its superuser. */
  user: string
  durable: boolean
}

/** Makes the cluster if there is none; returns the superuser's password and whether the cluster is new. */
export async function ensureCluster(
  place: Placement,
  options: ClusterOptions,
): Promise<{ password: string; fresh: boolean }> {
  const fresh = !isCluster(place.cluster)
  const password = await readOrMakePassword(place.dataDir, fresh)
  if (fresh) await createCluster(place, password, options)
  return { password, fresh }
}

/** Works beside the final place and renames at the end, so that a process killed in the middle leaves no half cluster. */
async function createCluster(place: Placement, password: string, options: ClusterOptions): Promise<void> {
  await removeLeftovers(place)
  const staging = `${place.cluster}.init-${process.pid}`
  const passwordFile = `${staging}.password`
  const account = await initAccount(place.runner)
  try {
    // Whoever runs initdb may be able to read it, so it is not the password itself.
    await writeFile(passwordFile, scramVerifier(password), { mode: 0o600 })
    await giveToRunner(account, passwordFile)
    await initialise(place, account, staging, passwordFile, options)
    if (account !== place.runner) await giveTreeToRunner(place.runner, staging, account.uid!)
    await rename(staging, place.cluster)
  } finally {
    await rm(passwordFile, { force: true })
    await rm(staging, { recursive: true, force: true })
  }
}

async function initialise(
  place: Placement,
  account: Runner,
  staging: string,
  passwordFile: string,
  options: ClusterOptions,
): Promise<void> {
  for (const locale of SYSTEM_LOCALES) {
    const { code, output } = await runInitdb(place, account, staging, passwordFile, locale, options)
    if (code === 0) return
    await rm(staging, { recursive: true, force: true })
    const last = locale === SYSTEM_LOCALES.at(-1)
    if (last || !/locale/i.test(lastLine(output))) throw embeddedError(`cannot make ${place.cluster}`, output)
  }
}

async function runInitdb(
  place: Placement,
  account: Runner,
  staging: string,
  passwordFile: string,
  locale: string,
  { user, durable }: ClusterOptions,
) {
  await mkdir(staging)
  await chmod(staging, 0o700)
  await giveToRunner(account, staging)
  return run(account, join(place.native, 'bin', 'initdb'), [
    `--pgdata=${staging}`,
    `--username=${user}`,
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
