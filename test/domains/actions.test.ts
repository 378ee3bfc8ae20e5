import { randomUUID } from 'node:crypto'
import { jest } from '@jest/globals'
import { sql } from 'kysely'
import { param, Scope, Statement } from '../../src/database/index.js'
import { settleAsked } from '../../src/domains/opportunities/action.service.js'
import { settleActions } from '../../src/domains/opportunities/index.js'
import { createWithActions } from '../../src/domains/opportunities/opportunity-create.service.js'
import { type Action, declaredActions } from '../../src/kit/action.js'
import { fulfil } from '../../src/kit/later.js'
import { AppError } from '../../src/shared/errors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant } from '../support/factories.js'

class Nothing {}
const slot = { input: Nothing, block: Nothing }
const failed = (error: string) => ({ done: false, error })

/** An action of a test, with what it does; the test counts how often. */
function action(name: string, effect: Action['effect'], run: Action['run']): Action {
  return { slot, name, description: name, input: Nothing, block: Nothing, effect, failed, run }
}

let service: TestApp
let db: Scope
beforeAll(async () => {
  service = await startTestApp()
  db = Scope.ofSystem(service.database, (await makeTenant(service)).accountId)
})
afterAll(() => service.stop())

const declare = (...actions: Action[]) => service.database.needs.provide(declaredActions, actions)
const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows
const storedFor = (opportunityId: string) =>
  query('select id, name, input, claimed_at, result from opportunity_action where opportunity_id = $1', [opportunityId])
const create = (given: Parameters<typeof createWithActions>[3], scope = db) =>
  createWithActions(scope, scope.viewer.actor, { name: 'Ana' }, given, new Map())

const rename = new Statement<never>(
  sql<never>`update opportunity set notes = ${param('notes')}
    where account_id = ${param('account')} and id = ${param('opportunityId')}`,
)
const id = randomUUID()

test('nothing that was not asked for happens, and an empty id asks for nothing', async () => {
  const run = jest.fn<Action['run']>()
  declare(action('mail', 'outside', run))
  expect((await create(null)).actions).toBeNull()
  expect((await create({ mail: { templateId: ' ', senderId: null } })).actions).toBeNull()
  expect(run).not.toHaveBeenCalled()
})

test('actions run after the commit, side by side, and none has the others or the creation fail', async () => {
  let arrived = 0
  let all = () => {}
  const together = new Promise<void>((resolve) => {
    all = resolve
  })
  const meet = async () => {
    if (++arrived === 2) all()
    await together
  }
  declare(
    action('one', 'outside', async (_, given, { opportunityId, contactId }) => {
      await meet()
      return { done: (await storedFor(opportunityId)).length === 4 && contactId !== null, ...given, error: null }
    }),
    action('refuses', 'outside', async () => {
      await meet()
      throw new AppError('VALIDATION_ERROR', 'There is no such template.')
    }),
    action('breaks', 'database', () => Promise.reject(new Error('a secret of the house'))),
    action('misnamed', 'outside', () => Promise.resolve({ done: true, error: null })),
  )
  const asked = { one: { recordId: id.toUpperCase() }, refuses: { recordId: id }, breaks: { recordId: id } }
  const { opportunity, actions } = await create({ ...asked, misnamed: { emailTemplateId: 'ana@example.com' } })
  expect(actions).toEqual({
    one: { done: true, recordId: id, error: null },
    refuses: failed('There is no such template.'),
    breaks: failed('It failed for a reason of our own, which we have written down.'),
    misnamed: failed('What was given as the id of the email template is no uuid.'),
  })
  expect(service.logs().map(({ msg }) => msg)).toContain('the action breaks failed')
  expect(JSON.stringify(await storedFor(opportunity.id))).not.toContain('ana@example.com')
})

test('what an action does in our own database is committed with its block or not at all', async () => {
  declare(
    action('keeps', 'database', async (scope, _, { opportunityId }) => {
      await scope.rows(rename, { opportunityId, notes: 'kept' })
      return { done: true, error: null }
    }),
  )
  const { opportunity } = await create({ keeps: { recordId: id } })
  expect((await storedFor(opportunity.id))[0]).toMatchObject({ claimed_at: null, result: { done: true } })
  expect(await query('select notes from opportunity where id = $1', [opportunity.id])).toEqual([{ notes: 'kept' }])

  declare(
    action('keeps', 'database', async (scope, _, { opportunityId }) => {
      await scope.rows(rename, { opportunityId, notes: 'not kept' })
      throw new AppError('VALIDATION_ERROR', 'No.')
    }),
  )
  const second = await create({ keeps: { recordId: id } })
  expect(second.actions).toEqual({ keeps: failed('No.') })
  expect(await query('select notes from opportunity where id = $1', [second.opportunity.id])).toEqual([{ notes: null }])
})

test('an answer that is kept promises its blocks; who asks again gets the same, and nothing runs twice', async () => {
  const run = jest.fn<Action['run']>(async () => ({ done: true, error: null }))
  declare(action('mail', 'outside', run))
  const scope = Scope.ofSystem(service.database, db.accountId)
  const body = await scope.transaction(async () => {
    const text = JSON.stringify(await create({ mail: { templateId: id } }, scope))
    expect([scope.promised, run.mock.calls.length]).toEqual([true, 0])
    return text
  })
  const answers = await Promise.all([1, 2, 3].map(() => fulfil(scope.beside(), body)))
  for (const answer of answers) expect(JSON.parse(answer).actions).toEqual({ mail: { done: true, error: null } })
  expect(run).toHaveBeenCalledTimes(1)
})

test('one whose process died after it was claimed is not run again, and says so to everybody', async () => {
  const run = jest.fn<Action['run']>(async () => ({ done: true, error: null }))
  declare(action('mail', 'outside', run))
  const { opportunity } = await create({ mail: { templateId: id } })
  const [row] = await storedFor(opportunity.id)
  await query(`update opportunity_action set result = null, claimed_at = now() - interval '1 minute' where id = $1`, [
    row.id,
  ])
  for (let time = 0; time < 2; time++) {
    expect((await settleActions(db, [row.id])).get(row.id)).toEqual(failed('interrupted; outcome unknown'))
  }
  expect(run).toHaveBeenCalledTimes(1)
})

test('one whose opportunity is deleted before it was begun says so, and does not happen', async () => {
  const run = jest.fn<Action['run']>()
  declare(action('mail', 'outside', run))
  const asked = { name: 'mail', input: {}, contactId: null, claimed: false, dead: false, result: null }
  const gone = { ...asked, id: randomUUID(), opportunityId: randomUUID() }
  expect((await settleAsked(db, [gone])).get(gone.id)).toEqual(failed('The opportunity was deleted meanwhile.'))
  expect(run).not.toHaveBeenCalled()
})

test('one that takes longer than its time is an error, and what it does in our database is taken back', async () => {
  let go = () => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  declare(
    action('slow', 'database', async (scope, _, { opportunityId, signal }) => {
      await scope.rows(rename, { opportunityId, notes: 'late' })
      signal.addEventListener('abort', go)
      await gate
      return { done: true, error: null }
    }),
  )
  const { opportunity, actions } = await create({ slow: { recordId: id } })
  expect(actions).toEqual({ slow: failed('It took longer than 5 seconds and was given up.') })
  expect(await query('select notes from opportunity where id = $1', [opportunity.id])).toEqual([{ notes: null }])
}, 30_000)
