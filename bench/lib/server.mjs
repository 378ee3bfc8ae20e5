import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { environment, main } from './accounts.mjs'

const freePort = async () => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  return port
}

/** The built server as a process of its own; `descriptors` is how many files it may have open, `quiet` where faults are meant. */
export async function startServer(url, { descriptors, preload, quiet } = {}) {
  const port = await freePort()
  const args = [...(preload ? ['--import', preload] : []), main, 'serve', '--no-worker', '--port', String(port)]
  const limit = descriptors ? `ulimit -n ${descriptors}; ` : ''
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', process.execPath, ...args], {
    env: environment(url),
    stdio: ['ignore', 'ignore', quiet ? 'ignore' : 'inherit', ...(preload ? ['ipc'] : [])],
  })
  const origin = `http://127.0.0.1:${port}`
  for (const until = Date.now() + 60_000; ; await pause(100)) {
    if (child.exitCode !== null || Date.now() > until) throw new Error('the server does not start')
    if ((await fetch(`${origin}/readyz`).catch(() => undefined))?.ok) break
  }
  const ended = once(child, 'exit')
  return {
    ...{ child, port, origin, api: `${origin}/external/v1`, ended },
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Stands before PostgreSQL; `silence` lets nothing through any more and says nothing, until `restore`. */
export async function startProxy(target) {
  let silent = false
  const sockets = new Set()
  const server = createServer((inner) => {
    const outer = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ]) {
      sockets.add(from)
      from.on('data', (chunk) => void (silent || to.write(chunk)))
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: server.address().port,
    silence: () => (silent = true),
    restore: () => (silent = false),
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
