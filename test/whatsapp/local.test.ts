import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type BusinessNumber, type LocalWhatsApp, startLocalWhatsApp } from '../support/whatsapp/index.js'

interface Told {
  body: Buffer
  signature: string
}

interface Answer {
  id: string
  url: string
  messages: { id: string }[]
  data: { id: string }[]
}

interface Value {
  messages: { id: string; text: { body: string } }[]
  statuses?: { id: string; status: string }[]
}

let now = new Date('2026-02-01T12:00:00Z')
let receiver: Server
let told: Told[] = []
let status = 200
let whatsapp: LocalWhatsApp
let number: BusinessNumber

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url!, 'http://x')
    const body = await buffer(request)
    if (request.method === 'GET') return void response.end(searchParams.get('hub.challenge'))
    told.push({ body, signature: String(request.headers['x-hub-signature-256']) })
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  whatsapp = await startLocalWhatsApp({ clock: () => now, deliveries: 'manual', webhook: { url } })
  number = whatsapp.addNumber()
  whatsapp.addTemplate({ name: 'plain' })
})
beforeEach(() => {
  told = []
  status = 200
})
afterAll(async () => {
  await whatsapp.stop()
  receiver.closeAllConnections()
  await new Promise((resolve) => receiver.close(resolve))
})

async function call(path: string, body?: unknown, more: RequestInit = {}) {
  const answer = await fetch(`${whatsapp.base}/v23.0/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      Authorization: `Bearer ${number.token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    ...more,
  })
  return { status: answer.status, body: (await answer.json()) as Answer }
}
const valuesTold = () =>
  told.flatMap(({ body }) =>
    (JSON.parse(String(body)) as { entry: { changes: { value: Value }[] }[] }).entry.flatMap(({ changes }) =>
      changes.map(({ value }) => value),
    ),
  )
const message = { messaging_product: 'whatsapp', type: 'text', text: { body: 'Olá' } }

describe('the local WhatsApp', () => {
  test('refuses what Meta’s description does not have, and complains of it', async () => {
    const wrong = [
      { ...message, to: '5511987654321', urgent: true },
      { ...message },
      { ...message, to: '1', type: 'image' },
    ]
    for (const body of wrong) {
      expect(await call(`${number.id}/messages`, body)).toMatchObject({ status: 400, body: { error: { code: 100 } } })
    }
    expect(await call(`${number.id}/nothing`)).toMatchObject({ status: 400 })
    expect(whatsapp.takeComplaints()).toHaveLength(4)
  })

  test('takes a user id in `to`, as Meta does, sends nothing and complains', async () => {
    const { userId } = whatsapp.addPerson({ phone: '5511900001111' })
    const sent = whatsapp.world.sent.length
    expect(await call(`${number.id}/messages`, { ...message, to: userId })).toMatchObject({ status: 200 })
    expect(whatsapp.world.sent).toHaveLength(sent)
    expect(whatsapp.takeComplaints()).toEqual([expect.stringContaining(userId)])
  })

  test('signs the bytes that it sends, with escapes outside of ASCII', async () => {
    whatsapp.says(whatsapp.addPerson({ phone: '5511900002222', name: 'Ação' }), number, 'Olá 👋')
    await whatsapp.deliver()
    const [{ body, signature }] = told as [Told]
    expect(signature).toBe(`sha256=${createHmac('sha256', 'local_app_secret').update(body).digest('hex')}`)
    expect(String(body)).toMatch(/Ol\\u00e1 \\ud83d\\udc4b/)
    expect(valuesTold()[0]!.messages[0]!.text.body).toBe('Olá 👋')
  })

  test('tells again what was not taken, several things together, or each twice', async () => {
    const person = whatsapp.addPerson({ phone: '5511900003333' })
    status = 500
    const ids = ['a', 'b', 'c'].map((text) => whatsapp.says(person, number, text))
    await whatsapp.deliver({ together: true })
    status = 200
    expect(whatsapp.webhooks.waiting).toBe(3)
    await whatsapp.deliver({ together: true, twice: true })
    expect(told).toHaveLength(3)
    expect(valuesTold().map(({ messages }) => messages[0]!.id)).toEqual([...ids, ...ids, ...ids])
    expect(await whatsapp.webhooks.verify()).toEqual({ status: 200, isEcho: true })
  })

  test('tells of a person without a phone by the user id alone', async () => {
    const person = whatsapp.addPerson({ hidden: true, username: 'ana', phone: '5511900004444' })
    whatsapp.says(person, number, 'Oi', { group: whatsapp.addGroup('Y2Fw') })
    await whatsapp.deliver()
    expect(valuesTold()[0]).toMatchObject({
      contacts: [{ user_id: person.userId, profile: { username: 'ana' } }],
      messages: [{ from_user_id: person.userId, group_id: 'Y2Fw' }],
    })
    expect(told.map(({ body }) => String(body)).join()).not.toContain('900004444')
  })

  test('tells what became of a message, and that it was too late', async () => {
    const to = { ...message, to: '+55 (31) 98888-7777' }
    expect(await call(`${number.id}/messages`, to)).toMatchObject({ status: 400, body: { error: { code: 131047 } } })
    const person = whatsapp.world.byPhone('31988887777') ?? whatsapp.world.byPhone('5531988887777')!
    expect(person.waId).toBe('553188887777')
    whatsapp.says(person, number, 'Oi')
    const { body } = await call(`${number.id}/messages`, to)
    expect(body).toMatchObject({ contacts: [{ input: to.to, wa_id: '553188887777' }] })
    whatsapp.reads(body.messages[0]!.id)
    await whatsapp.deliver()
    const statuses = valuesTold().flatMap((value) => value.statuses ?? [])
    expect(statuses.map(({ id, status }) => [id, status])).toEqual(
      ['sent', 'delivered', 'read'].map((status) => [body.messages[0]!.id, status]),
    )
    now = new Date(now.getTime() + 86_400_000)
    expect(await call(`${number.id}/messages`, to)).toMatchObject({ body: { error: { code: 131047 } } })
  })

  test('keeps files for who has put them in', async () => {
    const form = new FormData()
    form.set('messaging_product', 'whatsapp')
    form.set('file', new Blob(['hello'], { type: 'text/plain' }), 'a.txt')
    const headers = { Authorization: `Bearer ${number.token}` }
    const { body } = await call(`${number.id}/media`, undefined, { method: 'POST', body: form, headers })
    const file = await call(body.id)
    expect(file.body).toMatchObject({ id: body.id, mime_type: 'text/plain', file_size: '5' })
    const bytes = await fetch(file.body.url, { headers })
    expect(await bytes.text()).toBe('hello')
    const other = whatsapp.addNumber()
    expect((await fetch(file.body.url, { headers: { Authorization: `Bearer ${other.token}` } })).status).toBe(400)
    expect(await call(body.id, undefined, { method: 'DELETE' })).toMatchObject({ body: { success: true } })
    expect(await call(body.id)).toMatchObject({ status: 400 })
  })

  test('says what it has of numbers and templates', async () => {
    expect(await call(number.id)).toMatchObject({ body: { id: number.id, verified_name: number.name } })
    expect((await call('waba1/phone_numbers')).body.data.map(({ id }: { id: string }) => id)).toContain(number.id)
    expect((await call('waba1/message_templates')).body.data).toMatchObject([{ name: 'plain', status: 'APPROVED' }])
  })
})
