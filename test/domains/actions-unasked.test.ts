import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { Scope } from '../../src/database/index.js'
import { startJobWorker } from '../../src/domains/jobs/index.js'
import { settleAction, settleLeft } from '../../src/domains/opportunities/action.job.js'
import { createOpportunity, createWithActions } from '../../src/domains/opportunities/opportunity-create.service.js'
import { type Action, declaredActions } from '../../src/kit/action.js'
import type { OneOffJob } from '../../src/kit/job.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant } from '../support/factories.js'

// Actions that nobody waits for: those that a domain asks for by itself, and those whose process has died.

class Nothing {}
const slot = { input: Nothing, block: Nothing }
const failed = (error: string) => ({ done: false, error })
const id = randomUUID()

let service: TestApp
let db: Scope
beforeAll(async () => {
  service = await startTestApp()
  db = Scope.ofSystem(service.database, (await makeTenant(service)).accountId)
})
afterEach(() => query('truncate opportunity_action, job, failed_job'))
afterAll(() => service.stop())

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows
const stored = () => query('select id, name, input, claimed_at, result from opportunity_action order by name')

/** Declares actions of the test's own, and counts how often they run. */
function declare(...parts: Partial<Action>[]) {
  const run = jest.fn<Action['run']>(async (_, given) => ({ done: true, ...given, error: null }))
  const actions = parts.map((part): Action => {
    const base = { slot, name: 'mail', description: '', input: Nothing, block: Nothing, failed, run }
    return { ...base, effect: 'outside', ...part }
  })
  service.database.needs.provide(declaredActions, actions)
  return run
}

const create = (given: Parameters<typeof createWithActions>[3], scope = db) =>
  createWithActions(scope, scope.viewer.actor, { name: 'Ana' }, given, new Map())

async function work(until: () => Promise<boolean>): Promise<void> {
  const logged: unknown[] = []
  const jobs = [settleAction as unknown as OneOffJob]
  const worker = startJobWorker({ database: service.database, jobs, log: (error) => logged.push(error), pollMs: 20 })
  for (const deadline = Date.now() + 20_000; !(await until()); await delay(10)) {
    if (Date.now() > deadline) throw new Error('it does not come about')
  }
  await worker.stop()
  expect(logged).toEqual([])
}

describe('what a domain asks for by itself', () => {
  test('is told of beside what the caller asked for', async () => {
    const decides = jest.fn<NonNullable<Action['decides']>>(async () => ({ agentId: id }))
    const run = declare({ name: 'mail' }, { name: 'agent', decides })
    const { opportunity, actions } = await create({ mail: { templateId: id } })
    expect(actions).toEqual({
      mail: { done: true, templateId: id, error: null },
      agent: { done: true, agentId: id, error: null },
    })
    expect(run).toHaveBeenCalledTimes(2)
    expect(decides.mock.calls[0]![1]).toEqual({
      opportunityId: opportunity.id,
      ...{ contactId: expect.any(String), pipelineId: expect.any(String), stageId: expect.any(String), isMoved: false },
    })
    expect(await query('select from job')).toEqual([])
  })

  test.each([
    ['the creation with actions', () => create(null)],
    ['the plain creation', () => createOpportunity(db, db.viewer.actor, { name: 'Ana' }, new Map())],
  ])('happens in the background when nothing is asked for, by %s', async (_, creation) => {
    const run = declare({ name: 'agent', decides: async () => ({ agentId: id }) })
    const made = await creation()
    if ('actions' in made) expect(made.actions).toBeNull()
    expect(run).not.toHaveBeenCalled()
    expect(await stored()).toMatchObject([{ name: 'agent', input: { agentId: id }, result: null }])
    await work(async () => (await stored())[0].result !== null)
    expect((await stored())[0]).toMatchObject({ result: { done: true, agentId: id, error: null } })
    expect(run).toHaveBeenCalledTimes(1)
  })

  test('gives way to what the caller gave the same action, though that be wrong', async () => {
    const decides = jest.fn<NonNullable<Action['decides']>>(async () => ({ agentId: id }))
    const run = declare({ name: 'agent', decides })
    const other = randomUUID()
    expect((await create({ agent: { agentId: other } })).actions).toEqual({
      agent: { done: true, agentId: other, error: null },
    })
    expect((await create({ agent: { agentId: 'me' } })).actions).toEqual({
      agent: failed('What was given as the id of the agent is no uuid.'),
    })
    expect([decides.mock.calls.length, run.mock.calls.length]).toEqual([0, 1])
  })

  test('is nothing where it decides so, and goes with a creation that is taken back', async () => {
    declare({ name: 'agent', decides: async () => null })
    expect((await create(null)).actions).toBeNull()
    declare({ name: 'agent', decides: async () => ({ agentId: id }) })
    const scope = Scope.ofSystem(service.database, db.accountId)
    const failing = scope.transaction(async () => {
      await create(null, scope)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect([await stored(), await query('select from job')]).toEqual([[], []])
  })

  test('is promised in an answer that is kept, as what was asked for', async () => {
    declare({ name: 'mail' }, { name: 'agent', decides: async () => ({ agentId: id }) })
    const scope = Scope.ofSystem(service.database, db.accountId)
    await scope.transaction(async () => {
      const { actions } = await create({ mail: { templateId: id } }, scope)
      expect([scope.promised, Object.keys(actions!).sort()]).toEqual([true, ['agent', 'mail']])
    })
  })
})

test('without a domain that decides, a creation takes no statement more, and with one that it sends alone', async () => {
  const { client } = await makeTenant(service)
  const statements = async () => {
    const call = () => client.post('/opportunities', { name: 'Ana', email: `${randomUUID()}@example.com` })
    const { result, statements } = await service.statementsOf(call)
    expect(result.status).toBe(201)
    return statements.length
  }
  declare({ name: 'mail' })
  await statements() // the first has the key's rate counted anew
  const plain = await statements()
  expect(plain).toBe(await statements())
  declare()
  expect(await statements()).toBe(plain)
  declare({ name: 'agent', decides: async () => ({ agentId: id }) })
  expect(await statements()).toBe(plain + 2) // its row and its job
})

describe('what a process leaves behind that dies', () => {
  /** An opportunity with an action, of which the row is then as a process has left it. */
  async function left(columns: string): Promise<void> {
    await create({ mail: { templateId: id } })
    await query(`update opportunity_action set result = null, input = $1, ${columns}`, [{ templateId: id }])
  }
  const NOT_BEGUN = `claimed_at = null, created_at = now() - interval '1 minute'`

  test('is done when it was not begun, once, however many look', async () => {
    const run = declare({ name: 'mail' })
    await left(NOT_BEGUN)
    run.mockClear()
    await Promise.all([1, 2, 3].map(() => settleLeft(service.database)))
    expect(run).toHaveBeenCalledTimes(1)
    expect(await stored()).toMatchObject([{ result: { done: true, templateId: id, error: null } }])
  })

  test('is done when it lies in our database alone', async () => {
    const run = declare({ name: 'mail', effect: 'database' })
    await left(NOT_BEGUN)
    run.mockClear()
    await settleLeft(service.database)
    expect(run).toHaveBeenCalledTimes(1)
    expect(await stored()).toMatchObject([{ claimed_at: null, result: { done: true, error: null } }])
  })

  test('is not done again when it was begun: nobody knows', async () => {
    const run = declare({ name: 'mail' })
    await left(`claimed_at = now() - interval '1 minute', created_at = now() - interval '1 minute'`)
    run.mockClear()
    await settleLeft(service.database)
    expect(run).not.toHaveBeenCalled()
    expect(await stored()).toMatchObject([{ result: failed('interrupted; outcome unknown') }])
  })

  test('is not done after a day, and says so', async () => {
    const run = declare({ name: 'mail' })
    await left(`claimed_at = null, created_at = now() - interval '25 hours'`)
    run.mockClear()
    await settleLeft(service.database)
    expect(run).not.toHaveBeenCalled()
    const error = 'It was not done: the service was interrupted before it began with it.'
    expect(await stored()).toMatchObject([{ result: failed(error) }])
  })

  test('is left alone while whoever began may live, and where this process does not know it', async () => {
    const run = declare({ name: 'mail' })
    await left('claimed_at = null, created_at = now()')
    await left(`claimed_at = now(), created_at = now() - interval '1 minute'`)
    await query(`update opportunity_action set name = 'unknown', claimed_at = null, created_at = now() - interval '1 h'
      where id = (select max(id::text)::uuid from opportunity_action)`)
    run.mockClear()
    await query(`update opportunity_action set claimed_at = now() where name = 'mail'`)
    await settleLeft(service.database)
    expect(run).not.toHaveBeenCalled()
    expect((await stored()).map(({ result }) => result)).toEqual([null, null])
  })
})
