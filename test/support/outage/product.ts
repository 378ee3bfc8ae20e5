import { setTimeout as delay } from 'node:timers/promises'
import { simpleParser } from 'mailparser'
import type { SMTPServerDataStream } from 'smtp-server'
import type { Database } from '../../../src/database/index.js'
import { type Running, run, start } from '../../system/cli/run.js'
import { openSilently } from '../open-database.js'
import { type NetworkProxy, startProxy } from '../proxy.js'
import { TestSmtp } from '../smtp.js'
import { OwnPostgres } from './postgres.js'

const KEY = Buffer.alloc(32, 5)
const WORKERS = 2
const ADDRESS = /REST +(http:\S+?)\/external/

/** The product as processes of its own, which reach their database only through a proxy of the test's. */
export interface Product {
  origin: string
  postgres: OwnPostgres
  proxy: NetworkProxy
  /** Go another way than the product, which is never cut. */
  database: Database
  databaseUrl: string
  /** How often a mail has come, by its id; of those that have none of ours, by the address. */
  arrivals: Map<string, number>
  /** What the server has logged. */
  logs(): Record<string, unknown>[]
  /** The processes that have ended. */
  ended(): number
  stop(): Promise<void>
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/

/** Starts a server and two workers, with a mail server of the test's. */
export async function startProduct(): Promise<Product> {
  const postgres = await OwnPostgres.start()
  const [proxy, aside] = [await startProxy(postgres.port), await startProxy(postgres.port)]
  const databaseUrl = postgres.urlBy(aside.port)
  const migrated = await run(['migrate'], { DATABASE_URL: databaseUrl })
  if (migrated.code !== 0) throw new Error(migrated.stderr)
  const database = await openSilently(databaseUrl, { encryptionKey: KEY })
  await database.prepare()
  const arrivals = new Map<string, number>()
  const smtp = await TestSmtp.start({
    onData: (stream: SMTPServerDataStream, _session, done) => {
      simpleParser(stream as unknown as Buffer)
        .then(async ({ messageId, to }) => {
          const name = UUID.exec(messageId ?? '')?.[0] ?? to.text
          for (const one of [name, to.text.toLowerCase()]) arrivals.set(one, (arrivals.get(one) ?? 0) + 1)
          await delay(5)
        })
        .then(() => done(), done)
    },
  })
  const settings = {
    DATABASE_URL: postgres.urlBy(proxy.port),
    DATABASE_WAIT_MS: '1500',
    DATABASE_STATEMENT_MS: '4000',
    DATABASE_LOCK_MS: '1500',
    SMTP_URL: smtp.url,
    TRUST_PROXY: 'true',
    ENCRYPTION_KEY: KEY.toString('hex'),
  }
  const server = start(['serve', '--no-worker', '--port', '0'], settings)
  const workers = Array.from({ length: WORKERS }, () => start(['worker'], settings))
  const all: Running[] = [server, ...workers]
  let printed = ''
  server.child.stderr!.on('data', (text: string) => {
    printed += text
  })
  const origin = await server.prints(ADDRESS)
  for (const worker of workers) await worker.prints(/worker is ready/)
  return {
    ...{ origin, postgres, proxy, database, arrivals, databaseUrl },
    logs: () =>
      printed
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ended: () => all.filter(({ child }) => child.exitCode !== null || child.signalCode !== null).length,
    stop: async () => {
      for (const { child } of all) child.kill('SIGTERM')
      await Promise.all(all.map(({ finished }) => finished))
      await smtp.stop()
      await database.close()
      await Promise.all([proxy.close(), aside.close()])
      await postgres.remove()
    },
  }
}
