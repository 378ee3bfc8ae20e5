import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import pg from 'pg'
import { Fairlead } from '../../schema/clients/typescript/src/index.js'
import { describeWith } from '../support/programs.js'
import { startTopology, type Topology } from '../support/topology.js'

jest.setTimeout(400_000)

describeWith(['nginx', 'redis-server'], 'four gateways and a worker behind nginx', () => {
  let all: Topology
  let account: string
  beforeAll(async () => {
    all = await startTopology(4)
    account = (await all.command('account', 'create', '--name', 'Spread')).account_id
  })
  afterAll(() => all?.stop())

  const makeKey = async (limit = 1_000_000): Promise<{ id: string; key: string }> =>
    all.command(
      'key',
      'create',
      '--account',
      account,
      '--name',
      'K',
      '--permissions',
      '*',
      '--rate-limit',
      String(limit),
    )
  const statusAt = async (origin: string, key: string) =>
    (await fetch(`${origin}/external/v1/tags`, { headers: { 'X-API-Key': key } })).status

  /** Writes and reads until told to stop; what it got is right, or counted as wrong. */
  function traffic(key: string, series: string) {
    const fairlead = new Fairlead({ baseUrl: all.origin, apiKey: key, firstPauseMs: 50, retries: 8 })
    const names: string[] = []
    const wrong: unknown[] = []
    let going = true
    const one = async (n: number) => {
      for (let i = 0; going; i++) {
        const name = `${series} ${n}-${i}`
        try {
          const { data } = await fairlead.createContact({ name })
          names.push(name)
          const read = await fairlead.getContact(data.id)
          if (read.data.name !== name) wrong.push(read.data)
        } catch (error) {
          wrong.push(error)
        }
      }
    }
    const runs = [0, 1, 2, 3].map(one)
    const stop = async () => {
      going = false
      await Promise.all(runs)
      const stored: string[] = []
      for await (const { name } of fairlead.allContacts({ search: series })) stored.push(name)
      return {
        wrong,
        missing: names.filter((name) => !stored.includes(name)),
        twice: stored.length - new Set(stored).size,
        made: names.length,
      }
    }
    return { stop, made: () => names.length }
  }

  const untilMade = async (made: () => number, count: number) => {
    while (made() < count) await delay(20)
  }

  test('a limit is exact through all of them', async () => {
    const { key } = await makeKey(150)
    const statuses = await Promise.all(Array.from({ length: 200 }, () => statusAt(all.origin, key)))
    const count = (status: number) => statuses.filter((one) => one === status).length
    expect([count(200), count(429)]).toEqual([150, 50])
  })

  test('a key that is revoked is refused by each of them within a second', async () => {
    const { id, key } = await makeKey()
    for (const { origin } of all.gateways) expect(await statusAt(origin, key)).toBe(200)
    await all.command('key', 'revoke', id)
    await delay(1000)
    for (const { origin } of all.gateways) expect(await statusAt(origin, key)).toBe(401)
  })

  test('one that is killed takes no answer along, and what was created is there once', async () => {
    const { key } = await makeKey()
    const running = traffic(key, 'killed')
    await untilMade(running.made, 20)
    const [victim] = all.gateways.splice(0, 1)
    victim!.running.child.kill('SIGKILL')
    await victim!.running.finished
    await untilMade(running.made, running.made() + 40)
    const { made, ...rest } = await running.stop()
    expect(rest).toEqual({ wrong: [], missing: [], twice: 0 })
    expect(made).toBeGreaterThanOrEqual(60)
  })

  test('a restart of one after the other, with a migration in between, is not noticed', async () => {
    const { key } = await makeKey()
    const running = traffic(key, 'restarted')
    const database = new pg.Client({ connectionString: all.databaseUrl })
    await database.connect()
    const codes = []
    for (const [n, gateway] of all.gateways.entries()) {
      await untilMade(running.made, running.made() + 10)
      // What the next version's migration may do while this one serves.
      if (n === 1) await database.query("alter table contact add column next_version text not null default ''")
      codes.push(await all.restart(gateway))
    }
    await database.end()
    await untilMade(running.made, running.made() + 10)
    const { made: _, ...rest } = await running.stop()
    expect(rest).toEqual({ wrong: [], missing: [], twice: 0 })
    expect(codes).toEqual(all.gateways.map(() => 0))
  })
})
