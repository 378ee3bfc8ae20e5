import { setTimeout as delay } from 'node:timers/promises'
import { Scope } from '../../src/database/index.js'
import { recordInbound } from '../../src/domains/conversations/index.js'
import { claimSteps } from '../../src/domains/flows/claim.service.js'
import { type Step, StepKind, startFlowWorker } from '../../src/domains/flows/index.js'
import type { SendWindow } from '../../src/domains/flows/window.service.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeEnrollment, makeFlow, sendStep } from '../support/factories/flows.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { defaultPipelineOf } from '../support/factories/pipelines.js'
import { makeTag, makeTenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'
import { sendDueMails } from '../support/mail.js'
import { TestSmtp } from '../support/smtp.js'

let smtp: TestSmtp
let service: TestApp
beforeAll(async () => {
  smtp = await TestSmtp.start()
  service = await startTestApp({ smtpUrl: smtp.url, publicUrl: 'https://crm.example', encryptionKey: Buffer.alloc(32) })
})
afterAll(async () => {
  await service.stop()
  await smtp.stop()
})

const HOUR = 3_600_000
const wait = (waitSeconds: number): Step => ({ kind: StepKind.WAIT, waitSeconds })

/** An account with a client, and a flow with somebody in it. */
async function makeRunning(stepsOf: (accountId: string) => Promise<Step[]> | Step[], sendWindow?: SendWindow) {
  const { database } = service
  const tenant = await makeTenant(service)
  const { accountId, client } = tenant
  const flow = await makeFlow(database, accountId, { steps: await stepsOf(accountId), sendWindow })
  const enrollment = await makeEnrollment(database, accountId, { flowId: flow.id })
  const standing = async (id = enrollment.id) => {
    const query = `{ flowEnrollment(id: "${id}") { state step dueAt endReason error mailId endedAt contactId version } }`
    return dataOf(await client.graphql(query))
  }
  const mails = async () => {
    const query = `{ mails(filter: { contactId: "${enrollment.contactId}" }) { items { status error } } }`
    return dataOf(await client.graphql(query)).items
  }
  return { ...tenant, flow, enrollment, standing, mails }
}

/** Has all happen that is due at an instant, by as many workers. */
async function work({ at = Date.now(), workers = 1 } = {}): Promise<unknown[]> {
  const { database } = service
  const errors: unknown[] = []
  const options = { database, log: (error: unknown) => errors.push(error), pollMs: 5, clock: () => new Date(at) }
  const running = Array.from({ length: workers }, () => startFlowWorker(options))
  const due = `select count(*)::int as n from flow_enrollment where state = 'active' and due_at <= $1
    and (claimed_until is null or claimed_until <= $2 or claimed_until > $1)`
  const open = async () => (await database.pool.query(due, [new Date(at), new Date(0)])).rows[0].n
  for (let rounds = 0; rounds < 200 && (await open()) > 0; rounds++) await delay(15)
  await Promise.all(running.map((worker) => worker.stop()))
  return errors
}

/** Sends the mails that are due, and nothing goes wrong. */
const sendMails = async () => expect(await sendDueMails(service.database)).toEqual([])

test('steps happen one after the other, each when it is due', async () => {
  const tagged: string[] = []
  const { accountId, client, enrollment, standing, mails } = await makeRunning(async (accountId) => {
    const tag = await makeTag(service.database, accountId)
    tagged.push(tag.id)
    const send = await sendStep(service.database, accountId)
    return [send, wait(3600), { kind: StepKind.TAG, tagId: tag.id }, wait(7200), send, { kind: StepKind.STOP }, send]
  })
  const now = Date.now()
  expect(await work({ at: now })).toEqual([])
  await sendMails()
  expect(await smtp.to(enrollment.email)).toHaveLength(1)
  const first = await standing()
  expect(first).toMatchObject({ state: 'ACTIVE', step: 2, mailId: expect.any(String) })
  expect(Date.parse(first.dueAt)).toBe(now + HOUR)
  await work({ at: now + HOUR - 1 })
  expect(await standing()).toEqual(first)
  expect(await work({ at: now + HOUR })).toEqual([])
  const { tags } = dataOf(await client.graphql(`{ contact(id: "${enrollment.contactId}") { tags { id } } }`))
  expect(tags).toEqual([{ id: tagged[0] }])
  expect(await standing()).toMatchObject({ state: 'ACTIVE', step: 4 })
  expect(await work({ at: now + 3 * HOUR })).toEqual([])
  await sendMails()
  expect(await smtp.to(enrollment.email)).toHaveLength(2)
  expect(await standing()).toMatchObject({
    state: 'COMPLETED',
    step: 5,
    endReason: 'FINISHED',
    dueAt: null,
    error: null,
  })
  expect(await mails()).toHaveLength(2)
  expect((await service.database.pool.query('select 1 from mail where account_id = $1', [accountId])).rowCount).toBe(2)
})

describe('a step that sends', () => {
  const office: SendWindow = { days: [1, 2, 3, 4, 5], from: '09:00', until: '18:00' }

  test('waits for the hours of the account, on days when clocks change too', async () => {
    const { accountId, client, standing, mails } = await makeRunning(
      async (accountId) => [wait(60), await sendStep(service.database, accountId)],
      office,
    )
    dataOf(await client.graphql('mutation { updateAccount(input: { timeZone: "America/New_York" }) { timeZone } }'))
    // Due on Saturday evening before clocks are put forward: it goes on Monday at nine, an hour earlier by UTC.
    const due = Date.parse('2026-03-07T23:00:00Z')
    await service.database.pool.query('update flow_enrollment set due_at = $2 where account_id = $1', [
      accountId,
      new Date(due),
    ])
    expect(await work({ at: due + HOUR })).toEqual([])
    expect(await mails()).toEqual([])
    expect(await standing()).toMatchObject({ state: 'ACTIVE', dueAt: '2026-03-09T13:00:00.000Z' })
    expect(await work({ at: Date.parse('2026-03-09T12:59:59Z') })).toEqual([])
    expect(await mails()).toEqual([])
    expect(await work({ at: Date.parse('2026-03-09T13:00:00Z') })).toEqual([])
    expect(await mails()).toHaveLength(1)
  })

  test('fails with a sentence where something is gone, and others beside it go on', async () => {
    const { accountId, client, flow, enrollment, standing } = await makeRunning(async (accountId) => [
      await sendStep(service.database, accountId),
    ])
    const other = await makeEnrollment(service.database, accountId, { flowId: flow.id })
    await service.database.pool.query('update contact set email = null where id = $1', [enrollment.contactId])
    expect(await work()).toEqual([])
    expect(await standing()).toMatchObject({
      ...{ state: 'FAILED', endReason: 'STEP_FAILED', dueAt: null },
      error: 'Step 1: The contact has no email address.',
    })
    expect(await standing(other.id)).toMatchObject({ state: 'COMPLETED' })
    await service.database.pool.query(`update contact set email = 'back@example.com' where id = $1`, [
      enrollment.contactId,
    ])
    dataOf(await client.graphql(`mutation { retryFlowEnrollment(id: "${enrollment.id}") { id } }`))
    expect(await work({ at: Date.now() + 1000 })).toEqual([])
    expect(await standing()).toMatchObject({ state: 'COMPLETED', error: null })
  })

  test.each([
    ['template', 'deleteEmailTemplate', 'templateId', 'There is no such email template in this account.'],
    ['sender', 'deleteEmailSender', 'senderId', 'There is no such email sender in this account.'],
  ] as const)('says that its %s was deleted', async (_, mutation, member, says) => {
    const { client, enrollment, standing, steps } = await withSteps()
    const id = (steps[0] as unknown as Record<string, string>)[member]
    dataOf(await client.graphql(`mutation { ${mutation}(id: "${id}") { id } }`))
    expect(await work()).toEqual([])
    expect(await standing(enrollment.id)).toMatchObject({ state: 'FAILED', error: `Step 1: ${says}` })
  })

  async function withSteps() {
    let steps: Step[] = []
    const running = await makeRunning(async (accountId) => {
      steps = [await sendStep(service.database, accountId)]
      return steps
    })
    return { ...running, steps }
  }

  test('does not send to who left after it was enrolled', async () => {
    const { accountId, enrollment, standing, mails } = await makeRunning(async (accountId) => [
      await sendStep(service.database, accountId),
    ])
    // As another process would store it that knows nothing of the contact.
    const { addressKey } = await import('../../src/domains/mail/index.js')
    const key = addressKey(Scope.ofSystem(service.database, accountId), enrollment.email)
    await service.database.pool.query(
      `insert into mail_suppression (id, account_id, address_key, reason) values (gen_random_uuid(), $1, $2, 'added')`,
      [accountId, key],
    )
    expect(await work()).toEqual([])
    expect(await standing()).toMatchObject({ state: 'STOPPED', endReason: 'UNSUBSCRIBED' })
    expect(await mails()).toMatchObject([{ status: 'SUPPRESSED' }])
  })
})

describe('a step that moves', () => {
  const movingTo = (at: number) =>
    makeRunning(async (accountId) => {
      const { stageIds } = await defaultPipelineOf(service.database, accountId)
      return [{ kind: StepKind.MOVE, stageId: stageIds.at(at)! }, wait(60), { kind: StepKind.STOP }]
    })

  test("moves the contact's newest open opportunity, with a line in its history", async () => {
    const { accountId, client, enrollment, standing } = await movingTo(2)
    const contact = { id: enrollment.contactId }
    const old = await makeOpportunity(service.database, accountId, { contact })
    const young = await makeOpportunity(service.database, accountId, { contact })
    await service.database.pool.query(`update opportunity set created_at = '2026-01-01' where id = $1`, [old.id])
    expect(await work()).toEqual([])
    expect(await standing()).toMatchObject({ state: 'ACTIVE', step: 2 })
    const { stageIds } = await defaultPipelineOf(service.database, accountId)
    const stageOf = async (id: string) =>
      dataOf(await client.graphql(`{ opportunity(id: "${id}") { stageId } }`)).stageId
    expect([await stageOf(young.id), (await stageOf(old.id)) === stageIds[2]]).toEqual([stageIds[2], false])
    const { items } = dataOf(
      await client.graphql(`{ opportunityHistory(id: "${young.id}") { items { action userName } } }`),
    )
    expect(items[0]).toEqual({ action: 'STAGE_CHANGED', userName: 'system' })
  })

  test('into a stage that decides ends the flow', async () => {
    const { accountId, enrollment, standing } = await movingTo(-1)
    await makeOpportunity(service.database, accountId, { contact: { id: enrollment.contactId } })
    expect(await work()).toEqual([])
    expect(await standing()).toMatchObject({ state: 'STOPPED', endReason: 'OPPORTUNITY_LOST', step: 0 })
  })

  test('says that there is no opportunity, and that the stage was deleted', async () => {
    const { accountId, client, enrollment, standing } = await movingTo(2)
    expect(await work()).toEqual([])
    expect(await standing()).toMatchObject({
      state: 'FAILED',
      error: 'Step 1: The contact has no open opportunity that could be moved.',
    })
    await makeOpportunity(service.database, accountId, { contact: { id: enrollment.contactId } })
    const { stageIds } = await defaultPipelineOf(service.database, accountId)
    dataOf(await client.graphql(`mutation { deleteStage(id: "${stageIds[2]}") { id } }`))
    dataOf(await client.graphql(`mutation { retryFlowEnrollment(id: "${enrollment.id}") { id } }`))
    expect(await work({ at: Date.now() + 1000 })).toEqual([])
    expect(await standing()).toMatchObject({ error: 'Step 1: There is no such stage in this account.' })
  })
})

test('a step whose tag was deleted fails with a sentence', async () => {
  const tag = { id: '' }
  const { client, standing } = await makeRunning(async (accountId) => {
    tag.id = (await makeTag(service.database, accountId)).id
    return [{ kind: StepKind.TAG, tagId: tag.id }]
  })
  dataOf(await client.graphql(`mutation { deleteTag(id: "${tag.id}") { id } }`))
  expect(await work()).toEqual([])
  expect(await standing()).toMatchObject({ state: 'FAILED', error: 'Step 1: There is no such tag in this account.' })
})

describe('a contact is taken out of its flows, and a mail that waits does not go,', () => {
  const sent = () =>
    makeRunning(async (accountId) => [await sendStep(service.database, accountId), wait(60), { kind: StepKind.STOP }])

  test.each(['won', 'lost', 'discarded'] as const)('by an opportunity that is %s', async (outcome) => {
    const { accountId, client, enrollment, standing, mails } = await sent()
    const { stageIds } = await defaultPipelineOf(service.database, accountId)
    const { id } = await makeOpportunity(service.database, accountId, { contact: { id: enrollment.contactId } })
    expect(await work()).toEqual([])
    const move = (stageId: string) =>
      `mutation { moveOpportunity(id: "${id}", input: { stageId: "${stageId}" }) { opportunity { id } } }`
    const reason = async () =>
      dataOf(await client.graphql('mutation { createDiscardReason(input: { name: "No" }) { id } }')).id
    if (outcome === 'won') dataOf(await client.graphql(move(stageIds.at(-2)!)))
    if (outcome === 'lost') dataOf(await client.graphql(move(stageIds.at(-1)!)))
    if (outcome === 'discarded') {
      const discard = `mutation { discardOpportunity(id: "${id}", discardReasonId: "${await reason()}") { id } }`
      dataOf(await client.graphql(discard))
    }
    expect(await standing()).toMatchObject({
      state: 'STOPPED',
      endReason: `OPPORTUNITY_${outcome.toUpperCase()}`,
      dueAt: null,
    })
    expect(await mails()).toEqual([{ status: 'SUPPRESSED', error: expect.stringContaining('was stopped') }])
    await sendMails()
    expect(await smtp.to(enrollment.email)).toEqual([])
  })

  test('by an answer on whatever channel, but not by what is written in a group', async () => {
    const { accountId, enrollment, standing, mails } = await sent()
    await work()
    const phone = `55119${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`
    await service.database.pool.query('update contact set phone = $2 where id = $1', [
      enrollment.contactId,
      `+${phone}`,
    ])
    const channel = await makeChannelAccount(service.database, accountId)
    const receive = (more: object) =>
      recordInbound(Scope.ofSystem(service.database, accountId), {
        channelAccountId: channel.id,
        providerId: `wamid.${phone}.${JSON.stringify(more)}`,
        from: { phone, name: 'Ana' },
        at: new Date(),
        content: 'Yes, please',
        kind: 'text',
        ...more,
      })
    await receive({ groupId: 'group', groupName: 'Friends' })
    expect(await standing()).toMatchObject({ state: 'ACTIVE' })
    await receive({})
    expect(await standing()).toMatchObject({ state: 'STOPPED', endReason: 'REPLIED', dueAt: null })
    expect(await mails()).toMatchObject([{ status: 'SUPPRESSED' }])
  })

  test('by wanting no mail any more', async () => {
    const { client, enrollment, standing, mails } = await sent()
    await work()
    dataOf(await client.graphql(`mutation { suppressAddress(input: { address: "${enrollment.email}" }) { id } }`))
    expect(await standing()).toMatchObject({ state: 'STOPPED', endReason: 'UNSUBSCRIBED' })
    expect(await mails()).toMatchObject([{ status: 'SUPPRESSED' }])
  })

  test('by its deletion, and nothing of it stays but that somebody was there', async () => {
    const { client, enrollment, standing } = await sent()
    await work()
    expect((await client.call('DELETE', `/contacts/${enrollment.contactId}`)).status).toBe(200)
    expect(await standing()).toMatchObject({
      ...{ state: 'STOPPED', endReason: 'CONTACT_DELETED', contactId: null, mailId: null, error: null },
    })
    expect(await work({ at: Date.now() + HOUR })).toEqual([])
    await sendMails()
    expect(await smtp.to(enrollment.email)).toEqual([])
  })

  test('by the end of the flow; a pause keeps it where it stands', async () => {
    const { client, flow, standing, mails } = await sent()
    const to = async (name: string) => dataOf(await client.graphql(`mutation { ${name}(id: "${flow.id}") { status } }`))
    await to('pauseFlow')
    expect(await work({ at: Date.now() + HOUR })).toEqual([])
    expect(await standing()).toMatchObject({ state: 'PAUSED', step: 0, dueAt: expect.any(String) })
    expect(await mails()).toEqual([])
    await to('resumeFlow')
    expect(await work()).toEqual([])
    expect(await standing()).toMatchObject({ state: 'ACTIVE', step: 2 })
    await to('archiveFlow')
    expect(await standing()).toMatchObject({ state: 'STOPPED', endReason: 'FLOW_ARCHIVED' })
    expect(await mails()).toMatchObject([{ status: 'SUPPRESSED' }])
  })

  test('but not by the deletion of an opportunity', async () => {
    const { accountId, client, enrollment, standing } = await sent()
    const { id } = await makeOpportunity(service.database, accountId, { contact: { id: enrollment.contactId } })
    await service.database.pool.query('update flow_enrollment set opportunity_id = $2 where account_id = $1', [
      accountId,
      id,
    ])
    expect((await client.call('DELETE', `/opportunities/${id}`)).status).toBe(200)
    expect(await standing()).toMatchObject({ state: 'ACTIVE' })
  })
})

test('who began with a version keeps it to the end', async () => {
  const { accountId, client, flow, standing } = await makeRunning(() => [wait(60), { kind: StepKind.STOP }])
  const send = await sendStep(service.database, accountId)
  const input = { steps: [{ ...send, kind: 'SEND' }] }
  const update = 'mutation ($id: ID!, $input: UpdateFlowInput!) { updateFlow(id: $id, input: $input) { version } }'
  expect(dataOf(await client.graphql(update, { id: flow.id, input })).version).toBe(2)
  const later = await makeEnrollment(service.database, accountId, { flowId: flow.id })
  expect(await work({ at: Date.now() + HOUR })).toEqual([])
  expect(await standing()).toMatchObject({ state: 'COMPLETED', version: 1, mailId: null })
  expect(await standing(later.id)).toMatchObject({ state: 'COMPLETED', version: 2, mailId: expect.any(String) })
})

describe('several workers', () => {
  test('have each step happen once', async () => {
    const { accountId, flow } = await makeRunning(async (accountId) => {
      const send = await sendStep(service.database, accountId)
      return [send, { kind: StepKind.TAG, tagId: (await makeTag(service.database, accountId)).id }, send]
    })
    for (let i = 0; i < 40; i++) await makeEnrollment(service.database, accountId, { flowId: flow.id })
    expect(await work({ workers: 3 })).toEqual([])
    const counts = `select count(*)::int as mails, count(distinct contact_id)::int as people from mail where account_id = $1`
    expect((await service.database.pool.query(counts, [accountId])).rows).toEqual([{ mails: 82, people: 41 }])
    const states = await service.database.pool.query(
      'select state, count(*)::int as n from flow_enrollment where account_id = $1 group by state',
      [accountId],
    )
    expect(states.rows).toEqual([{ state: 'completed', n: 41 }])
  })

  test('take of each account in turn', async () => {
    const many = await makeRunning(() => [{ kind: StepKind.STOP }])
    for (let i = 0; i < 30; i++) await makeEnrollment(service.database, many.accountId, { flowId: many.flow.id })
    const few = await makeRunning(() => [{ kind: StepKind.STOP }])
    const claimed = await claimSteps(service.database, 6, new Date(Date.now() + 1000))
    expect(claimed.filter(({ accountId }) => accountId === few.accountId)).toHaveLength(1)
    expect(claimed).toHaveLength(6)
    // Who has claimed them has died: another takes them when that is sure.
    expect(await work({ at: Date.now() + 61_000 })).toEqual([])
    expect(await few.standing()).toMatchObject({ state: 'COMPLETED' })
  })
})

test('a step that fails for a reason of ours is tried again, given up in the end, and holds nobody up', async () => {
  const { accountId, flow, enrollment, standing } = await makeRunning(async (accountId) => [
    await sendStep(service.database, accountId),
  ])
  const other = await makeEnrollment(service.database, accountId, { flowId: flow.id })
  const { pool } = service.database
  await pool.query(`create function fail_mail() returns trigger language plpgsql as $$ begin
      if new.contact_id = '${enrollment.contactId}' then raise exception 'out of order'; end if; return new; end $$;
    create trigger fail_mail before insert on mail for each row execute function fail_mail()`)
  try {
    let at = Date.now()
    const errors: unknown[] = []
    for (let i = 0; i < 8; i++) {
      const worker = startFlowWorker({
        database: service.database,
        log: (error) => errors.push(error),
        pollMs: 5,
        clock: () => new Date(at),
      })
      await delay(150)
      await worker.stop()
      at += HOUR
    }
    expect(errors).toHaveLength(5)
    expect(String(errors[0])).toMatch(/out of order/)
    expect(await standing(other.id)).toMatchObject({ state: 'COMPLETED' })
    expect(await standing()).toMatchObject({
      state: 'FAILED',
      error: 'Step 1: It failed for a reason of our own, which we have written down.',
    })
  } finally {
    await pool.query('drop trigger fail_mail on mail; drop function fail_mail')
  }
})

test('a contact that somebody holds is waited for by nobody', async () => {
  const { accountId, flow, enrollment, standing } = await makeRunning(async (accountId) => [
    await sendStep(service.database, accountId),
  ])
  const other = await makeEnrollment(service.database, accountId, { flowId: flow.id })
  const holder = await service.database.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select from contact where id = $1 for no key update', [enrollment.contactId])
    const worker = startFlowWorker({ database: service.database, log: () => {}, pollMs: 5 })
    while ((await standing(other.id)).state !== 'COMPLETED') await delay(10)
    expect(await standing()).toMatchObject({ state: 'ACTIVE', step: 0 })
    await holder.query('rollback')
    while ((await standing()).state !== 'COMPLETED') await delay(20)
    await worker.stop()
  } finally {
    holder.release()
  }
})
