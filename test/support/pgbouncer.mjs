// Jest's global setup loads this without its transformer.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const NOBODY = 65534

/**
 * Starts a PgBouncer in transaction mode on a free port of 127.0.0.1, before every database of a server. Resolves with the
 * address of a database behind it, by its name, and with its end. So many connections it has to each database.
 */
export async function startPgBouncer(serverUrl, { poolSize = 12 } = {}) {
  const { hostname, port: serverPort, username, password } = new URL(serverUrl)
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), 'fairlead-pgbouncer-'))
  const file = join(dir, 'pgbouncer.ini')
  const login = `user=${username} password=${decodeURIComponent(password)}`
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    max_client_conn: 1000,
    default_pool_size: poolSize,
    server_idle_timeout: 5,
    // The least that PostgreSQL's driver needs: what it does not send is not to be let through either.
    ignore_startup_parameters: 'extra_float_digits',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(
    file,
    `[databases]\n* = host=${hostname} port=${serverPort} ${login}\n[pgbouncer]\n${lines.join('\n')}\n`,
  )
  chmodSync(dir, 0o755)
  // It refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const child = spawn('pgbouncer', ['-q', file], { stdio: ['ignore', 'ignore', 'pipe'], ...asNobody })
  const ended = once(child, 'exit')
  let said = ''
  child.stderr.on('data', (text) => {
    said = (said + text).slice(-2000)
  })
  for (const until = Date.now() + 30_000; ; await new Promise((go) => setTimeout(go, 50))) {
    if (child.exitCode !== null || Date.now() > until) throw new Error(`pgbouncer does not start: ${said}`)
    if (await listens(port)) break
  }
  return {
    urlOf(name) {
      const url = new URL(serverUrl)
      Object.assign(url, { hostname: '127.0.0.1', port: String(port), pathname: `/${name}` })
      return url.href
    },
    async stop() {
      child.kill('SIGINT')
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

function listens(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => resolve(false))
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
