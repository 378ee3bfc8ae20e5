import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { defaultPipelineOf, makePipeline } from '../support/factories/pipelines.js'
import { makeDiscardReason } from '../support/factories/reference.js'
import { makeKey, makeTenant } from '../support/factories.js'
import {
  expectMoved,
  faultsOf,
  makeSubject,
  type Shown,
  type StageName,
  type Subject,
  timeOf,
} from '../support/opportunities.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const TIMES = 'sent_at accepted_at qualifying_started_at qualified_at scheduled_at won_at lost_at'.split(' ')
const REASONS = 'query ($id: ID!) { opportunity(id: $id) { lossReason } }'

/** The timestamps that are set, and what is noted of a loss. */
async function standing({ read, client, id }: Subject): Promise<Shown> {
  const shown = await read()
  const { lossReason } = (await client.graphql(REASONS, { id })).body.data.opportunity
  const entries = [...TIMES, 'discard_reason_id']
    .filter((name) => shown[name] !== null)
    .map((name) => [name, shown[name]])
  return { ...Object.fromEntries(entries), ...(lossReason !== null && { lossReason }) }
}

const timesOf = (shown: Shown) => Object.keys(shown).filter((name) => TIMES.includes(name))

async function moveTo(subject: Subject, stage: StageName, more: object = {}): Promise<Shown> {
  const answer = await subject.move({ stage_id: subject.stages[stage], ...more })
  expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 200, error: undefined })
  return answer.body
}

test('answers with the opportunity and from where to where it went', async () => {
  const subject = await makeSubject(service)
  const { client, stages, id, pipelineId } = subject
  const body = await moveTo(subject, 'sent')
  const put = (await client.put(`/opportunities/${id}`, { stage_id: stages.sent })).body.data
  expect(body).toEqual({
    success: true,
    data: put,
    stage_change: { from: { id: stages.start, name: 'start' }, to: { id: stages.sent, name: 'sent' } },
  })
  expect(body.data).toMatchObject({ id, pipeline_id: pipelineId, stage_id: stages.sent })
})

test('sets the timestamp of a stage once, and keeps it', async () => {
  const subject = await makeSubject(service)
  await moveTo(subject, 'sent')
  const first = await standing(subject)
  expect(timesOf(first)).toEqual(['sent_at'])
  const [step] = await subject.history()
  expect(timeOf(step!.created_at) - timeOf(first.sent_at)).toBeLessThan(1000)
  expect(timeOf(step!.created_at)).toBeGreaterThanOrEqual(timeOf(first.sent_at))
  await moveTo(subject, 'start')
  expect(await standing(subject)).toEqual(first)
  await new Promise((resolve) => setTimeout(resolve, 5))
  await moveTo(subject, 'sent')
  expect(await standing(subject)).toEqual(first)
  await moveTo(subject, 'qualified')
  expect(await standing(subject)).toEqual({ ...first, qualified_at: expect.any(String) })
})

test('open, won, open, lost, won: each shows how it stands and nothing of before', async () => {
  const subject = await makeSubject(service)
  const reason = await makeDiscardReason(service.database, subject.accountId)
  await moveTo(subject, 'won')
  const won = await standing(subject)
  expect(timesOf(won)).toEqual(['won_at'])

  await new Promise((resolve) => setTimeout(resolve, 5))
  await moveTo(subject, 'wonToo')
  expect(await standing(subject)).toEqual(won)

  await moveTo(subject, 'start')
  expect(await standing(subject)).toEqual({})

  await moveTo(subject, 'lost', { loss_reason: '  Too dear.\r\n', discard_reason_id: reason.id.toUpperCase() })
  const lost = await standing(subject)
  expect(lost).toEqual({ lost_at: expect.any(String), discard_reason_id: reason.id, lossReason: 'Too dear.' })

  await new Promise((resolve) => setTimeout(resolve, 5))
  await moveTo(subject, 'lostToo')
  expect(await standing(subject)).toEqual(lost)
  await moveTo(subject, 'lost', { loss_reason: 'Gone.' })
  expect(await standing(subject)).toEqual({ ...lost, lossReason: 'Gone.' })

  await moveTo(subject, 'won')
  expect(await standing(subject)).toEqual({ won_at: expect.any(String) })
  await moveTo(subject, 'lost')
  expect(await standing(subject)).toEqual({ lost_at: expect.any(String) })
  await moveTo(subject, 'start')
  expect(await standing(subject)).toEqual({})
})

test('goes between pipelines', async () => {
  const subject = await makeSubject(service)
  const other = await makePipeline(service.database, subject.accountId, { name: 'Other', stages: ['A', 'B'] })
  const { status, body } = await subject.move({ stage_id: other.stages[1]!.id })
  expect(status).toBe(200)
  expect(body.data).toMatchObject({ pipeline_id: other.id, stage_id: other.stages[1]!.id })
  expect(body.stage_change).toMatchObject({ from: { name: 'start' }, to: { name: 'B' } })
  expect(await subject.read()).toMatchObject({ pipeline_name: 'Other', stage_name: 'B' })
})

test('to where it stands changes nothing but the reasons of a loss that are given', async () => {
  const subject = await makeSubject(service)
  const reason = await makeDiscardReason(service.database, subject.accountId)
  await moveTo(subject, 'lost', { loss_reason: 'Too dear.' })
  const before = await dumpOf(service.database, subject.accountId)
  const lost = { id: subject.stages.lost, name: 'lost' }
  expect((await moveTo(subject, 'lost')).stage_change).toEqual({ from: lost, to: lost })
  expect(await dumpOf(service.database, subject.accountId)).toEqual(before)
  const body = await moveTo(subject, 'lost', { loss_reason: 'Else.', discard_reason_id: reason.id })
  expect(body.stage_change).toEqual({ from: lost, to: lost })
  expect(body.data).toMatchObject({ discard_reason_id: reason.id })
  const { opportunity, ...after } = await dumpOf(service.database, subject.accountId)
  expect({ ...after, opportunity: before.opportunity }).toEqual(before)
  expect(JSON.stringify(opportunity)).toContain('Else.')
})

test('is a step of the history, with the reason and who did it', async () => {
  const subject = await makeSubject(service)
  await moveTo(subject, 'sent')
  await moveTo(subject, 'lost', { loss_reason: 'Too dear.' })
  const steps = await subject.history()
  const { stages } = subject
  const common = { id: expect.any(String), action: 'stage_changed', from_value: null, to_value: null }
  const by = { user_name: expect.stringMatching(/^Key \d+$/), created_at: expect.any(String) }
  const start = { from_stage_id: stages.start, from_stage_name: 'start' }
  const sent = { from_stage_id: stages.sent, from_stage_name: 'sent' }
  expect(steps).toEqual([
    { ...common, ...by, ...start, to_stage_id: stages.sent, to_stage_name: 'sent', notes: null },
    { ...common, ...by, ...sent, to_stage_id: stages.lost, to_stage_name: 'lost', notes: 'Too dear.' },
  ])
})

test('is a change of the opportunity', async () => {
  const subject = await makeSubject(service)
  await expectMoved(subject, true, () => moveTo(subject, 'qualified'))
  await expectMoved(subject, false, () => moveTo(subject, 'qualified'))
})

describe('what is refused changes nothing', () => {
  async function expectRefused(subject: Subject, body: unknown, refusal: object): Promise<void> {
    const before = await dumpOf(service.database, subject.accountId)
    expect(faultsOf(await subject.move(body))).toMatchObject(refusal)
    expect(await dumpOf(service.database, subject.accountId)).toEqual(before)
  }

  test('a stage that is missing, empty, or not of the account', async () => {
    const subject = await makeSubject(service)
    const { accountId } = await makeTenant(service)
    const { stageIds } = await defaultPipelineOf(service.database, accountId)
    for (const body of [{}, { stage_id: null }, { stage_id: '' }, { loss_reason: 'x' }]) {
      await expectRefused(subject, body, { status: 400, code: 'VALIDATION_ERROR', fields: ['stage_id'] })
    }
    for (const stage_id of [stageIds[0], randomUUID(), 'won', 1]) {
      await expectRefused(subject, { stage_id }, { status: 400, fields: ['stage_id'] })
    }
  })

  test('a reason of a loss where nothing is lost, and one that is not of the account', async () => {
    const subject = await makeSubject(service)
    const { stages, accountId } = subject
    const own = await makeDiscardReason(service.database, accountId)
    const gone = await makeDiscardReason(service.database, accountId, { deletedAt: new Date() })
    const theirs = await makeDiscardReason(service.database, (await makeTenant(service)).accountId)
    for (const stage_id of [stages.sent, stages.won, stages.start]) {
      const body = { stage_id, loss_reason: 'x', discard_reason_id: own.id }
      await expectRefused(subject, body, { status: 400, fields: ['discard_reason_id', 'loss_reason'] })
      await expectRefused(subject, { stage_id, loss_reason: 'x' }, { status: 400, fields: ['loss_reason'] })
    }
    for (const discard_reason_id of [theirs.id, gone.id, randomUUID(), 'none']) {
      const body = { stage_id: stages.lost, discard_reason_id }
      await expectRefused(subject, body, { status: 400, fields: ['discard_reason_id'] })
    }
    const both = { stage_id: randomUUID(), discard_reason_id: theirs.id }
    await expectRefused(subject, both, { status: 400, fields: ['discard_reason_id', 'stage_id'] })
    const empty = { stage_id: stages.won, loss_reason: ' ', discard_reason_id: '' }
    expect((await subject.move(empty)).status).toBe(200)
  })

  test('an opportunity of nobody or of another account; what is wrong with the body comes first', async () => {
    const [mine, theirs] = [await makeSubject(service), await makeSubject(service)]
    for (const id of [theirs.id, randomUUID(), 'nobody']) {
      const move = (body: object) => mine.client.call('PATCH', `/opportunities/${id}/stage`, { body })
      expect(faultsOf(await move({ stage_id: mine.stages.won }))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
      expect(faultsOf(await move({ stage_id: theirs.stages.won }))).toMatchObject({ status: 400 })
      expect(faultsOf(await move({}))).toMatchObject({ status: 400 })
    }
    expect(await theirs.read()).toMatchObject({ stage_id: theirs.stages.start })
  })
})

test('only keys that may write opportunities may move one', async () => {
  const { accountId, path, stages } = await makeSubject(service)
  const move = (key?: string) =>
    createClient(service.origin, key).call('PATCH', `${path}/stage`, { body: { stage_id: stages.won } })
  expect((await move()).status).toBe(401)
  for (const [permission, status] of [
    ['opportunities:read', 403],
    ['pipelines:read', 403],
    ['opportunities:write', 200],
  ] as const) {
    const { secret } = await makeKey(service.database, accountId, { permissions: [permission] })
    expect((await move(secret)).status).toBe(status)
  }
})

describe('at the same time', () => {
  test('as many others, all happen, and the history is a chain from the first to the last', async () => {
    for (let round = 0; round < 4; round++) {
      const subject = await makeSubject(service)
      const names: StageName[] = [
        'sent',
        'qualified',
        'won',
        'lost',
        'start',
        'wonToo',
        'lostToo',
        'sent',
        'won',
        'start',
      ]
      const answers = await Promise.all(names.map((name) => subject.move({ stage_id: subject.stages[name] })))
      expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
      const steps = await subject.history()
      let at = subject.stages.start
      for (const { from_stage_id, to_stage_id } of steps) {
        expect(from_stage_id).toBe(at)
        expect(to_stage_id).not.toBe(at)
        at = to_stage_id
      }
      const { stage_id, stage_name, won_at, lost_at } = await subject.read()
      expect(stage_id).toBe(at)
      expect([won_at !== null, lost_at !== null]).toEqual([stage_name.startsWith('won'), stage_name.startsWith('lost')])
      // Each answer tells of the very step that it made, or that it made none.
      const told = answers.map(({ body }) => body.stage_change).filter(({ from, to }) => from.id !== to.id)
      const made = steps.map(({ from_stage_id, to_stage_id }) => `${from_stage_id} ${to_stage_id}`)
      expect(told.map(({ from, to }) => `${from.id} ${to.id}`).toSorted()).toEqual(made.toSorted())
    }
  })

  test('as the stage is deleted, it is refused or keeps the stage', async () => {
    for (let round = 0; round < 8; round++) {
      const subject = await makeSubject(service)
      const remove = `mutation { deleteStage(id: "${subject.stages.qualified}") { id } }`
      const [moved, removed] = await Promise.all([
        subject.move({ stage_id: subject.stages.qualified }),
        subject.client.graphql(remove),
      ])
      if (removed.body.errors) {
        expect(removed.body.errors[0].extensions.code).toBe('RECORD_IN_USE')
        expect(moved.status).toBe(200)
      } else expect(faultsOf(moved)).toMatchObject({ status: 400, fields: ['stage_id'] })
    }
  })
})
