#!/usr/bin/env node
// The bin. It only sees to it that the right Node.js runs, before anything is loaded that an older one cannot read.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as modules from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const NEEDED_NODE = 24
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
// The commands that run until they are told to stop, and then end with 0.
const SERVICES = ['serve', 'worker']

if (Number(process.versions.node.split('.')[0]) >= NEEDED_NODE) {
  if (SERVICES.includes(process.argv[2] ?? '')) {
    endOnEarlySignals()
    freeCompilersAtOnce()
  }
  modules.enableCompileCache() // a good part of a short command is compiling what it loads
  const { runCli } = await import('./cli/index.js')
  await runCli(process.argv)
} else {
  process.exitCode = await runOnNewerNode()
}

/**
 * Has the main thread free what a compilation took. V8 leaves that to a thread beside, of which we give it one
 * (`--v8-pool-size=1`): while that still compiles, 20 to 30 MiB of native memory wait for it, and stay in pieces.
 */
function freeCompilersAtOnce(): void {
  setFlagsFromString('--no-maglev-destroy-on-background')
}

/** While the program loads, there is nothing yet that would have to be closed in order; scripts/start.mjs does the same. */
function endOnEarlySignals(): void {
  if (globalThis.fairleadEarlySignals) return
  const end = () => process.exit(0)
  for (const signal of SIGNALS) process.on(signal, end)
  globalThis.fairleadEarlySignals = {
    release() {
      for (const signal of SIGNALS) process.off(signal, end)
      return undefined
    },
  }
}

/** Runs the same command line on the Node.js that is installed as a dependency, and ends as that ends. */
function runOnNewerNode(): number | Promise<number> {
  const node = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))
  if (!existsSync(node)) {
    console.error(`fairlead needs Node.js ${NEEDED_NODE} or later, and this is ${process.version}. Run npm ci first.`)
    return 1
  }
  // In a process group of its own, so that a Ctrl-C reaches it once, through us, and not twice.
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit', detached: true })
  let told = false
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      told = true
      child.kill(signal)
    })
  }
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(error.message)
      resolve(1)
    })
    // A service that our signal killed was too young to have anything to close.
    const young = () => told && SERVICES.includes(process.argv[2] ?? '')
    child.on('exit', (code) => resolve(code ?? (young() ? 0 : 1)))
  })
}
