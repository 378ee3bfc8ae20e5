import type { Database } from '../../../src/database/index.js'
import { createClient } from '../../support/client.js'
import { createDatabase } from '../../support/cluster.js'
import { GUARD, until } from '../../support/crash/locks.js'
import { type StoppedProvider, stoppedSandbox, stoppedStripe } from '../../support/crash/providers.js'
import { BOUNDARIES, type Boundary, type Kind, type Scene, Victim } from '../../support/crash/victims.js'
import { dataOf } from '../../support/graphql.js'
import { Mailbox } from '../../support/mail.js'
import { openSilently } from '../../support/open-database.js'
import { type Running, start } from '../cli/run.js'

// A server or a worker is killed at each boundary of what an agency asks for, and others take it up.

const FULL = process.env.FULL === 'true'
const KINDS: Kind[] = ['creation', 'raise', 'deletion']
/** At each boundary: servers that die, and workers that take up what a dead server has left and die too. */
const KILLS = FULL ? { server: 10, worker: 10 } : { server: 1, worker: 1 }
const ADDRESS = /REST +(http:\S+?)\/external/
/** As if the lease had gone by of what a dead worker was about to tell. */
const TELLING_PASSES = 'update outbox set due_at = now()'
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
  ['the sandbox', stoppedSandbox],
  ['Stripe', stoppedStripe],
] as const)('with %s', (_name, startProvider) => {
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
    scene = { url: own.url, database, stopped }
    service = new Service({
      DATABASE_URL: own.url,
      DATA_DIR: mailbox.dataDir,
      // Whoever waits for a lock of the test waits until it dies.
      DATABASE_LOCK_MS: '600000',
      DATABASE_STATEMENT_MS: '600000',
      ...stopped.settings,
    })
    await Promise.all([service.startServer(), service.startWorker()])
  }, 120_000)
  afterAll(async () => {
    await service.stop()
    await mailbox.remove()
    await database.close()
    await own.drop()
    await stopped.stop()
  })

  describe.each(BOUNDARIES)('dead when it is %s', (boundary) => {
    test(
      'a call comes to its end once, by others',
      async () => {
        for (const dying of ['server', 'worker'] as const) {
          for (let kill = 0; kill < KILLS[dying]; kill++) await dieAt(boundary, dying)
        }
      },
      FULL ? 900_000 : 180_000,
    )
  })

  /** One death while a call of each kind is at the boundary, and what follows. */
  async function dieAt(boundary: Boundary, dying: 'server' | 'worker'): Promise<void> {
    const kinds = KINDS.filter((kind) => Victim.comesTo(kind, boundary))
    const victims = await Promise.all(kinds.map((kind) => Victim.make(scene, kind, service.origin)))
    const each = (does: (victim: Victim) => Promise<unknown>) => Promise.all(victims.map(does))

    try {
      if (dying === 'worker') {
        await each((victim) => victim.stopAt('begun', () => victim.callInVain(service.origin)))
        await service.kill('server')
        await Promise.all([service.startServer(), each((victim) => victim.bury())])
        await each((victim) => victim.turnPasses())
        await each((victim) => victim.stopAt(boundary, () => victim.eventPasses()))
      } else {
        await each((victim) => victim.stopAt(boundary, () => victim.callInVain(service.origin)))
      }
      await each((victim) => victim.expectAt(boundary))
    } catch (error) {
      await each((victim) => victim.leave())
      throw error
    }
    await service.kill(dying)
    if (dying === 'worker') await database.pool.query(TELLING_PASSES)
    await Promise.all([
      dying === 'server' ? service.startServer() : service.startWorker(),
      each((victim) => victim.bury()),
    ])
    if (boundary !== 'finished') await each(expectNothingHalf)
    await each((victim) => victim.turnPasses())
    await each((victim) => victim.eventPasses())
    await each((victim) => expectDoneOnce(victim, boundary, dying))
  }

  /** Of a sub-account that has not come to life nobody sees anything, and nobody gets into it. */
  async function expectNothingHalf(victim: Victim): Promise<void> {
    if (victim.kind !== 'creation') return
    const { admin_email: email } = victim.body
    const found = await victim.client(service.origin).channels('ext:it', { linkedin: 1 })
    expect([found.status, found.body.error.code]).toEqual([404, 'SUB_ACCOUNT_NOT_FOUND'])
    expect(dataOf(await createClient(service.origin).graphql(RESET, { email }))).toBe(true)
    await allTold()
    expect(await mailbox.to(email)).toEqual([])
  }

  async function expectDoneOnce(victim: Victim, boundary: Boundary, dying: 'server' | 'worker'): Promise<void> {
    const { status, attempts } = await victim.ended()
    // The attempts that died, and the one that came to the end.
    const deaths = dying === 'worker' ? 2 : 1
    expect([status, attempts]).toEqual(['processed', boundary === 'finished' ? deaths : expect.any(Number)])
    if (boundary !== 'finished') {
      expect(attempts).toBeGreaterThan(deaths)
      expect(attempts).toBeLessThanOrEqual(5)
    }

    const seats = { creation: 2, raise: 5, deletion: 0 }[victim.kind]
    expect(await victim.seats()).toBe(seats)
    const quotas = `select status, linkedin from sub_account where agency_id = $1`
    const sub = victim.kind === 'deletion' ? { status: 'deleted', linkedin: 2 } : { status: 'active', linkedin: seats }
    expect(await victim.query(quotas, [victim.agencyId])).toEqual([sub])
    const charges = 'select state, cents::int as cents from seat_charge where agency_id = $1'
    const applied = await victim.query<{ state: string; cents: number }>(charges, [victim.agencyId])
    expect(applied.map(({ state }) => state)).toEqual(victim.kind === 'raise' ? ['applied', 'applied'] : ['applied'])
    const cents = applied.reduce((sum, charge) => sum + charge.cents, 0)
    expect(await victim.collected()).toEqual({ cents, payments: applied.length })
    const open = 'select coalesce(sum(cents), 0)::int as cents from ledger_entry where agency_id = $1'
    expect(await victim.query(open, [victim.agencyId])).toEqual([{ cents: 0 }])

    const again = await victim.call(service.origin)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([
      victim.kind === 'creation' ? 201 : 200,
      'true',
    ])
    expect(await victim.query('select id from account where name = $1', [victim.body.name])).toHaveLength(1)
    if (victim.kind === 'creation') await expectOneLink(victim, boundary, dying)
  }

  async function allTold(): Promise<void> {
    const left = async () => (await database.pool.query('select id from outbox')).rowCount
    await until('nothing is left to tell', async () => (await left()) === 0)
  }

  /** Whose caller has died or was put off is told by mail, once; not if the answer was on its way. */
  async function expectOneLink(victim: Victim, boundary: Boundary, dying: 'server' | 'worker'): Promise<void> {
    const expected = boundary === 'finished' && dying === 'server' ? 0 : 1
    const mails = () => mailbox.to(victim.body.admin_email)
    await allTold()
    expect((await mails()).map(({ subject }) => subject)).toEqual(
      Array.from({ length: expected }, () => `Invitation to ${victim.body.name}`),
    )
  }
})
