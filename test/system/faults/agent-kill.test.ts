import { randomUUID } from 'node:crypto'
import { type Database, Scope } from '../../../src/database/index.js'
import { recordInbound } from '../../../src/domains/conversations/index.js'
import { type LocalChat, startLocalChat } from '../../support/chat/index.js'
import { createDatabase } from '../../support/cluster.js'
import { until } from '../../support/crash/locks.js'
import { makeChannelAccount } from '../../support/factories/channels.js'
import { makeAiAgent } from '../../support/factories/conversations.js'
import { makeTenant } from '../../support/factories.js'
import { openSilently } from '../../support/open-database.js'
import { SOFIA } from '../../support/talking.js'
import { type LocalWhatsApp, startLocalWhatsApp } from '../../support/whatsapp/index.js'
import { type Running, start } from '../cli/run.js'

// Workers that are killed while a model thinks for them, and while they hand a message over.

const KEY = Buffer.alloc(32, 5)
const PHONE = '5511987654321'

let database: Database
let drop: () => Promise<void>
let chat: LocalChat
let whatsapp: LocalWhatsApp
let settings: Record<string, string>
let workers: Running[] = []
beforeEach(async () => {
  const made = await createDatabase()
  drop = made.drop
  database = await openSilently(made.url, { encryptionKey: KEY })
  await database.prepare()
  chat = await startLocalChat()
  whatsapp = await startLocalWhatsApp({ deliveries: 'manual' })
  settings = {
    ...{ DATABASE_URL: made.url, ENCRYPTION_KEY: KEY.toString('hex'), LOG_LEVEL: 'error' },
    ...{ AI_API_BASE: chat.base, AI_API_KEY: chat.key, AI_MODEL: chat.models[0]! },
    ...{ WHATSAPP_API_BASE: whatsapp.base, WHATSAPP_APP_SECRET: 'local_app_secret', WHATSAPP_VERIFY_TOKEN: 'token' },
  }
})
afterEach(async () => {
  for (const worker of workers) await kill(worker)
  workers = []
  await Promise.all([chat.stop(), whatsapp.stop()])
  await database.close()
  await drop()
})

const startWorker = () => {
  const worker = start(['worker'], settings)
  workers.push(worker)
  return worker
}
const kill = async ({ child, finished }: Running) => {
  child.kill('SIGKILL')
  await finished
}
const rows = async (text: string) => (await database.pool.query(text)).rows
const said = () => rows(`select content, status, attempts from message where sender_type = 'ai'`)
/** What a dead process had claimed is anybody's after its lease; nobody has to wait for that here. */
const lapse = (table: string, state: string) =>
  rows(`update ${table} set due_at = now() - interval '1 s' where ${state} and due_at > now()`)

/** A person has written to an agent's number, and waits for an answer. */
async function makeAsked(): Promise<void> {
  const { accountId } = await makeTenant({ database, origin: '' })
  const number = whatsapp.addNumber()
  const line = await makeChannelAccount(database, accountId, { externalId: number.id, token: number.token })
  await makeAiAgent(database, accountId, { ...SOFIA, channelAccountId: line.id })
  whatsapp.says(whatsapp.addPerson({ phone: PHONE }), number, 'Quanto custa?')
  await recordInbound(Scope.ofSystem(database, accountId), {
    ...{ channelAccountId: line.id, providerId: `wamid.in.${randomUUID()}`, from: { phone: PHONE, name: 'Ana' } },
    ...{ at: new Date(), content: 'Quanto custa?', kind: 'text' },
  })
  await rows(`update agent_run set due_at = now() - interval '1 s'`)
}

test('who dies while the model thinks is taken over from, and the lead is answered once', async () => {
  await makeAsked()
  chat.disturb({ kind: 'slow', delayMs: 60_000, times: 2 })
  for (const asked of [1, 2]) {
    const worker = startWorker()
    await until('the model is asked', () => chat.requests.length === asked)
    await kill(worker)
    expect([await said(), whatsapp.world.sent]).toEqual([[], []])
    await lapse('agent_run', `state = 'due'`)
  }
  startWorker()
  startWorker()
  await until('the lead is answered', () => whatsapp.world.sent.length > 0)
  await until('that is known', async () => (await said())[0]?.status === 'sent')
  expect(chat.requests).toHaveLength(3)
  expect(whatsapp.world.sent).toHaveLength(1)
  expect(await said()).toHaveLength(1)
  expect(await rows('select state, attempts, failures from agent_run')).toEqual([
    { state: 'done', attempts: 3, failures: 0 },
  ])
})

test('who dies once the provider has the message leaves it unknown, and it is not sent again', async () => {
  await makeAsked()
  const worker = startWorker()
  whatsapp.onSent = () => void worker.child.kill('SIGKILL')
  await worker.finished
  expect(whatsapp.world.sent).toHaveLength(1)
  expect(await said()).toMatchObject([{ status: 'sending', attempts: 1 }])
  await lapse('message', `status = 'sending'`)
  whatsapp.onSent = () => {}
  startWorker()
  await until('it is given up', async () => (await said())[0].status === 'unknown')
  expect(await said()).toMatchObject([{ status: 'unknown', attempts: 1 }])
  expect([whatsapp.world.sent.length, chat.requests.length]).toEqual([1, 1])
})
