import type { Database } from '../../../src/database/index.js'
import { type Running, start } from '../../system/cli/run.js'
import { createDatabase } from '../cluster.js'
import { makeOperator, signIn } from '../factories/people.js'
import { Mailbox } from '../mail.js'
import { openSilently } from '../open-database.js'
import { GUARD, until } from './locks.js'
import type { Start, StoppedProvider } from './providers.js'
import type { Boundary, Scene, Victim } from './victims.js'

const ADDRESS = /REST +(http:\S+?)\/external/
/** As if the lease had gone by of what a dead worker was about to tell. */
const TELLING_PASSES = 'update outbox set due_at = now()'
/** For all that stand still in one process, beside what it does anyway. */
const CONNECTIONS = '28'

/** All victims look at once, all the time, on a machine that may be busy. */
const OF_ITS_OWN = { poolSize: 20, acquireTimeoutMs: 120_000 }

/** Which of the processes dies. */
export type Dying = 'server' | 'worker'

/** The processes of a service, one server and one worker at any time, on a database of their own. */
export class Service<Provider extends StoppedProvider = StoppedProvider> {
  private server!: Running
  private worker!: Running
  private settings!: Record<string, string>
  origin = ''
  scene!: Scene

  private constructor(
    private readonly own: { url: string; drop(): Promise<void> },
    readonly database: Database,
    readonly provider: Provider,
    readonly mailbox: Mailbox,
  ) {}

  static async begin<Provider extends StoppedProvider>(startProvider: Start<Provider>): Promise<Service<Provider>> {
    const own = await createDatabase()
    const database = await openSilently(own.url, OF_ITS_OWN)
    await database.pool.query(GUARD)
    const service = new Service(own, database, await startProvider(database, own.url), await Mailbox.make())
    service.settings = {
      DATABASE_URL: own.url,
      DATA_DIR: service.mailbox.dataDir,
      // Whoever waits for a lock of the test waits until it dies.
      DATABASE_LOCK_MS: '600000',
      DATABASE_STATEMENT_MS: '600000',
      DATABASE_WAIT_MS: '60000',
      DATABASE_POOL_SIZE: CONNECTIONS,
      ...service.provider.settings,
    }
    await Promise.all([service.startServer(), service.startWorker()])
    const { email } = await makeOperator({ database })
    const { token } = await signIn({ database, origin: service.origin }, email)
    service.scene = { url: own.url, database, stopped: service.provider, operator: token }
    return service
  }

  async stop(): Promise<void> {
    for (const process of [this.server, this.worker]) process?.child.kill('SIGKILL')
    await Promise.all([this.server?.finished, this.worker?.finished])
    await this.mailbox.remove()
    await this.database.close()
    await this.own.drop()
    await this.provider.stop()
  }

  /** Has a process die while each call is at its boundary, and others be there in its place. */
  async die(dying: Dying, victims: readonly Victim[]): Promise<void> {
    try {
      if (dying === 'worker') {
        await each(victims, (victim) => victim.stopAt('begun', () => victim.callInVain(this.origin)))
        await this.kill('server')
        await Promise.all([this.startServer(), each(victims, (victim) => victim.bury())])
        await each(victims, (victim) => victim.turnPasses())
        await each(victims, (victim) => victim.stopAt(victim.boundary, () => victim.eventPasses()))
      } else {
        await each(victims, (victim) => victim.stopAt(victim.boundary, () => victim.callInVain(this.origin)))
      }
      await each(victims, (victim) => victim.expectAt(victim.boundary))
      await each(victims, (victim) => victim.expectKept())
    } catch (error) {
      await each(victims, (victim) => victim.leave())
      throw error
    }
    await this.allTold() // whoever dies while a mail is on its way sends it again
    await this.kill(dying)
    if (dying === 'worker') await this.database.pool.query(TELLING_PASSES)
    await Promise.all([
      dying === 'server' ? this.startServer() : this.startWorker(),
      each(victims, (victim) => victim.bury()),
    ])
  }

  /** Waits until all that was announced has been told. */
  async allTold(): Promise<void> {
    const left = async () => (await this.database.pool.query('select id from outbox')).rowCount
    await until('nothing is left to tell', async () => (await left()) === 0)
  }

  private async startServer(): Promise<void> {
    this.server = start(['serve', '--port', '0', '--no-worker', '--no-migrate'], this.settings)
    this.origin = await this.server.prints(ADDRESS)
  }

  private async startWorker(): Promise<void> {
    this.worker = start(['worker'], this.settings)
    await this.worker.prints(/worker is ready/)
  }

  private async kill(which: Dying): Promise<void> {
    const process = this[which]
    process.child.kill('SIGKILL')
    expect((await process.finished).signal).toBe('SIGKILL')
  }
}

/** Does something with all victims at once; what fails says with which. */
export async function each(victims: readonly Victim[], does: (victim: Victim) => Promise<unknown>): Promise<void> {
  await Promise.all(
    victims.map(async (victim) => {
      try {
        await does(victim)
      } catch (error) {
        if (error instanceof Error) error.message = `${victim.kind} at ${victim.boundary}: ${error.message}`
        throw error
      }
    }),
  )
}

/** How often a call has died after such a death: one of a worker comes after that of the server which took the call. */
export const deathsBy = (dying: Dying): number => (dying === 'worker' ? 2 : 1)

/** How many attempts an event can have at the least that was at a boundary when its process died. */
export const leastAttempts = (boundary: Boundary, dying: Dying): number =>
  // Who waits for the turn behind a job until patience ends has made no attempt.
  boundary === 'begun' ? deathsBy(dying) : deathsBy(dying) + 1
