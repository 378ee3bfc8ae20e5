#!/usr/bin/env node
// The bin. It only sees to it that the right Node.js runs, before anything is loaded that an older one cannot read.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const NEEDED_NODE = 24

if (Number(process.versions.node.split('.')[0]) >= NEEDED_NODE) {
  const { runCli } = await import('./cli/index.js')
  await runCli(process.argv)
} else {
  process.exitCode = runOnNewerNode()
}

/** Runs the same command line on the Node.js that is installed as a dependency. */
function runOnNewerNode(): number {
  const node = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))
  if (!existsSync(node)) {
    console.error(`fairlead needs Node.js ${NEEDED_NODE} or later, and this is ${process.version}. Run npm ci first.`)
    return 1
  }
  // The terminal's signals reach the child by itself, in the same process group; it decides when this one ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  const { status } = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' })
  return status ?? 1
}
