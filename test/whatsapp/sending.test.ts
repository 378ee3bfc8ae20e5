import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Addressee, Line, Outgoing } from '../../src/integrations/channels/index.js'
import { WhatsAppChannel } from '../../src/integrations/channels/whatsapp/index.js'
import { startSilent } from '../support/smtp.js'
import { type FaultKind, type LocalWhatsApp, startLocalWhatsApp } from '../support/whatsapp/index.js'

let now = new Date('2026-02-01T12:00:00Z')
let whatsapp: LocalWhatsApp
let channel: WhatsAppChannel
let line: Line

beforeAll(async () => {
  whatsapp = await startLocalWhatsApp({ clock: () => now })
  channel = new WhatsAppChannel(whatsapp.base, 1000)
  const number = whatsapp.addNumber()
  line = { kind: 'whatsapp', numberId: number.id, token: number.token }
  whatsapp.addTemplate({ name: 'opening', body: 'Olá {{1}}, aqui é a {{2}}.' })
  whatsapp.addTemplate({ name: 'plain' })
  for (const status of ['PENDING', 'REJECTED', 'PAUSED', 'DISABLED'] as const) {
    whatsapp.addTemplate({ name: status.toLowerCase(), status })
  }
})
afterEach(() => whatsapp.calm())
afterAll(() => whatsapp.stop())

const text = (body: string): Outgoing => ({ kind: 'text', text: body })
const template = (name: string, ...parameters: string[]): Outgoing => ({
  kind: 'template',
  name,
  language: 'pt_BR',
  parameters,
})
const numberOf = () => whatsapp.world.numbers.get(line.numberId)!
const sentTo = (id: string) => whatsapp.world.sent.filter(({ to }) => 'userId' in to && to.userId === id)

/** Somebody who has just written. */
function writer(phone?: string) {
  const person = whatsapp.addPerson({ phone, hidden: phone === undefined })
  whatsapp.says(person, numberOf(), 'Oi')
  return person
}

describe('what is sent', () => {
  test('a text goes to whoever has written within 24 hours, and answers a message', async () => {
    const person = writer('+55 11 98765-4321')
    const id = whatsapp.says(person, numberOf(), 'Tudo bem?')
    const sent = await channel.send(line, { phone: '+5511987654321' }, { kind: 'text', text: 'Olá', replyTo: id })
    expect(sent).toEqual({ outcome: 'accepted', messageId: expect.stringMatching(/^wamid\./), phone: person.waId })
    expect(sentTo(person.userId)).toMatchObject([{ body: { context: { message_id: id }, to: '5511987654321' } }])
  })

  test('a user id goes in `recipient`, never in `to`', async () => {
    const person = writer()
    const sent = await channel.send(line, { userId: person.userId }, text('Olá'))
    expect(sent).toMatchObject({ outcome: 'accepted', userId: person.userId })
    expect(sentTo(person.userId)[0]!.body).toMatchObject({ recipient: person.userId, recipient_type: 'individual' })
    expect(sentTo(person.userId)[0]!.body).not.toHaveProperty('to')
  })

  test('a group is written to as one', async () => {
    whatsapp.addGroup('Y2FwaV9ncm91cDox')
    expect(await channel.send(line, { groupId: 'Y2FwaV9ncm91cDox' }, text('Olá a todos'))).toMatchObject({
      outcome: 'accepted',
    })
    expect(whatsapp.world.sent.at(-1)!.body).toMatchObject({ recipient_type: 'group', to: 'Y2FwaV9ncm91cDox' })
  })

  test('an approved template opens a conversation, with its parameters each in one line', async () => {
    const to = { phone: '+5521976543210' }
    expect(await channel.send(line, to, template('opening', 'Ana\nSouza\t', 'Sofia     Lima'))).toMatchObject({
      outcome: 'accepted',
    })
    const parameters = [
      { type: 'text', text: 'Ana Souza' },
      { type: 'text', text: 'Sofia    Lima' },
    ]
    expect(whatsapp.world.sent.at(-1)!.body).toMatchObject({
      template: { name: 'opening', language: { code: 'pt_BR' }, components: [{ type: 'body', parameters }] },
    })
    expect(await channel.send(line, to, template('plain'))).toMatchObject({ outcome: 'accepted' })
  })
})

describe('what is refused', () => {
  test('a text to whoever has not written, or not within 24 hours to this number', async () => {
    const closed = { outcome: 'window closed', reason: expect.stringContaining('(131047)') }
    expect(await channel.send(line, { phone: '5521911112222' }, text('Olá'))).toEqual(closed)
    const person = writer('5531999998888')
    const to = { phone: '5531999998888' }
    expect(await channel.send(line, to, text('Olá'))).toMatchObject({ outcome: 'accepted' })
    const other = whatsapp.addNumber()
    const second: Line = { kind: 'whatsapp', numberId: other.id, token: other.token }
    expect(await channel.send(second, to, text('Olá'))).toEqual(closed)
    now = new Date(now.getTime() + 86_400_000)
    expect(await channel.send(line, to, text('Olá'))).toEqual(closed)
    expect(sentTo(person.userId)).toHaveLength(1)
  })

  test.each([
    ['unknown', [], 132001],
    ['pending', [], 132001],
    ['rejected', [], 132001],
    ['paused', [], 132015],
    ['disabled', [], 132016],
    ['opening', ['Ana'], 132000],
    ['opening', ['Ana', 'Bia', 'Lia'], 132000],
  ])('template %s with parameters %j', async (name, parameters, code) => {
    const sent = await channel.send(line, { phone: '5521911112222' }, template(name, ...parameters))
    expect(sent).toEqual({ outcome: 'refused', reason: expect.stringContaining(`(${code})`), code, ourFault: true })
  })

  test('a template that was approved a moment ago', async () => {
    whatsapp.disturb({ kind: 'refused' })
    const sent = await channel.send(line, { phone: '5521911112222' }, template('plain'))
    expect(sent).toMatchObject({ outcome: 'refused', code: 132015, ourFault: true })
  })

  test('an empty text and one that is too long are not even asked for', async () => {
    const { length } = whatsapp.world.sent
    for (const body of [' ', 'x'.repeat(4097)]) {
      expect(await channel.send(line, { phone: '5521911112222' }, text(body))).toMatchObject({ outcome: 'refused' })
    }
    expect(whatsapp.world.sent).toHaveLength(length)
  })

  test('a token that opens nothing, or another number', async () => {
    const to = { phone: '5521911112222' }
    const broken = await channel.send({ ...line, token: 'stale' }, to, template('plain'))
    expect(broken).toMatchObject({ outcome: 'refused', code: 190, ourFault: true })
    expect(await channel.check({ ...line, token: 'stale' })).toMatchObject({ outcome: 'refused' })
    const other = whatsapp.addNumber()
    expect(await channel.check({ ...line, token: other.token })).toMatchObject({ outcome: 'refused' })
  })
})

test('a line says what it is', async () => {
  const address = numberOf().display
  expect(await channel.check(line)).toEqual({ outcome: 'connected', address, name: 'Norte Digital' })
})

describe('what goes wrong', () => {
  const to: Addressee = { phone: '5521933334444' }
  const attempts = () => whatsapp.world.sent.length

  test.each<[FaultKind, object, number]>([
    ['slow', { outcome: 'accepted' }, 1],
    ['busy', { outcome: 'later', retryAfterMs: 7000 }, 0],
    ['error_before', { outcome: 'unknown' }, 0],
    ['error_after', { outcome: 'unknown' }, 1],
    ['reset_before', { outcome: 'unknown' }, 0],
    ['reset_after', { outcome: 'unknown' }, 1],
    ['truncated', { outcome: 'unknown' }, 1],
  ])('%s: %j, and it is asked for once', async (kind, outcome, effects) => {
    const before = attempts()
    whatsapp.disturb({ kind, retryAfter: 7 })
    expect(await channel.send(line, to, template('plain'))).toMatchObject(outcome)
    expect(attempts() - before).toBe(effects)
  })

  test('slower than patience: nobody knows, and it did arrive', async () => {
    const before = attempts()
    whatsapp.disturb({ kind: 'slow', delayMs: 400 })
    const impatient = new WhatsAppChannel(whatsapp.base, 150)
    expect(await impatient.send(line, to, template('plain'))).toMatchObject({ outcome: 'unknown' })
    while (attempts() === before) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(attempts() - before).toBe(1)
  })

  test('nobody there: surely not sent; somebody who says nothing: nobody knows', async () => {
    const gone = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => gone.once('listening', resolve))
    const { port } = gone.address() as AddressInfo
    await new Promise((resolve) => gone.close(resolve))
    const nowhere = new WhatsAppChannel(`http://127.0.0.1:${port}`, 500)
    expect(await nowhere.send(line, to, template('plain'))).toMatchObject({ outcome: 'later' })
    expect(await nowhere.check(line)).toMatchObject({ outcome: 'later' })
    const silent = await startSilent()
    const waiting = new WhatsAppChannel(`http://127.0.0.1:${silent.port}`, 200)
    expect(await waiting.send(line, to, template('plain'))).toMatchObject({ outcome: 'unknown' })
    await silent.stop()
  })

  test.each<[number, string, object]>([
    [502, '<html>Bad Gateway</html>', { outcome: 'unknown' }],
    [400, '<html>no</html>', { outcome: 'refused' }],
    [200, '{"messages":[]}', { outcome: 'unknown' }],
    [200, '[]', { outcome: 'unknown' }],
    [503, '{"error":{"code":131016,"message":"(#131016) Service unavailable","type":"x"}}', { outcome: 'later' }],
    [
      400,
      '{"error":{"code":131026,"message":"(#131026) Message undeliverable"}}',
      { outcome: 'refused', code: 131026 },
    ],
    [403, '{"error":{"code":200,"message":"(#200) Permission"}}', { outcome: 'refused', ourFault: true }],
    [302, '', { outcome: 'unknown' }],
  ])('an answer %i %s: %j', async (status, body, outcome) => {
    const server = createServer((_request, response) => {
      response.writeHead(status, status === 302 ? { Location: `${whatsapp.base}/v23.0/x/messages` } : {}).end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const odd = new WhatsAppChannel(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v23.0`)
    expect(await odd.send(line, to, template('plain'))).toMatchObject(outcome)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})
