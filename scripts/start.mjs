#!/usr/bin/env node
// What `npm start` runs: makes sure of Node 24, builds if needed, and becomes `fairlead serve`, with demo
// data in an embedded database that is still empty.
// Plain JavaScript for Node 18 and later, since the first thing it may have to do is to change to a newer one.
//
// Signals: from the first moment SIGTERM and SIGINT end this process with exit code 0, since nothing has to be drained
// yet. dist/main.js takes over with `globalThis.fairleadEarlySignals?.release()`, called after it has installed its own
// handlers and before it starts anything; `release()` removes the early handlers and returns the signal that has already
// been received, or undefined.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const early = installEarlySignals()
globalThis.fairleadEarlySignals = early

const NEEDED_NODE = 24
const root = dirname(dirname(fileURLToPath(import.meta.url)))

if (Number.parseInt(process.versions.node, 10) < NEEDED_NODE) runWithNewerNode()
else await start()

async function start() {
  const { build } = await import('./build.mjs')
  try {
    await build({ signal: early.aborted })
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
  const main = join(root, 'dist', 'main.js')
  // A database that somebody else provides gets no account with an all-powerful key that nobody asked for.
  const demo = process.env.DATABASE_URL?.trim() ? [] : ['--with-demo']
  process.argv = [process.execPath, main, 'serve', ...demo, ...process.argv.slice(2)]
  await import('../dist/main.js')
}

function installEarlySignals() {
  const controller = new AbortController()
  let received
  const onSignal = (signal) => {
    received = received || signal
    // Ends a running compiler before we go.
    controller.abort()
    process.exit(0)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return {
    aborted: controller.signal,
    release() {
      process.off('SIGTERM', onSignal)
      process.off('SIGINT', onSignal)
      return received
    },
  }
}

function runWithNewerNode() {
  const node = join(root, 'node_modules', 'node', 'bin', 'node')
  if (process.env.FAIRLEAD_NEWER_NODE || !existsSync(node)) {
    process.stderr.write(
      `Fairlead needs Node ${NEEDED_NODE}, this is ${process.version}. "npm install" brings its own unless install scripts ` +
        `are switched off: allow them for the package "node", or install Node ${NEEDED_NODE}.\n`,
    )
    process.exit(1)
  }
  // In a session of its own, so that a Ctrl-C reaches it once, through us, and not twice.
  const child = spawn(node, [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    detached: true,
    stdio: 'inherit',
    env: Object.assign({}, process.env, { FAIRLEAD_NEWER_NODE: '1' }),
  })
  passOn(child)
}

function passOn(child) {
  let forwarded = false
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => {
      forwarded = true
      child.kill(signal)
    })
  }
  early.release()
  child.on('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
  // A child that a forwarded signal killed had no handler yet: it was too young to have anything to drain.
  child.on('exit', (code) => process.exit(code === null ? (forwarded ? 0 : 1) : code))
}
