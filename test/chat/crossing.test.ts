import { setTimeout as delay } from 'node:timers/promises'
import { makeAgency } from '../support/agencies.js'
import type { ModelSays } from '../support/chat/index.js'
import { makeAiAgent } from '../support/factories/conversations.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { type AiService, askedOf, makeTalk, saying, startAiService } from '../support/talking.js'

let ai: AiService
beforeAll(async () => {
  ai = await startAiService()
})
afterAll(() => ai.stop())
afterEach(() => ai.forget())

type Talk = Awaited<ReturnType<typeof makeTalk>>

/** Has something happen while the model thinks of its first answer. */
const meanwhile = (
  work: () => Promise<unknown>,
  says: ModelSays = saying('Late.', [{ criterion: 'Decides', quote: 'Oi' }]),
) =>
  ai.chat.say(async () => {
    await work()
    return says
  })

const sql = (text: string, ...values: unknown[]) => ai.service.database.pool.query(text, values)

describe('while the model thinks', () => {
  test.each<[string, (talk: Talk) => Promise<unknown>]>([
    ['a person takes the conversation over', (talk) => talk.run('takeOverConversation(id: $id) { id }')],
    ['a person answers', (talk) => talk.run('sendMessage(conversationId: $id, input: {text: "It is me."}) { id }')],
    ['it is closed', (talk) => talk.run('closeConversation(id: $id) { id }')],
    ['the agent is paused', ({ agent }) => sql("update ai_agent set status = 'paused' where id = $1", agent.id)],
    ['the agent is deleted', ({ agent }) => sql('update ai_agent set deleted_at = now() where id = $1', agent.id)],
    [
      'another agent gets the conversation',
      async ({ accountId, conversationId }) => {
        const other = await makeAiAgent(ai.service.database, accountId)
        await sql('update conversation set ai_agent_id = $2 where id = $1', conversationId, other.id)
      },
    ],
    [
      'the contact is erased',
      async ({ client, contact }) => expect((await client.call('DELETE', `/contacts/${contact.id}`)).status).toBe(200),
    ],
  ])('%s: what it says is dropped', async (_, work) => {
    const talk = await makeTalk(ai)
    meanwhile(() => work(talk))
    await talk.write('Oi')
    await ai.work()
    expect(ai.sent()).not.toContain('Late.')
    expect(await talk.runs()).toMatchObject([{ state: 'dropped', message_id: null, error: null }])
    expect((await talk.read()).qualification_score).toBeNull()
    expect(ai.chat.requests).toHaveLength(1)
  })

  test('the contact is erased, and nothing of it is left', async () => {
    const talk = await makeTalk(ai)
    meanwhile(async () => expect((await talk.client.call('DELETE', `/contacts/${talk.contact.id}`)).status).toBe(200))
    await talk.write('My word is swordfish')
    await ai.work()
    expect((await talk.messages()).map(({ content }) => content)).toEqual(['', ''])
    expect(await talk.notes()).toEqual([])
  })

  test('the lead writes more: one reply answers both', async () => {
    const talk = await makeTalk(ai)
    meanwhile(() => talk.write('And how long does it take?'))
    ai.chat.say(saying('100, and a week.'))
    await talk.write('How much is it?')
    await ai.work(2)
    expect(ai.sent()).toEqual(['hello', '100, and a week.'])
    expect(
      ai.chat.requests.map((asked) =>
        askedOf(asked)
          .data.said.map(({ text }) => text)
          .slice(1),
      ),
    ).toEqual([['How much is it?'], ['How much is it?', 'And how long does it take?']])
    expect(await talk.runs()).toMatchObject([{ state: 'done', failures: 0 }])
  })

  test('the agent is told to be somebody else: it is asked anew', async () => {
    const talk = await makeTalk(ai)
    meanwhile(() => sql("update ai_agent set persona = 'Talks in verses' where id = $1", talk.agent.id))
    ai.chat.say(saying('A rhyme in time.'))
    await talk.write('Oi')
    await ai.work(2)
    expect(ai.sent()).toEqual(['hello', 'A rhyme in time.'])
    expect(askedOf(ai.chat.requests[1]!).instructions).toContain('Talks in verses')
  })

  test('the account’s seats are gone: nothing is sent, and no model is asked any more', async () => {
    const talk = await makeTalk(ai)
    const { agencyId } = await makeAgency(ai.service)
    const values = [talk.accountId, agencyId, talk.accountId]
    meanwhile(() =>
      sql(
        `insert into sub_account (id, agency_id, status, name, slug, admin_id, whatsapp)
          values ($1, $2, 'active', 'S', $3, gen_random_uuid(), 0)`,
        ...values,
      ),
    )
    await talk.write('Oi')
    await ai.work()
    await talk.write('Oi?')
    await ai.work()
    expect(ai.sent()).toEqual(['hello'])
    expect(ai.chat.requests).toHaveLength(1)
    expect(await talk.runs()).toMatchObject([{ state: 'dropped' }, { state: 'dropped' }])
  })

  test('the opportunity is moved and lost: the lead has an answer all the same', async () => {
    const talk = await makeTalk(ai)
    const { id } = await makeOpportunity(ai.service.database, talk.accountId, { contactId: talk.contact.id })
    await sql('update conversation set opportunity_id = $2 where id = $1', talk.conversationId, id)
    meanwhile(async () => {
      const { body } = await talk.client.get('/pipelines')
      const stages = body.data[0].stages as { id: string; name: string }[]
      for (const { id: stageId } of [stages[1]!, stages.at(-1)!]) {
        expect(
          (await talk.client.call('PATCH', `/opportunities/${id}/stage`, { body: { stage_id: stageId } })).status,
        ).toBe(200)
      }
    }, saying('Oi.'))
    await talk.write('Oi')
    await ai.work()
    expect(ai.sent()).toEqual(['hello', 'Oi.'])
    expect(await talk.read()).toMatchObject({ opportunity_id: id })
  })

  test('the opportunity is deleted: likewise', async () => {
    const talk = await makeTalk(ai)
    const { id } = await makeOpportunity(ai.service.database, talk.accountId, { contactId: talk.contact.id })
    await sql('update conversation set opportunity_id = $2 where id = $1', talk.conversationId, id)
    meanwhile(
      async () => expect((await talk.client.call('DELETE', `/opportunities/${id}`)).status).toBe(200),
      saying('Oi.'),
    )
    await talk.write('Oi')
    await ai.work()
    expect(ai.sent()).toEqual(['hello', 'Oi.'])
  })

  test('another process takes the run for dead and does it too: one reply', async () => {
    const talk = await makeTalk(ai)
    meanwhile(async () => {
      // The lease is over, and whoever looks takes the run up.
      await sql(`update agent_run set due_at = now() - interval '1 s' where state = 'due'`)
      ai.chat.say(saying('Once.'))
      for (let i = 0; i < 500 && (await talk.runs())[0].state === 'due'; i++) await delay(20)
    })
    await talk.write('Oi')
    await ai.work()
    expect(ai.sent()).toEqual(['hello', 'Once.'])
    expect(await talk.runs()).toMatchObject([{ state: 'done', attempts: 2 }])
    expect((await talk.read()).qualification_score).toBe(0)
  })
})

test('two processes, twelve leads that write again and again: each message is answered, and no answer is sent twice', async () => {
  const beside = await startAiService({ beside: ai })
  try {
    const talks = await Promise.all(Array.from({ length: 12 }, () => makeTalk(ai)))
    await ai.forget()
    beside.channel.sent.length = 0
    ai.chat.model = async (request) => {
      await delay(Math.random() * 30)
      return saying(`To ${askedOf(request).data.said.at(-1)!.text}`)
    }
    for (let round = 0; round < 3; round++) {
      await Promise.all(talks.map((talk, i) => talk.write(`message ${round} of ${i}`)))
      await Promise.all([ai.work(2), beside.work(2)])
    }
    const sent = [...ai.sent(), ...beside.sent()]
    expect(new Set(sent).size).toBe(sent.length)
    for (const [i, talk] of talks.entries()) {
      const said = await talk.messages()
      expect(said.filter(({ sender_type }) => sender_type === 'ai').at(-1).content).toBe(`To message 2 of ${i}`)
      expect((await talk.runs()).every(({ state }) => state === 'done')).toBe(true)
    }
  } finally {
    await beside.stop()
  }
})
