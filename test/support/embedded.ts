import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import {
  acquireEmbeddedPostgres,
  type EmbeddedOptions,
  type EmbeddedPostgres,
} from '../../src/embedded-postgres/index.js'

// A child process needs compiled code; `npm test` builds first.
const COMPILED = join(process.cwd(), 'dist', 'embedded-postgres', 'index.js')

/** Another process that acquired a data folder, and holds it until it is told to release or is killed. */
export interface Holder {
  child: ChildProcess
  /** The server's process. */
  pid: number
  release(): Promise<void>
}

/** A folder for embedded databases of one test file, with a space in its path, and all that was acquired in it. */
export class EmbeddedBench {
  readonly root = mkdtempSync(join(tmpdir(), 'embedded postgres '))
  private open: EmbeddedPostgres[] = []
  private children: ChildProcess[] = []

  constructor() {
    chmodSync(this.root, 0o755)
  }

  /** Most tests use one cluster in turn, `data`, since making one takes a second. */
  folder(name = 'data'): string {
    return join(this.root, name)
  }

  async acquire(dataDir = this.folder(), options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedPostgres> {
    const settings = { shared_buffers: '16MB', ...options.settings }
    const server = await acquireEmbeddedPostgres({ dataDir, name: 'leads', durable: false, ...options, settings })
    this.open.push(server)
    return server
  }

  async acquireInChild(dataDir: string): Promise<Holder> {
    const script = join(this.root, `child-${this.children.length}.mjs`)
    const options = JSON.stringify({ dataDir, name: 'leads', durable: false })
    writeFileSync(
      script,
      `import { acquireEmbeddedPostgres } from ${JSON.stringify(pathToFileURL(COMPILED).href)}
       const server = await acquireEmbeddedPostgres(${options})
       console.log(server.pid)
       process.stdin.once('data', async () => { await server.release(); process.exit(0) })`,
    )
    const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.children.push(child)
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    for await (const line of createInterface({ input: child.stdout })) {
      const release = () => {
        child.stdin.write('release\n')
        return exited
      }
      return { child, pid: Number(line), release }
    }
    throw new Error('the child process ended before it had a database')
  }

  get firstChild(): ChildProcess {
    return this.children[0]!
  }

  /** After each test: nothing of it runs on. */
  async releaseAll(): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL')
    for (const server of this.open) await server.release()
    this.open = []
    this.children = []
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}

/** Runs one statement over a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  sql: string,
  Client: typeof pg.Client = pg.Client,
): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

/** Kills a child and waits until it is gone. */
export async function kill(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exited
}

/** Whether a process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** The processes that run under an account. */
export function processesOf(uid: number): number[] {
  const owner = (pid: number) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => owner(pid) === uid && isRunning(pid))
}

/** Looks until there is something. */
export async function until<T>(what: string, look: () => T | Promise<T>, ms = 60_000): Promise<NonNullable<T>> {
  for (const end = Date.now() + ms; Date.now() < end; await delay(10)) {
    const found = await look()
    if (found) return found
  }
  throw new Error(`There was no ${what} within ${ms} ms.`)
}
