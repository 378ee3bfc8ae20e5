import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch, MAIN, type Running, run, start } from '../system/cli/run.js'
import { createDatabase } from './cluster.js'
import { freePort } from './programs.js'
import { startRedis } from './redis.js'

const NGINX = new URL('../../docs/container/nginx.conf', import.meta.url)
const READY_MS = 60_000

/** One of the gateways. */
export interface Gateway {
  origin: string
  running: Running
}

/** What docs/container starts as containers, as processes of this machine: gateways and a worker behind nginx. */
export interface Topology {
  /** Through nginx. */
  origin: string
  gateways: Gateway[]
  /** Runs `fairlead …` against the same database, and returns what it told as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each command tells something else
  command(...args: string[]): Promise<any>
  /** Ends a gateway by SIGTERM and starts it again at its port, perhaps as another version; returns its exit code. */
  restart(gateway: Gateway, main?: string): Promise<number | null>
  /** Runs another version's `fairlead migrate`, and returns what it applied. */
  migrate(main: string): Promise<string[]>
  stop(): Promise<void>
}

/** Starts all of it. */
export async function startTopology(count: number): Promise<Topology> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-topology-'))
  const database = await createDatabase()
  const redis = await startRedis()
  const settings = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    CLUSTER: 'true',
    TRUST_PROXY: '1',
    ENCRYPTION_KEY: 'b'.repeat(64),
    DATA_DIR: folder,
  }
  const startGateway = async (port: number, main = MAIN): Promise<Gateway> => {
    const options = ['--no-worker', '--no-migrate', '--port', String(port)]
    const running = launch(process.execPath, [main, 'serve', ...options], settings)
    await running.prints(/Fairlead is ready/)
    return { origin: `http://127.0.0.1:${port}`, running }
  }
  const ports = []
  for (let n = 0; n < count; n++) ports.push(await freePort())
  const gateways = await Promise.all(ports.map((port) => startGateway(port)))
  const worker = start(['worker'], settings)
  const nginx = await startNginx(folder, ports)
  return {
    origin: nginx.origin,
    gateways,
    command: async (...args) => {
      const { code, stdout, stderr } = await run([...args, '--json'], settings)
      if (code !== 0) throw new Error(stderr + stdout)
      return JSON.parse(stdout)
    },
    restart: async (gateway, main) => {
      gateway.running.child.kill('SIGTERM')
      const { code } = await gateway.running.finished
      Object.assign(gateway, await startGateway(Number(new URL(gateway.origin).port), main))
      return code
    },
    migrate: async (main) => {
      const { code, stdout, stderr } = await launch(process.execPath, [main, 'migrate', '--json'], settings).finished
      if (code !== 0) throw new Error(stderr + stdout)
      return JSON.parse(stdout).applied
    },
    stop: async () => {
      const all = [nginx.running, worker, ...gateways.map(({ running }) => running)]
      for (const { child } of all) child.kill('SIGTERM')
      await Promise.all(all.map(({ finished }) => finished))
      await redis.stop()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Our nginx.conf with other addresses, in a folder of its own. */
async function startNginx(folder: string, ports: number[]): Promise<{ origin: string; running: Running }> {
  const port = await freePort()
  const text = readFileSync(NGINX, 'utf8')
  const template = /server gateway-1:4000 (.*);\n.*\n/.exec(text)!
  const servers = ports.map((one) => `server 127.0.0.1:${one} ${template[1]};\n`).join('')
  const head = `daemon off;\npid ${folder}/nginx.pid;\nerror_log ${folder}/error.log;\n${process.getuid?.() === 0 ? 'user root;\n' : ''}`
  const here = text
    .replace(template[0], servers)
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('/dev/stdout', `${folder}/access.log`)
    .replace('server_tokens off;', `server_tokens off;\nclient_body_temp_path ${folder};\nproxy_temp_path ${folder};`)
  writeFileSync(join(folder, 'nginx.conf'), head + here)
  const running = launch('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')])
  const origin = `http://127.0.0.1:${port}`
  for (const began = Date.now(); ; ) {
    const ready = await fetch(`${origin}/readyz`).catch(() => undefined)
    if (ready?.ok) return { origin, running }
    if (Date.now() - began > READY_MS) throw new Error(readFileSync(join(folder, 'error.log'), 'utf8'))
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
