#!/usr/bin/env node
// Builds src to dist, and only when something changed since the last successful build.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const src = join(root, 'src')
const dist = join(root, 'dist')
const stampFile = join(dist, '.stamp')
const SETTINGS = ['tsconfig.json', 'package-lock.json', 'scripts/build.mjs']
const LOCK_PAUSE_MS = 50

/**
 * Brings dist up to date and tells whether it had to build; rejects when the sources have errors, leaving dist as it was.
 *
 * @param {{ force?: boolean, signal?: AbortSignal }} [options] `signal` ends a running compiler.
 * @returns {Promise<boolean>}
 */
export async function build({ force = false, signal } = {}) {
  if (!force && (await isUpToDate())) return false
  await mkdir(dist, { recursive: true })
  const unlock = await lock(signal)
  try {
    // Another process may have built while this one waited for it.
    if (!force && (await isUpToDate())) return false
    await rebuild(signal)
    return true
  } finally {
    unlock()
  }
}

async function isUpToDate() {
  const [stamp, wanted] = await Promise.all([readFile(stampFile, 'utf8').catch(() => ''), fingerprint()])
  return stamp === wanted
}

/** Contents rather than times: a checkout, a copy or a container layer changes times and nothing else. */
async function fingerprint() {
  const files = [...(await listFiles(src)).map((name) => join('src', name)), ...SETTINGS]
  const hash = createHash('sha256')
  const contents = await Promise.all(files.map((name) => readFile(join(root, name)).catch(() => '')))
  files.forEach((name, index) => {
    hash.update(`${name}\0${contents[index].length}\0`).update(contents[index])
  })
  return hash.digest('hex')
}

/** Compiles into an empty folder inside dist and moves the result into place, so outputs of deleted sources vanish. */
async function rebuild(signal) {
  const stamp = await fingerprint()
  const staging = join(dist, `.next-${process.pid}`)
  await removeLeftovers()
  try {
    await compile(staging, signal)
    await copyAssets(staging)
    await bundleReference(join(staging, 'http', 'docs', 'scalar.js.gz'))
    await chmod(join(staging, 'main.js'), 0o755).catch(() => undefined)
    await replaceOutputs(staging)
    await writeFile(stampFile, stamp)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

function compile(outDir, signal) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const options = [
    '-p',
    join('src', 'tsconfig.json'),
    '--outDir',
    outDir,
    '--tsBuildInfoFile',
    join(outDir, '.tsbuildinfo'),
  ]
  if (!existsSync(tsc)) {
    throw new Error(
      'There is nothing built from these sources, and no TypeScript to build them with: install with the development ' +
        'dependencies (`npm ci --include=dev`) and build, or take along a `dist` that was built elsewhere.',
    )
  }
  return new Promise((resolve, reject) => {
    // With Node 22.15 or later the wrapper replaces itself by the compiler, so the signal ends the compiler itself.
    const child = spawn(process.execPath, [tsc, ...options], { cwd: root, stdio: ['ignore', 2, 2], signal })
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error('The TypeScript build failed.'))))
  })
}

async function copyAssets(outDir) {
  for (const name of await listFiles(src)) {
    if (/\.tsx?$|^tsconfig.*\.json$|(^|[/\\])\./.test(name)) continue
    await mkdir(dirname(join(outDir, name)), { recursive: true })
    await copyFile(join(src, name), join(outDir, name))
  }
}

/** What shows the API reference in a browser, out of the one package of Scalar that ships it whole. */
async function bundleReference(file) {
  const { default: plugin } = await import('@scalar/fastify-api-reference')
  const routes = []
  const fastify = { route: (route) => routes.push(route), hasPlugin: () => false, initialConfig: {} }
  plugin(fastify, { routePrefix: '/docs', configuration: { content: {} } }, () => undefined)
  let script
  const reply = { header: () => reply, send: (text) => (script = text) }
  routes.find(({ url }) => url.endsWith('scalar.js')).handler({}, reply)
  await writeFile(file, gzipSync(script, { level: 9 }))
}

async function replaceOutputs(staging) {
  // From here on dist is a mixture until the new stamp is written; without one, the next build starts over.
  await rm(stampFile, { force: true })
  const old = await outputs(dist)
  const fresh = await outputs(staging)
  for (const name of old) if (!fresh.includes(name)) await rm(join(dist, name), { recursive: true, force: true })
  const retired = join(staging, '.retired')
  await mkdir(retired)
  for (const name of fresh) {
    if (old.includes(name)) await rename(join(dist, name), join(retired, name))
    await rename(join(staging, name), join(dist, name))
  }
}

async function outputs(folder) {
  return (await readdir(folder)).filter((name) => !name.startsWith('.'))
}

async function removeLeftovers() {
  for (const name of await readdir(dist)) {
    if (name.startsWith('.next-')) await rm(join(dist, name), { recursive: true, force: true })
  }
}

async function listFiles(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name))).sort()
}

/** A lock of the operating system, through SQLite: it goes away with its holder, so there is never a stale one. */
async function lock(signal) {
  const sqlite = await import('node:sqlite').catch(() => undefined)
  // Only a Node older than Fairlead supports has no SQLite; there, two builds at once are on their own.
  if (sqlite === undefined) return () => undefined
  const handle = new sqlite.DatabaseSync(join(dist, '.lock'), { timeout: 0 })
  for (;;) {
    try {
      handle.exec('pragma journal_mode = memory; begin exclusive')
      return () => handle.close()
    } catch (error) {
      if (!/locked/.test(error.message)) throw error
    }
    await delay(LOCK_PAUSE_MS, undefined, { signal })
  }
}

async function main() {
  try {
    await build({ force: process.argv.includes('--force') })
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
