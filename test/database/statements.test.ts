import { setTimeout as delay } from 'node:timers/promises'
import { assembly } from '../../src/assembly.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  // One connection, which all wait for.
  service = await startTestApp({ poolSize: 1 })
})
afterAll(() => service.stop())

describe('the statements of some work', () => {
  test('are those of its requests, whatever runs beside them', async () => {
    const { client } = await makeTenant(service)
    let besides = 0
    let going = true
    const run = async () => {
      for (; going; besides++) await service.database.pool.query('select 1 as beside')
    }
    const beside = Promise.all([run(), run(), run()])
    const { statements } = await service.statementsOf(async () => {
      for (let i = 0; i < 5 || besides < 5; i++) expect((await client.get('/tags')).status).toBe(200)
    })
    going = false
    await beside
    expect(statements.length).toBeGreaterThanOrEqual(5)
    expect(statements.filter((text) => !text.includes('tag'))).toEqual([])
  })

  test('are its own, but not those that it leaves to the background', async () => {
    const { accountId } = await makeTenant(service)
    const { statements } = await service.statementsOf(async () => {
      await service.database.pool.query('select 1 as own')
      service.database.compactSoon(assembly.tallies[0]!, accountId)
      await delay(100)
    })
    expect(statements).toEqual(['select 1 as own'])
  })

  test('are none where only others ask', async () => {
    const { client } = await makeTenant(service)
    const another = await startTestApp({ databaseUrl: service.databaseUrl })
    const { statements } = await another.statementsOf(() => client.get('/tags'))
    await another.stop()
    expect(statements).toEqual([])
  })
})
