import { createClient } from '../../support/client.js'
import { stoppedSandbox, stoppedStripe } from '../../support/crash/providers.js'
import { type Dying, deathsBy, each, leastAttempts, Service } from '../../support/crash/service.js'
import { BOUNDARIES, type Boundary, type Kind, SEATS, Victim } from '../../support/crash/victims.js'
import { dataOf } from '../../support/graphql.js'

// A server or a worker is killed while a call of each kind is at each boundary, and others take them up.

const FULL = process.env.FULL === 'true'
const KINDS: Kind[] = ['creation', 'raise', 'deletion', 'trialEnd']
/** Servers that die, and workers that die with what a dead server has left. */
const KILLS = FULL ? 10 : 1
/** Who asks the sandbox holds one of a few connections meanwhile; of Stripe's calls as many as one likes may stand still. */
const ONE_BY_ONE: readonly Boundary[][] = BOUNDARIES.map((boundary) => [boundary])
const TOGETHER: readonly Boundary[][] = [[...BOUNDARIES]]
const ALLOWED = 'delete from sign_in_attempt'
const RESET = 'mutation ($email: String!) { requestPasswordReset(email: $email) }'

describe.each([
  ['the sandbox', stoppedSandbox, ONE_BY_ONE],
  ['Stripe', stoppedStripe, TOGETHER],
] as const)('with %s', (_name, startProvider, lots) => {
  let service: Service
  beforeAll(async () => {
    service = await Service.begin(startProvider)
  }, 120_000)
  afterAll(() => service.stop())

  test.each(lots.flatMap((lot) => [{ lot, dying: 'server' } as const, { lot, dying: 'worker' } as const]))(
    `calls that stand at $lot when a $dying dies come to their end once, by others (${KILLS})`,
    async ({ lot, dying }) => {
      for (let kill = 0; kill < KILLS; kill++) await die(dying, lot)
    },
    FULL ? 1_800_000 : 180_000,
  )

  /** One death while a call of each kind is at each of these boundaries, and what follows. */
  async function die(dying: Dying, boundaries: readonly Boundary[]): Promise<void> {
    const victims: Victim[] = []
    for (const boundary of boundaries) {
      const kinds = KINDS.filter((kind) => Victim.comesTo(kind, boundary))
      const made = kinds.map((kind) => Victim.make(service.scene, kind, boundary, service.origin))
      victims.push(...(await Promise.all(made)))
    }
    await service.die(dying, victims)
    await each(victims, expectNothingHalf)
    await each(victims, (victim) => victim.turnPasses())
    await each(victims, (victim) => victim.eventPasses())
    await each(victims, (victim) => expectDoneOnce(victim, dying))
  }

  /** Of a sub-account that has not come to life nobody sees anything, and nobody gets into it. */
  async function expectNothingHalf(victim: Victim): Promise<void> {
    if (victim.kind !== 'creation' || victim.boundary === 'finished') return
    const { admin_email: email } = victim.body
    const found = await victim.client(service.origin).channels('ext:it', { linkedin: 1 })
    expect([found.status, found.body.error.code]).toEqual([404, 'SUB_ACCOUNT_NOT_FOUND'])
    await victim.query(ALLOWED) // all of them ask from one address
    expect(dataOf(await createClient(service.origin).graphql(RESET, { email }))).toBe(true)
    await service.allTold()
    expect(await service.mailbox.to(email)).toEqual([])
  }

  async function expectDoneOnce(victim: Victim, dying: Dying): Promise<void> {
    const { kind, boundary } = victim
    const { status, attempts } = await victim.ended()
    // The attempts that died, and the one that came to the end.
    expect([status, attempts]).toEqual(['processed', boundary === 'finished' ? deathsBy(dying) : expect.any(Number)])
    if (boundary !== 'finished') {
      expect(attempts).toBeGreaterThanOrEqual(leastAttempts(boundary, dying))
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

  /** Whose caller has died or was put off is told by mail, once; not if the answer was on its way. */
  async function expectOneLink(victim: Victim, dying: Dying): Promise<void> {
    const answered = victim.boundary === 'finished' && dying === 'server' && !(await victim.event()).deferred
    const mails = () => service.mailbox.to(victim.body.admin_email)
    await service.allTold()
    expect((await mails()).map(({ subject }) => subject)).toEqual(answered ? [] : [`Invitation to ${victim.body.name}`])
  }
})
