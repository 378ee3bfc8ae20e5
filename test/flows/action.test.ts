import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Scope } from '../../src/database/index.js'
import { enroll, FlowStatus, StepKind } from '../../src/domains/flows/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { makeFlow } from '../support/factories/flows.js'
import { makeSender, makeTemplate } from '../support/factories/mail.js'
import { defaultPipelineOf } from '../support/factories/pipelines.js'
import { makeContact, makeTenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ encryptionKey: Buffer.alloc(32, 7) })
})
afterAll(() => service.stop())

const steps = [{ kind: StepKind.WAIT, waitSeconds: 3600 } as const, { kind: StepKind.STOP } as const]

async function makeFlowing() {
  const tenant = await makeTenant(service)
  const { client, accountId } = tenant
  const make = (status: FlowStatus) => makeFlow(service.database, accountId, { steps, status })
  const flow = await make(FlowStatus.ACTIVE)
  const lead = { name: 'Ana Souza', email: `ana-${randomUUID()}@example.com` }
  const enrollments = async () =>
    dataOf(await client.graphql('{ flowEnrollments { items { id flowId contactId opportunityId state } } }')).items
  return { ...tenant, make, flow, lead, enrollments }
}

const outcome = ({ status, body }: Answer) => ({ status, error: body.error, actions: body.actions })
const failed = (error: string | RegExp) => ({
  status: 201,
  error: undefined,
  actions: { flow: { enrolled: false, enrollment_id: null, status: null, error: expect.stringMatching(error) } },
})

test('the contact of a new opportunity begins the flow, with the opportunity', async () => {
  const { client, flow, lead, enrollments } = await makeFlowing()
  const answer = await client.post('/opportunities', { ...lead, enroll_in_flow_id: flow.id.toUpperCase() })
  expect(outcome(answer)).toEqual({
    status: 201,
    error: undefined,
    actions: { flow: { enrolled: true, enrollment_id: expect.any(String), status: 'active', error: null } },
  })
  const { id: opportunityId, contact_id: contactId } = answer.body.data
  const { enrollment_id: id } = answer.body.actions.flow
  expect(await enrollments()).toEqual([{ id, flowId: flow.id, contactId, opportunityId, state: 'ACTIVE' }])
})

test('it begins once for a key, however often and by how many that is asked for', async () => {
  const { client, flow, lead, enrollments } = await makeFlowing()
  const headers = { 'Idempotency-Key': randomUUID() }
  const body = { ...lead, enroll_in_flow_id: flow.id }
  const answers = await Promise.all(Array.from({ length: 5 }, () => client.post('/opportunities', body, headers)))
  answers.push(await client.post('/opportunities', body, headers))
  expect(new Set(answers.map(({ body: { data, actions } }) => JSON.stringify({ data, actions }))).size).toBe(1)
  expect(answers[0]!.body.actions.flow).toMatchObject({ enrolled: true, error: null })
  expect(await enrollments()).toHaveLength(1)
})

test('what is in the way is told, and the opportunity is created all the same', async () => {
  const { client, accountId, make, flow, lead, enrollments } = await makeFlowing()
  const other = await makeFlowing()
  const left = await makeContact(service.database, accountId, { email: `left-${randomUUID()}@example.com` })
  const suppress = 'mutation ($email: String!) { suppressAddress(input: { address: $email }) { id } }'
  dataOf(await client.graphql(suppress, { email: left.email }))
  for (const [body, error] of [
    [{ ...lead, enroll_in_flow_id: 'welcome' }, /no uuid/],
    [{ ...lead, enroll_in_flow_id: randomUUID() }, /^There is no such flow\.$/],
    [{ ...lead, enroll_in_flow_id: other.flow.id }, /^There is no such flow\.$/],
    [{ ...lead, enroll_in_flow_id: (await make(FlowStatus.DRAFT)).id }, /not active: it is a draft/],
    [{ ...lead, enroll_in_flow_id: (await make(FlowStatus.PAUSED)).id }, /not active: it is paused/],
    [{ ...lead, enroll_in_flow_id: (await make(FlowStatus.ARCHIVED)).id }, /not active: it is archived/],
    [{ name: 'Nobody', enroll_in_flow_id: flow.id }, /no email address/],
    [{ name: 'Left', email: left.email, enroll_in_flow_id: flow.id }, /wants no mail/],
  ] as const) {
    const answer = await client.post('/opportunities', body)
    expect({ body, ...outcome(answer) }).toEqual({ body, ...failed(error) })
    expect((await client.get(`/opportunities/${answer.body.data.id}`)).status).toBe(200)
  }
  expect(await enrollments()).toEqual([])
})

test('who is in the flow already is told by which enrollment', async () => {
  const { client, flow, lead, enrollments } = await makeFlowing()
  const body = { ...lead, enroll_in_flow_id: flow.id }
  const first = (await client.post('/opportunities', body)).body.actions.flow
  expect(outcome(await client.post('/opportunities', body)).actions.flow).toEqual({
    ...{ enrolled: false, enrollment_id: first.enrollment_id, status: 'active' },
    error: 'The contact is in this flow already.',
  })
  expect(await enrollments()).toHaveLength(1)
})

test('a mail and a flow may be asked for together, and one that fails takes nothing from the other', async () => {
  const { client, accountId, flow, lead } = await makeFlowing()
  const template = await makeTemplate(service.database, accountId)
  await makeSender(service.database, accountId, { isDefault: true, verifiedAt: null })
  const asked = { enroll_in_flow_id: flow.id, send_template_email_id: template.id }
  const { body } = await client.post('/opportunities', { ...lead, ...asked })
  expect(body.actions).toEqual({
    flow: { enrolled: true, enrollment_id: expect.any(String), status: 'active', error: null },
    email: { sent: false, email_id: null, error: expect.stringMatching(/verified/) },
  })
})

describe('an opportunity that is won', () => {
  test('when it is created begins the flow: so it was asked for', async () => {
    const { client, accountId, flow, lead, enrollments } = await makeFlowing()
    const { stageIds } = await defaultPipelineOf(service.database, accountId)
    const body = { ...lead, stage_id: stageIds.at(-2), enroll_in_flow_id: flow.id }
    expect((await client.post('/opportunities', body)).body.actions.flow).toMatchObject({ enrolled: true, error: null })
    expect(await enrollments()).toMatchObject([{ state: 'ACTIVE' }])
  })

  test('while its contact is about to begin waits for that, and ends it', async () => {
    const { client, accountId, flow, lead, enrollments } = await makeFlowing()
    const { stageIds } = await defaultPipelineOf(service.database, accountId)
    const { id: opportunityId, contact_id: contactId } = (await client.post('/opportunities', lead)).body.data
    const path = `/opportunities/${opportunityId}/stage`
    let winning: Promise<Answer> | undefined
    const db = Scope.ofSystem(service.database, accountId)
    await db.transaction(async () => {
      await enroll(db, { flowId: flow.id, contactId, opportunityId })
      winning = client.call('PATCH', path, { body: { stage_id: stageIds.at(-2) } })
      await Promise.race([winning, isWaiting()])
    })
    expect((await winning!).status).toBe(200)
    expect(await enrollments()).toMatchObject([{ opportunityId, state: 'STOPPED' }])
  })
})

async function isWaiting(): Promise<void> {
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while (!(await service.database.pool.query(waits)).rowCount) await delay(5)
}
