import { setTimeout as delay } from 'node:timers/promises'
import { type Step, StepKind, startFlowWorker } from '../../src/domains/flows/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { Deadlocks, NONE } from '../support/deadlocks.js'
import { makeEnrollment, makeFlow, sendStep } from '../support/factories/flows.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { defaultPipelineOf } from '../support/factories/pipelines.js'
import { makeTenant } from '../support/factories.js'

// Something happens to each of many contacts while their steps are due: whichever comes first, both come to their end, and
// what was answered holds. No mail leaves here, so that what is queued can be seen.

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ encryptionKey: Buffer.alloc(32, 7), poolSize: 20 })
})
afterAll(() => service.stop())

const PEOPLE = process.env.FULL === 'true' ? 100 : 25

interface Standing {
  id: string
  state: string
  reason: string | null
  contactId: string | null
  version: number
  /** The mails of its contact, by status. */
  mails: string[]
}

/** An account in whose flow many contacts have a mail that is due. */
async function makeCrowd(rest: Step[] = []) {
  const { database } = service
  const tenant = await makeTenant(service)
  const { accountId } = tenant
  const { id: flowId } = await makeFlow(database, accountId, { steps: [await sendStep(database, accountId), ...rest] })
  const people = []
  for (let i = 0; i < PEOPLE; i++) people.push(await makeEnrollment(database, accountId, { flowId }))
  const standings = async () => {
    const { rows } = await database.pool.query<Standing>(
      `select e.id, e.state, e.end_reason as reason, e.contact_id as "contactId", e.version,
         array(select m.status from mail m where m.id = e.mail_id) as mails from flow_enrollment e where account_id = $1`,
      [accountId],
    )
    return rows
  }
  const queued = async () =>
    (await database.pool.query(`select 1 from mail where account_id = $1 and status = 'queued'`, [accountId])).rowCount
  return { ...tenant, flowId, people, standings, queued }
}

/** Does something to each while two workers have the steps happen, and waits until no step is due. */
async function cross<T>(accountId: string, calls: readonly (() => Promise<T>)[]): Promise<T[]> {
  const { database } = service
  const failures: unknown[] = []
  const deadlocks = await Deadlocks.watch(database)
  const log = (error: unknown) => failures.push(error)
  const workers = [1, 2].map(() => startFlowWorker({ database, log, pollMs: 5 }))
  const answers = await Promise.all(
    calls.map(async (call, i) => {
      await delay((i * 40) / calls.length)
      return call()
    }),
  )
  const due = `select 1 from flow_enrollment where account_id = $1 and state = 'active'
    and due_at <= now() + interval '1 millisecond'`
  while ((await database.pool.query(due, [accountId])).rowCount) await delay(20)
  await Promise.all(workers.map((worker) => worker.stop()))
  expect(failures).toEqual([])
  expect(await deadlocks.found()).toEqual(NONE)
  return answers
}

const succeeded = ({ status, body }: Answer) => status < 300 && !body.errors

test('who is stopped gets no mail any more, and who was through says so', async () => {
  const { accountId, client, people, standings, queued } = await makeCrowd()
  const answers = await cross(
    accountId,
    people.map(
      ({ id }) =>
        () =>
          client.graphql(`mutation { stopFlowEnrollment(id: "${id}") { id } }`),
    ),
  )
  const stopped = new Set(people.filter((_, i) => succeeded(answers[i]!)).map(({ id }) => id))
  for (const { id, state, reason, mails } of await standings()) {
    expect([id, state, reason]).toEqual([id, ...(stopped.has(id) ? ['stopped', 'by_hand'] : ['completed', 'finished'])])
    if (!stopped.has(id)) expect(mails).toEqual(['queued'])
  }
  expect(await queued()).toBe(people.length - stopped.size)
})

test('an edit changes nothing for who has begun', async () => {
  const { accountId, client, flowId, standings, queued } = await makeCrowd()
  const update = 'mutation ($id: ID!, $input: UpdateFlowInput!) { updateFlow(id: $id, input: $input) { version } }'
  const edits = [1, 2, 3, 4, 5].map(
    (waitSeconds) => () => client.graphql(update, { id: flowId, input: { steps: [{ kind: 'WAIT', waitSeconds }] } }),
  )
  expect((await cross(accountId, edits)).every(succeeded)).toBe(true)
  const all = await standings()
  expect(all.map(({ state, version, mails }) => [state, version, ...mails])).toEqual(
    all.map(() => ['completed', 1, 'queued']),
  )
  expect(await queued()).toBe(PEOPLE)
})

test('after a pause was answered no step happens until the flow is resumed', async () => {
  const { accountId, client, flowId, standings, queued } = await makeCrowd()
  const to = (name: string) => client.graphql(`mutation { ${name}(id: "${flowId}") { id } }`)
  let atPause: number | null = null
  const pause = async () => {
    await delay(15)
    const answer = await to('pauseFlow')
    atPause = await queued()
    return answer
  }
  expect((await cross(accountId, [pause])).every(succeeded)).toBe(true)
  expect(await queued()).toBe(atPause)
  const states = (await standings()).map(({ state, mails }) => `${state} ${mails}`)
  expect(states.filter((one) => one !== 'paused ' && one !== 'completed queued')).toEqual([])
  expect((await cross(accountId, [() => to('resumeFlow')])).every(succeeded)).toBe(true)
  expect(await queued()).toBe(PEOPLE)
})

test('who wants no mail any more has none waiting', async () => {
  const { accountId, client, people, standings, queued } = await makeCrowd()
  const answers = await cross(
    accountId,
    people.map(
      ({ email }) =>
        () =>
          client.graphql(`mutation { suppressAddress(input: { address: "${email}" }) { id } }`),
    ),
  )
  expect(answers.every(succeeded)).toBe(true)
  expect(await queued()).toBe(0)
  for (const { state, reason } of await standings()) {
    expect(['completed finished', 'stopped unsubscribed']).toContain(`${state} ${reason}`)
  }
})

test('of who is deleted nothing waits, and the enrollment is empty', async () => {
  const { accountId, client, people, standings, queued } = await makeCrowd()
  const answers = await cross(
    accountId,
    people.map(
      ({ contactId }) =>
        () =>
          client.call('DELETE', `/contacts/${contactId}`),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200))
  expect(await queued()).toBe(0)
  for (const { state, reason, contactId, mails } of await standings()) {
    expect([contactId, mails]).toEqual([null, []])
    expect(['completed finished', 'stopped contact_deleted']).toContain(`${state} ${reason}`)
  }
})

test('an opportunity that is won beside a step that moves it ends the flow, and neither is lost', async () => {
  const { accountId, client, people, standings } = await makeCrowd()
  const { stageIds } = await defaultPipelineOf(service.database, accountId)
  const { id: flowId } = await makeFlow(service.database, accountId, {
    steps: [
      { kind: StepKind.MOVE, stageId: stageIds[2]! },
      { kind: StepKind.WAIT, waitSeconds: 3600 },
      { kind: StepKind.STOP },
    ],
  })
  const opportunities: string[] = []
  for (const { contactId } of people) {
    opportunities.push((await makeOpportunity(service.database, accountId, { contact: { id: contactId } })).id)
    await makeEnrollment(service.database, accountId, { flowId, contactId })
  }
  const won = stageIds.at(-2)!
  const answers = await cross(
    accountId,
    opportunities.map((id) => () => client.call('PATCH', `/opportunities/${id}/stage`, { body: { stage_id: won } })),
  )
  expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200))
  const { rows } = await service.database.pool.query(
    'select distinct stage_id from opportunity where account_id = $1',
    [accountId],
  )
  expect(rows).toEqual([{ stage_id: won }])
  for (const { state } of await standings()) expect(['completed', 'stopped']).toContain(state)
})
