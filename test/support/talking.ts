import { randomUUID } from 'node:crypto'
import { Scope } from '../../src/database/index.js'
import type { AiAgent } from '../../src/domains/agents/index.js'
import { recordInbound } from '../../src/domains/conversations/index.js'
import { activate, NotComposed } from '../../src/domains/workflows/index.js'
import { startTestApp, type TestApp } from './app.js'
import { type ChatRequest, filling, type LocalChat, type LocalChatOptions, startLocalChat } from './chat/index.js'
import { makeChannelAccount } from './factories/channels.js'
import { makeAiAgent } from './factories/conversations.js'
import { makeContact, makeTenant } from './factories.js'
import { type FakeChannel, fakeChannels, workOff } from './messaging.js'

/** The service with a model, a provider of messages, and what both were asked. */
export interface AiService {
  service: TestApp
  chat: LocalChat
  channel: FakeChannel
  /** What the lead was sent, in their order: texts, and names of templates. */
  sent(): string[]
  /** Lets the workers do what is due so often, each time all that waits at once; what cannot be composed fails no test. */
  work(times?: number): Promise<void>
  /** Forgets all that was, so that the next test begins anew. */
  forget(): Promise<void>
  stop(): Promise<void>
}

/** Starts the service with a local chat API; beside another one, on its database and with its model. */
export async function startAiService({
  dailyTokens = 1_000_000,
  beside,
  ...options
}: LocalChatOptions & { dailyTokens?: number; beside?: AiService } = {}): Promise<AiService> {
  const chat = beside?.chat ?? (await startLocalChat(options))
  const ai = { apiBase: chat.base, apiKey: chat.key, model: chat.models[0]!, dailyTokens }
  const service = await startTestApp({ encryptionKey: Buffer.alloc(32), ai }, undefined, beside?.service)
  const channel = fakeChannels(service)
  return {
    service,
    chat,
    channel,
    sent: () => channel.sent.map(({ message }) => (message.kind === 'text' ? message.text : message.name)),
    async work(times = 1) {
      for (let i = 0; i < times; i++) {
        await workOff(service).catch((error: unknown) => {
          if (!(error instanceof NotComposed)) throw error
        })
      }
    },
    async forget() {
      await service.database.pool.query("update agent_run set state = 'dropped', due_at = null where state = 'due'")
      chat.forget()
      channel.sent.length = 0
      channel.answers.length = 0
    },
    async stop() {
      await service.stop()
      if (!beside) await chat.stop()
    },
  }
}

/** What an agent of tests is. */
export const SOFIA = {
  name: 'Sofia',
  persona: 'A consultant of Norte Digital for solar energy. Her secret word among colleagues is tangerine.',
  opening: 'Olá {{first_name}}, aqui é {{agent_name}}.',
  openingTemplate: { name: 'hello', language: 'pt_BR', parameters: ['{{first_name}}'] },
  criteria: [
    { name: 'Has a budget', keywords: ['orçamento'], points: 50 },
    { name: 'Decides', keywords: ['decido'], points: 30 },
    { name: 'Too expensive', keywords: ['caro'], points: -10 },
  ],
}

/** An account with an agent that has begun a conversation with a contact, and what happens in it. */
export async function makeTalk({ service }: AiService, agentFields: Partial<AiAgent> = {}) {
  const { database } = service
  const { client, accountId } = await makeTenant(service, { permissions: ['*', 'conversations:write'] })
  const line = await makeChannelAccount(database, accountId, { token: 'secret-token' })
  const agent = await makeAiAgent(database, accountId, { ...SOFIA, ...agentFields })
  const phone = `55119${String(Math.random()).slice(2, 10).padEnd(8, '1')}`
  const contact = await makeContact(database, accountId, { name: 'Ana Souza', company: 'Aurora', phone: `+${phone}` })
  const db = Scope.ofSystem(database, accountId)
  const { conversationId } = await db.transaction(() => activate(db, { agentId: agent.id, contactId: contact.id }))
  await workOff(service)
  const rows = async (text: string) => (await database.pool.query(text, [accountId])).rows
  const run = async (mutation: string) => {
    const { body } = await client.graphql(`mutation ($id: ID!) { ${mutation} }`, { id: conversationId })
    if (body.errors) throw new Error(JSON.stringify(body.errors))
    return body.data
  }
  return {
    client,
    accountId,
    agent,
    contact,
    phone,
    conversationId,
    run,
    write: (content: string, from: object = { phone }) =>
      recordInbound(Scope.ofSystem(database, accountId), {
        channelAccountId: line.id,
        providerId: `wamid.in.${randomUUID()}`,
        from,
        at: new Date(),
        content,
        kind: 'text',
      }),
    read: async () => (await client.get(`/conversations/${conversationId}`)).body.data,
    messages: () => rows('select * from message where account_id = $1 order by sent_at, id'),
    runs: () => rows("select * from agent_run where account_id = $1 and kind = 'reply' order by created_at"),
    notes: async () =>
      (await rows('select content from conversation_note where account_id = $1')).map(({ content }) => content),
    usage: async () => (await rows('select tokens::int, requests from ai_usage where account_id = $1'))[0],
  }
}

/** What a model was told, apart. */
export function askedOf({ messages }: ChatRequest) {
  const [instructions, data] = messages.map(({ content }) => content as string)
  return { instructions: instructions!, data: JSON.parse(data!) as AskedData }
}

interface AskedData {
  lead: Record<string, string>
  said: { by: string; text: string }[]
  knowledge: { name: string; text: string }[]
}

/** An answer in the form that agents with criteria ask for. */
export const saying = (reply: string | null, findings: { criterion: string; quote: string }[] = [], hands = false) =>
  filling({ reply, hand_over: hands, findings })
