import type { Database } from '../../../src/database/index.js'
import { createClient } from '../../support/client.js'
import { createDatabase } from '../../support/cluster.js'
import { GUARD, until } from '../../support/crash/locks.js'
import { type StoppedProvider, stoppedSandbox, stoppedStripe } from '../../support/crash/providers.js'
import { BOUNDARIES, type Boundary, type Kind, type Scene, Victim } from '../../support/crash/victims.js'
import { makeOperator, signIn } from '../../support/factories/people.js'
import { dataOf } from '../../support/graphql.js'
import { Mailbox } from '../../support/mail.js'
import { openSilently } from '../../support/open-database.js'
import { type Running, start } from '../cli/run.js'

// A server or a worker is killed while a call of each kind is at each boundary, and others take them up.

const FULL = process.env.FULL === 'true'
const KINDS: Kind[] = ['creation', 'raise', 'deletion', 'trialEnd']
/** Servers that die, and workers that die with what a dead server has left. */
const KILLS = FULL ? 10 : 1
/** Who asks the sandbox holds one of a few connections meanwhile; of Stripe's calls as many as one likes may stand still. */
const ONE_BY_ONE: readonly Boundary[][] = BOUNDARIES.map((boundary) => [boundary])
const TOGETHER: readonly Boundary[][] = [[...BOUNDARIES]]
/** What is paid for in the end. */
const SEATS: Readonly<Record<Kind, number>> = { creation: 2, raise: 5, deletion: 0, trialEnd: 2 }
const ADDRESS = /REST +(http:\S+?)\/external/
/** As if the lease had gone by of what a dead worker was about to tell. */
const TELLING_PASSES = 'update outbox set due_at = now()'
/** For all that stand still in one process, beside what it does anyway. */
const CONNECTIONS = '28'
const RESET = 'mutation ($email: String!) { requestPasswordReset(email: $email) }'

/** The processes of a service, one server and one worker at any time. */
class Service {
  private server!: Running
  private worker!: Running
  origin = ''

  constructor(private readonly settings: Record<string, string>) {}

  async startServer(): Promise<void> {
    this.server = start(['serve', '--port', '0', '--no-worker', '--no-migrate'], this.settings)
    this.origin = await this.server.prints(ADDRESS)
  }

  async startWorker(): Promise<void> {
    this.worker = start(['worker'], this.settings)
    await this.worker.prints(/worker is ready/)
  }

  async kill(which: 'server' | 'worker'): Promise<void> {
    const process = this[which]
    process.child.kill('SIGKILL')
    expect((await process.finished).signal).toBe('SIGKILL')
  }

  async stop(): Promise<void> {
    for (const process of [this.server, this.worker]) process?.child.kill('SIGKILL')
    await Promise.all([this.server?.finished, this.worker?.finished])
  }
}

describe.each([
  ['the sandbox', stoppedSandbox, ONE_BY_ONE],
  ['Stripe', stoppedStripe, TOGETHER],
] as const)('with %s', (_name, startProvider, lots) => {
  let own: { url: string; drop(): Promise<void> }
  let database: Database
  let stopped: StoppedProvider
  let mailbox: Mailbox
  let service: Service
  let scene: Scene
  beforeAll(async () => {
    own = await createDatabase()
    database = await openSilently(own.url)
    await database.pool.query(GUARD)
    stopped = await startProvider(database, own.url)
    mailbox = await Mailbox.make()
    service = new Service({
      DATABASE_URL: own.url,
      DATA_DIR: mailbox.dataDir,
      // Whoever waits for a lock of the test waits until it dies.
      DATABASE_LOCK_MS: '600000',
      DATABASE_STATEMENT_MS: '600000',
      DATABASE_WAIT_MS: '60000',
      DATABASE_POOL_SIZE: CONNECTIONS,
      ...stopped.settings,
    })
    await Promise.all([service.startServer(), service.startWorker()])
    const { email } = await makeOperator({ database })
    const { token } = await signIn({ database, origin: service.origin }, email)
    scene = { url: own.url, database, stopped, operator: token }
  }, 120_000)
  afterAll(async () => {
    await service.stop()
    await mailbox.remove()
    await database.close()
    await own.drop()
    await stopped.stop()
  })

  test.each(lots.flatMap((lot) => [{ lot, dying: 'server' } as const, { lot, dying: 'worker' } as const]))(
    `calls that stand at $lot when a $dying dies come to their end once, by others (${KILLS})`,
    async ({ lot, dying }) => {
      for (let kill = 0; kill < KILLS; kill++) await die(dying, lot)
    },
    FULL ? 1_800_000 : 180_000,
  )

  /** One death while a call of each kind is at each of these boundaries, and what follows. */
  async function die(dying: 'server' | 'worker', boundaries: readonly Boundary[]): Promise<void> {
    const victims: Victim[][] = []
    for (const boundary of boundaries) {
      const kinds = KINDS.filter((kind) => Victim.comesTo(kind, boundary))
      victims.push(await Promise.all(kinds.map((kind) => Victim.make(scene, kind, boundary, service.origin))))
    }
    const each = async (does: (victim: Victim) => Promise<unknown>) => {
      for (const few of victims) await Promise.all(few.map((victim) => named(victim, () => does(victim))))
    }

    try {
      if (dying === 'worker') {
        await each((victim) => victim.stopAt('begun', () => victim.callInVain(service.origin)))
        await service.kill('server')
        await Promise.all([service.startServer(), each((victim) => victim.bury())])
        await each((victim) => victim.turnPasses())
        await each((victim) => victim.stopAt(victim.boundary, () => victim.eventPasses()))
      } else {
        await each((victim) => victim.stopAt(victim.boundary, () => victim.callInVain(service.origin)))
      }
      await each((victim) => victim.expectAt(victim.boundary))
    } catch (error) {
      await each((victim) => victim.leave())
      throw error
    }
    await allTold() // whoever dies while a mail is on its way sends it again
    await service.kill(dying)
    if (dying === 'worker') await database.pool.query(TELLING_PASSES)
    await Promise.all([
      dying === 'server' ? service.startServer() : service.startWorker(),
      each((victim) => victim.bury()),
    ])
    await each(expectNothingHalf)
    await each((victim) => victim.turnPasses())
    await each((victim) => victim.eventPasses())
    await each((victim) => expectDoneOnce(victim, dying))
  }

  /** What fails says of which call. */
  async function named(victim: Victim, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (error instanceof Error) error.message = `${victim.kind} at ${victim.boundary}: ${error.message}`
      throw error
    }
  }

  /** Of a sub-account that has not come to life nobody sees anything, and nobody gets into it. */
  async function expectNothingHalf(victim: Victim): Promise<void> {
    if (victim.kind !== 'creation' || victim.boundary === 'finished') return
    const { admin_email: email } = victim.body
    const found = await victim.client(service.origin).channels('ext:it', { linkedin: 1 })
    expect([found.status, found.body.error.code]).toEqual([404, 'SUB_ACCOUNT_NOT_FOUND'])
    expect(dataOf(await createClient(service.origin).graphql(RESET, { email }))).toBe(true)
    await allTold()
    expect(await mailbox.to(email)).toEqual([])
  }

  async function expectDoneOnce(victim: Victim, dying: 'server' | 'worker'): Promise<void> {
    const { kind, boundary } = victim
    const { status, attempts } = await victim.ended()
    // The attempts that died, and the one that came to the end.
    const deaths = dying === 'worker' ? 2 : 1
    expect([status, attempts]).toEqual(['processed', boundary === 'finished' ? deaths : expect.any(Number)])
    if (boundary !== 'finished') {
      // Who waits for the turn behind a job until patience ends has made no attempt.
      expect(attempts).toBeGreaterThan(boundary === 'begun' ? deaths - 1 : deaths)
      expect(attempts).toBeLessThanOrEqual(5)
    }

    expect(await victim.seats()).toBe(SEATS[kind])
    const quotas = `select status, linkedin + whatsapp as seats, trial_ends_at as trial from sub_account where agency_id = $1`
    const sub = kind === 'deletion' ? { status: 'deleted', seats: 2 } : { status: 'active', seats: SEATS[kind] }
    expect(await victim.query(quotas, [victim.agencyId])).toEqual([{ ...sub, trial: null }])
    const charges = 'select state, cents::int as cents from seat_charge where agency_id = $1'
    const applied = await victim.query<{ state: string; cents: number }>(charges, [victim.agencyId])
    expect(applied.map(({ state }) => state)).toEqual(kind === 'raise' ? ['applied', 'applied'] : ['applied'])
    const cents = applied.reduce((sum, charge) => sum + charge.cents, 0)
    expect(await victim.collected()).toEqual({ cents, payments: applied.length })
    const open = 'select coalesce(sum(cents), 0)::int as cents from ledger_entry where agency_id = $1'
    expect(await victim.query(open, [victim.agencyId])).toEqual([{ cents: 0 }])
    expect(await victim.query('select id from account where name = $1', [victim.body.name])).toHaveLength(1)

    const again = await victim.call(service.origin)
    if (kind === 'trialEnd') return expect(dataOf(again)).toEqual({ status: 'IGNORED' })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([kind === 'creation' ? 201 : 200, 'true'])
    if (kind === 'creation') await expectOneLink(victim, dying)
  }

  async function allTold(): Promise<void> {
    const left = async () => (await database.pool.query('select id from outbox')).rowCount
    await until('nothing is left to tell', async () => (await left()) === 0)
  }

  /** Whose caller has died or was put off is told by mail, once; not if the answer was on its way. */
  async function expectOneLink(victim: Victim, dying: 'server' | 'worker'): Promise<void> {
    const answered = victim.boundary === 'finished' && dying === 'server' && !(await victim.event()).deferred
    const mails = () => mailbox.to(victim.body.admin_email)
    await allTold()
    expect((await mails()).map(({ subject }) => subject)).toEqual(answered ? [] : [`Invitation to ${victim.body.name}`])
  }
})
