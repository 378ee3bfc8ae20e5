import { randomUUID } from 'node:crypto'
import { SENDING_ERRORS } from '../../src/domains/conversations/sending-errors.service.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeAiAgent, makeConversation } from '../support/factories/conversations.js'
import { EVERYTHING, makeContact, makeKey, makeTenant } from '../support/factories.js'
import { callTool, connectAssistant, wordsOf } from '../support/mcp.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

/** An account with a conversation in which the person has just written. */
async function makeTalk(overrides: { phone?: string | null; lastInboundAt?: Date | null } = {}) {
  const { phone = '+5511987654321', lastInboundAt = new Date() } = overrides
  const tenant = await makeTenant(service)
  const { accountId } = tenant
  const { database } = service
  const [contact, channel, agent] = await Promise.all([
    makeContact(database, accountId, { phone }),
    makeChannelAccount(database, accountId),
    makeAiAgent(database, accountId),
  ])
  const whole = { contactId: contact.id, channelAccountId: channel.id, aiAgentId: agent.id, lastInboundAt }
  const { id } = await makeConversation(database, accountId, whole)
  const send = (text = 'Hello', key?: string) =>
    tenant.client.call('POST', `/conversations/${id}/messages`, {
      body: { text },
      headers: key ? { 'idempotency-key': key } : {},
    })
  const stored = async () =>
    (await database.pool.query('select content, status from message where conversation_id = $1 order by sent_at', [id]))
      .rows
  const assistant = () => connectAssistant(service.origin, tenant.key)
  return { ...tenant, id, contact, channel, send, stored, assistant, sql: database.pool }
}

test('a message is stored to be sent, and its conversation is in the hands of people from then on', async () => {
  const { id, client, send, stored } = await makeTalk()
  const { status, body } = await send('Hello Ana')
  expect({ status, data: body.data }).toMatchObject({
    status: 201,
    data: { sender_type: 'user', content: 'Hello Ana', status: 'queued', error: null },
  })
  expect((await client.get(`/messages/${body.data.id}`)).body.data).toEqual(body.data)
  expect((await client.get(`/conversations/${id}`)).body.data.status).toBe('manual')
  expect(await stored()).toEqual([{ content: 'Hello Ana', status: 'queued' }])
})

describe('what is in the way is told, with what helps, and nothing is stored', () => {
  type Talk = Awaited<ReturnType<typeof makeTalk>>
  const cases: [string, keyof typeof SENDING_ERRORS, () => Promise<Talk>][] = [
    [
      'a channel account that is disconnected',
      'CHANNEL_UNAVAILABLE',
      async () => {
        const talk = await makeTalk()
        const disconnect = 'mutation ($id: ID!) { disconnectChannel(id: $id) { id } }'
        await talk.client.graphql(disconnect, { id: talk.channel.id })
        return talk
      },
    ],
    [
      'a conversation through no channel account',
      'CHANNEL_UNAVAILABLE',
      async () => {
        const talk = await makeTalk()
        await talk.sql.query('update conversation set channel_account_id = null where id = $1', [talk.id])
        return talk
      },
    ],
    ['a person who has not written', 'WINDOW_CLOSED', () => makeTalk({ lastInboundAt: null })],
    [
      'a person who wrote a day ago',
      'WINDOW_CLOSED',
      () => makeTalk({ lastInboundAt: new Date(Date.now() - 86_400_000) }),
    ],
    ['a contact without a phone', 'CONTACT_UNREACHABLE', () => makeTalk({ phone: null })],
    [
      'a contact who was deleted',
      'CONTACT_UNREACHABLE',
      async () => {
        const talk = await makeTalk()
        await talk.client.call('DELETE', `/contacts/${talk.contact.id}`)
        return talk
      },
    ],
    [
      'fifty messages that wait',
      'TOO_MANY_WAITING',
      async () => {
        const talk = await makeTalk()
        await talk.send()
        await talk.sql.query(
          `insert into message (id, account_id, conversation_id, sender_type, content, channel, kind, status, due_at, sent_at,
              channel_account_id)
            select gen_random_uuid(), account_id, conversation_id, sender_type, content, channel, kind, status, due_at, sent_at,
              channel_account_id from message, generate_series(1, 49) where conversation_id = $1`,
          [talk.id],
        )
        return talk
      },
    ],
  ]
  test.each(cases)('%s', async (_, code, make) => {
    const talk = await make()
    const before = await talk.stored()
    const { status, body } = await talk.send()
    expect({ status, code: body.error.code }).toEqual({ status: 409, code })
    const assistant = await talk.assistant()
    const args = { id: talk.id, text: 'Hello', idempotency_key: randomUUID() }
    const told = await callTool(assistant, 'send_message', args)
    expect(told.isError).toBe(true)
    expect(wordsOf(told)).toContain(`${code}: ${body.error.message}`)
    expect(wordsOf(told)).toContain(`What helps: ${SENDING_ERRORS[code].remedy}`)
    expect(await talk.stored()).toEqual(before)
    await assistant.close()
  })
})

test('no text, one that is too long and one with what no text has are refused', async () => {
  const { send, stored } = await makeTalk()
  for (const text of ['', ' ', 'x'.repeat(4097), 'a\u0000b', 7 as never, null as never]) {
    expect(await send(text)).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
  }
  expect(await stored()).toEqual([])
})

describe('a message is sent once', () => {
  test('over REST, however often a call with one Idempotency-Key is made, also at once', async () => {
    const { send, stored } = await makeTalk()
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 5 }, () => send('Hello', key)))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.data.id}`)).size).toBe(1)
    expect(await send('Other', key)).toMatchObject({ status: 422 })
    expect(await stored()).toHaveLength(1)
  })

  test('by an assistant, however often a call of one name is made, also at once, and over REST', async () => {
    const { id, send, stored, assistant } = await makeTalk()
    const [first, second] = await Promise.all([assistant(), assistant()])
    const args = { id, text: 'Hello', idempotency_key: randomUUID() }
    const answers = await Promise.all(
      [first, second, first, second].map((each) => callTool(each, 'send_message', args)),
    )
    const ids = answers.map(({ structuredContent }) => (structuredContent as { data: { id: string } }).data.id)
    expect(new Set(ids).size).toBe(1)
    expect(answers.filter(({ _meta }) => _meta?.['fairlead/replayed'])).toHaveLength(3)
    const other = await callTool(first, 'send_message', { ...args, text: 'Other' })
    expect(wordsOf(other)).toMatch(/^IDEMPOTENCY_KEY_REUSED/)
    expect(await send('Hello', args.idempotency_key)).toMatchObject({ status: 201, body: { data: { id: ids[0] } } })
    expect(await stored()).toHaveLength(1)
    await Promise.all([first.close(), second.close()])
  })

  test('and only by a call that has a name, where an assistant makes it', async () => {
    const { id, stored, assistant } = await makeTalk()
    const each = await assistant()
    for (const key of [undefined, null, '', 7, 'ä', 'x'.repeat(256)]) {
      const told = await callTool(each, 'send_message', { id, text: 'Hello', idempotency_key: key })
      expect(wordsOf(told)).toMatch(/^VALIDATION_ERROR: idempotency_key (is required|must be)/)
    }
    expect(await stored()).toEqual([])
    await each.close()
  })

  test('and not again once its contact was erased', async () => {
    const { client, contact, send, stored } = await makeTalk()
    const key = randomUUID()
    await send('Hello Ana', key)
    await client.call('DELETE', `/contacts/${contact.id}`)
    expect(await send('Hello Ana', key)).toMatchObject({ status: 410, body: { error: { code: 'RESOURCE_DELETED' } } })
    expect(await stored()).toEqual([{ content: '', status: 'failed' }])
  })
})

test('only a key that was given the permission by its name may send', async () => {
  const { accountId, id, stored } = await makeTalk()
  const statuses: number[] = []
  for (const permissions of [['*'], ['conversations:*'], ['conversations:write'], EVERYTHING]) {
    const { secret } = await makeKey(service.database, accountId, { permissions })
    const answer = await fetch(`${service.origin}/external/v1/conversations/${id}/messages`, {
      method: 'POST',
      headers: { 'x-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Hello' }),
    })
    statuses.push(answer.status)
  }
  expect(statuses).toEqual([403, 403, 201, 201])
  expect(await stored()).toHaveLength(2)
})

test('notes, taking over and handing back', async () => {
  const { client, id } = await makeTalk()
  const noted = await client.call('POST', `/conversations/${id}/notes`, { body: { content: 'Wants a call' } })
  expect(noted).toMatchObject({ status: 201, body: { data: { content: 'Wants a call', user_id: null } } })
  for (const [act, status] of [
    ['take-over', 'manual'],
    ['hand-back', 'active'],
    ['hand-back', 'active'],
  ] as const) {
    const answer = await client.call('POST', `/conversations/${id}/${act}`)
    expect(answer).toMatchObject({ status: 200, body: { data: { id, status } } })
  }
  const query = '{ conversations { items { notes { content } } } }'
  expect((await client.graphql(query)).body.data.conversations.items).toEqual([
    { notes: [{ content: 'Wants a call' }] },
  ])
})
