import { setTimeout as delay } from 'node:timers/promises'
import { Scope } from '../../src/database/index.js'
import { providerKey } from '../../src/domains/conversations/provider-key.service.js'
import { startInboxWorker } from '../../src/domains/inbox/index.js'
import type { ToldMessage } from '../../src/integrations/channels/told.js'
import { readWebhook } from '../../src/integrations/channels/whatsapp/webhook.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeTenant } from '../support/factories.js'
import { type LocalWhatsApp, type Person, signature, startLocalWhatsApp } from '../support/whatsapp/index.js'

const APP_SECRET = 'the_app_secret'
const NEW_SECRET = 'the_next_secret'
let service: TestApp
let whatsapp: LocalWhatsApp
let worker: { stop(): Promise<void> }
let now = Date.parse('2026-03-01T10:00:00Z')

beforeAll(async () => {
  const settings = { apiBase: 'http://127.0.0.1:9', appSecrets: [NEW_SECRET, APP_SECRET], verifyToken: 'the token' }
  service = await startTestApp({ encryptionKey: Buffer.alloc(32), whatsapp: settings })
  const url = `${service.origin}/webhooks/whatsapp`
  whatsapp = await startLocalWhatsApp({
    clock: () => new Date(now),
    deliveries: 'manual',
    webhook: { url, appSecret: APP_SECRET, verifyToken: 'the token' },
  })
  worker = startInboxWorker({ database: service.database, log: (error) => faults.push(error), pollMs: 20 })
})
const faults: unknown[] = []
afterAll(async () => {
  await worker.stop()
  await whatsapp.stop()
  await service.stop()
  expect(faults).toEqual([])
})

const query = async <Row extends object>(sql: string, values: unknown[] = []) =>
  (await service.database.pool.query<Row>(sql, values)).rows
/** Waits until all that was stored is recorded. */
async function recorded() {
  for (;;) {
    const [{ n }] = (await query<{ n: number }>('select count(*)::int as n from channel_notice')) as [{ n: number }]
    if (n === 0) return
    await delay(10)
  }
}

/** An account with a number. */
async function world() {
  const { client, accountId } = await makeTenant(service)
  const number = whatsapp.addNumber()
  const channel = await makeChannelAccount(service.database, accountId, { externalId: number.id })
  const conversations = async () =>
    (await client.get('/conversations?limit=100')).body.data as {
      id: string
      contact_id: string | null
      is_group: boolean
    }[]
  const contents = async () => {
    const id = (await conversations())[0]!.id
    const { messages } = (await client.get(`/conversations/${id}`)).body.data as { messages: { content: string }[] }
    return messages.map(({ content }) => content)
  }
  const told = async (how = {}) => {
    await whatsapp.deliver(how)
    await recorded()
  }
  return { client, accountId, number, channel, conversations, contents, told }
}

const post = (body: string | Buffer, header?: string) =>
  fetch(`${service.origin}/webhooks/whatsapp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(header === undefined ? {} : { 'X-Hub-Signature-256': header }) },
    body: new Uint8Array(Buffer.from(body)),
  })

describe('at the address', () => {
  test('the handshake is answered for the verify token alone', async () => {
    expect(await whatsapp.webhooks.verify()).toEqual({ status: 200, isEcho: true })
    expect(await whatsapp.webhooks.verify('another')).toEqual({ status: 403, isEcho: false })
    const injected = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.verify_token': 'the token',
      'hub.challenge': '<b>',
    })
    expect((await fetch(`${service.origin}/webhooks/whatsapp?${injected}`)).status).toBe(403)
  })

  test('what is not signed with one of the secrets is refused, whatever it is', async () => {
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [] })
    for (const header of [
      undefined,
      '',
      'sha256=',
      'sha256=00',
      signature(body, 'wrong'),
      signature(`${body} `, APP_SECRET),
    ]) {
      expect((await post(body, header)).status).toBe(400)
    }
    expect((await post('not json', signature('not json', 'wrong'))).status).toBe(400)
    for (const secret of [APP_SECRET, NEW_SECRET]) expect((await post(body, signature(body, secret))).status).toBe(200)
  })

  test('what is signed and makes no sense is taken, and tells nothing', async () => {
    const odd = [
      'not json',
      '[]',
      'null',
      '{"object":"page"}',
      '{"object":"whatsapp_business_account","entry":[{"changes":[{"field":"messages","value":{"messages":[null,{"id":1}]}}]}]}',
    ]
    for (const body of odd) expect((await post(body, signature(body, APP_SECRET))).status).toBe(200)
    expect(await query('select id from channel_notice')).toEqual([])
  })

  test('what is too long is cut between characters, so that it can be stored', () => {
    const emoji = '\u{1f600}'
    const change = {
      field: 'messages',
      value: {
        metadata: { phone_number_id: '1' },
        contacts: [{ wa_id: '5511987654321', profile: { name: `${'n'.repeat(254)}${emoji}` } }],
        messages: [
          { id: 'wamid.1', from: '5511987654321', type: 'text', text: { body: `${'x'.repeat(19_999)}${emoji}` } },
        ],
      },
    }
    const [told] = readWebhook({ object: 'whatsapp_business_account', entry: [{ changes: [change] }] })
    const what = told!.what as ToldMessage
    expect([what.content.length, what.from.name!.length]).toEqual([20_000, 255])
    expect([what.content, what.from.name].map((text) => text!.isWellFormed())).toEqual([true, true])
  })

  test('a body is bounded', async () => {
    const body = `"${'x'.repeat(3 * 1_048_576)}"`
    expect((await post(body, signature(body, APP_SECRET))).status).toBe(413)
  })

  test('a number that nobody has connected is taken, and recorded nowhere', async () => {
    whatsapp.says(whatsapp.addPerson({ phone: '5511912340000' }), whatsapp.addNumber(), 'Oi')
    await whatsapp.deliver()
    await recorded()
    expect(whatsapp.webhooks.waiting).toBe(0)
    expect(await query("select id from message where content = 'Oi'")).toEqual([])
  })
})

describe('what people send', () => {
  test('is recorded readably, whatever it is', async () => {
    const { number, contents, told } = await world()
    const person = whatsapp.addPerson({ phone: '5511912340001', name: 'Ana 🌱' })
    const first = whatsapp.says(person, number, 'Olá, tudo bem?')
    const media = { id: '1', mime_type: 'x/y', sha256: 'x' }
    const sent: [{ type: string; [part: string]: unknown }, string][] = [
      [{ type: 'image', image: { ...media, caption: 'Taj Mahal' } }, '[image] Taj Mahal'],
      [{ type: 'video', video: media }, '[video]'],
      [{ type: 'audio', audio: { ...media, voice: true } }, '[voice message]'],
      [{ type: 'sticker', sticker: media }, '[sticker]'],
      [{ type: 'document', document: { ...media, filename: 'a.pdf', caption: 'See' } }, '[document] a.pdf, See'],
      [
        { type: 'location', location: { latitude: -23.5, longitude: -46.6, name: 'MASP' } },
        '[location] MASP, -23.5, -46.6',
      ],
      [
        {
          type: 'contacts',
          contacts: [{ name: { formatted_name: 'Lucía' }, phones: [{ phone: '+1 983', type: 'CELL' }] }],
        },
        '[contact] Lucía, +1 983',
      ],
      [{ type: 'button', context: { from: '1', id: first }, button: { text: 'Stop', payload: 'p' } }, 'Stop'],
      [
        {
          type: 'interactive',
          context: { from: '1', id: first },
          interactive: { type: 'list_reply', list_reply: { id: '1', title: 'Express', description: 'one day' } },
        },
        'Express, one day',
      ],
      [{ type: 'reaction', reaction: { message_id: first, emoji: '👍' } }, '[reaction] 👍'],
      [{ type: 'reaction', reaction: { message_id: first } }, '[reaction] taken back'],
      [
        {
          type: 'order',
          order: {
            catalog_id: '1',
            text: 'fast',
            product_items: [{ product_retailer_id: 'kit', quantity: 2, item_price: 30, currency: 'USD' }],
          },
        },
        '[order] 2 × kit at 30 USD, fast',
      ],
      [
        { type: 'edit', edit: { original_message_id: first, message: { type: 'text', text: { body: 'Olá!' } } } },
        '[changed] Olá!',
      ],
      [{ type: 'revoke', revoke: { original_message_id: first } }, '[deleted]'],
      [
        {
          type: 'unsupported',
          errors: [{ code: 131051, title: 'Message type unknown', error_data: { details: 'Not supported.' } }],
        },
        '[unsupported] Not supported.',
      ],
      [
        {
          type: 'text',
          text: { body: 'From an ad' },
          referral: { source_url: 'https://fb.me/1', source_type: 'ad', headline: 'Chat' },
        },
        'From an ad\n[from the ad] Chat, https://fb.me/1',
      ],
    ]
    for (const [message] of sent) whatsapp.sends(person, number, message)
    // It is told by the old number alone, and so in order with the others by its second only.
    now += 1000
    whatsapp.changesNumber(person, number, '5511912349999')
    await told()
    const system = '[system] User Ana 🌱 changed from 5511912340001 to 5511912349999'
    expect(await contents()).toEqual(['Olá, tudo bem?', ...sent.map(([, content]) => content), system])
    const about = await query('select distinct refers_to from message where refers_to = $1', [first])
    expect(about).toHaveLength(1)
  })

  test('is there once and in its place, told twice, in any order, or all at once', async () => {
    for (const how of [{ twice: true }, { shuffle: true, twice: true }, { together: true, twice: true }]) {
      const { number, contents, told } = await world()
      const person = whatsapp.addPerson({ phone: '5511912340002' })
      const texts = Array.from({ length: 25 }, (_, i) => `number ${i}`)
      for (const text of texts) {
        now += 1000
        whatsapp.says(person, number, text)
      }
      await told(how)
      expect(await contents()).toEqual(texts)
    }
  })

  test('of one second stays in the order in which it came', async () => {
    const { number, contents, told } = await world()
    const person = whatsapp.addPerson({ phone: '5511912340003' })
    const texts = Array.from({ length: 30 }, (_, i) => `quick ${i}`)
    for (const text of texts) whatsapp.says(person, number, text)
    await told({ together: true })
    expect(await contents()).toEqual(texts)
  })

  test('joins a phone and a user id once one webhook has both', async () => {
    const { number, conversations, contents, told } = await world()
    const both = whatsapp.addPerson({ phone: '5511912340004' })
    const hidden: Person = { ...both, hidden: true }
    whatsapp.says(both, number, 'with a phone')
    await told()
    now += 1000
    whatsapp.says(hidden, number, 'by the user id alone')
    await told()
    expect(await conversations()).toHaveLength(1)
    expect(await contents()).toEqual(['with a phone', 'by the user id alone'])
  })

  test('in a group makes one conversation, without contact and agent', async () => {
    const { number, conversations, contents, client, told } = await world()
    const group = whatsapp.addGroup(`Y2FwaV9ncm91${Date.now()}`)
    whatsapp.says(whatsapp.addPerson({ phone: '5511912340005', name: 'Ana' }), number, 'first', { group })
    now += 1000
    whatsapp.says(whatsapp.addPerson({ phone: '5511912340006', name: 'Bia' }), number, 'second', { group })
    await told({ twice: true })
    expect(await conversations()).toMatchObject([{ is_group: true, contact_id: null, ai_agent_id: null }])
    expect(await contents()).toEqual(['first', 'second'])
    expect((await client.get('/contacts')).body.data).toEqual([])
  })
})

test('receipts land on their message, in whatever order they come, and one of a failure says why', async () => {
  const { number, channel, accountId, client, conversations, told } = await world()
  const person = whatsapp.addPerson({ phone: '5511912340007' })
  whatsapp.says(person, number, 'Oi')
  await told()
  const conversationId = (await conversations())[0]!.id
  const wamids = [whatsapp.world.messageId(), whatsapp.world.messageId()]
  for (const id of wamids) whatsapp.world.sent.push({ id, numberId: number.id, to: person, body: {}, at: now })
  const db = Scope.ofSystem(service.database, accountId)
  for (const id of wamids) {
    await query(
      `insert into message (id, account_id, conversation_id, sender_type, content, channel, kind, status, sent_at, channel_account_id,
         provider_id, provider_key) values (gen_random_uuid(), $1, $2, 'user', 'Olá', 'WHATSAPP', 'text', 'sent', now(), $3, $4, $5)`,
      [accountId, conversationId, channel.id, id, providerKey(db, channel.id, id)],
    )
  }
  whatsapp.reads(wamids[0]!)
  whatsapp.receipt(whatsapp.world.sent.find(({ id }) => id === wamids[0])!, 'delivered')
  whatsapp.fails(wamids[1]!, 131047, 'Re-engagement message', 'More than 24 hours have passed.')
  await told({ shuffle: true, twice: true })
  const rows = await query('select status, error from message where provider_id = any($1) order by status', [wamids])
  expect(rows).toEqual([
    { status: 'failed', error: 'WhatsApp: Re-engagement message: More than 24 hours have passed (131047).' },
    { status: 'read', error: null },
  ])
  expect((await client.get(`/conversations/${conversationId}`)).body.data.messages).toHaveLength(3)
})
