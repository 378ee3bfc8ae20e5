import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { Fairlead } from '../../schema/clients/typescript/src/index.js'
import { describeWith } from '../support/programs.js'
import { type Gateway, startTopology, type Topology } from '../support/topology.js'
import { addNickname } from './recipes/nickname.js'
import { Scratch } from './recipes/scratch.js'

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

  test('the next version comes in gateway by gateway, after its migration, and nobody notices', async () => {
    const next = new Scratch()
    try {
      addNickname(next)
      next.build()
      const { key } = await makeKey()
      const running = traffic(key, 'restarted')
      await untilMade(running.made, 10)
      expect(await all.migrate(next.main)).toEqual(['M9000_nicknames'])
      await untilMade(running.made, running.made() + 10)
      const codes = []
      for (const [n, gateway] of all.gateways.entries()) {
        codes.push(await all.restart(gateway, next.main))
        await untilMade(running.made, running.made() + 10)
        const old = all.gateways[n + 1]
        if (old) await expectToBearEachOther(gateway, old, key)
      }
      const { made: _, ...rest } = await running.stop()
      expect(rest).toEqual({ wrong: [], missing: [], twice: 0 })
      expect(codes).toEqual(all.gateways.map(() => 0))
    } finally {
      next.remove()
    }
  })

  /** What the new one alone knows of is kept by the old one, which changes the same record meanwhile. */
  async function expectToBearEachOther(next: Gateway, old: Gateway, key: string) {
    const call = async ({ origin }: Gateway, method: string, path: string, body?: object) => {
      const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
      const response = await fetch(`${origin}${path}`, { method, headers, body: body && JSON.stringify(body) })
      return (await response.json()) as { data: Record<string, never> }
    }
    const query = 'mutation { createContact(input: { name: "Ana", nickname: "Aninha" }) { id nickname } }'
    const { id, nickname } = (await call(next, 'POST', '/graphql', { query })).data.createContact!
    expect(nickname).toBe('Aninha')
    const path = `/external/v1/contacts/${id}`
    expect((await call(old, 'PUT', path, { company: 'Aurora' })).data).not.toHaveProperty('nickname')
    expect((await call(next, 'GET', path)).data).toMatchObject({ company: 'Aurora', nickname: 'Aninha' })
  }
})
