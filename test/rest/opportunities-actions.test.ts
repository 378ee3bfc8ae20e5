import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { makeSender, makeTemplate } from '../support/factories/mail.js'
import { makeContact, makeTenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'
import { TestSmtp } from '../support/smtp.js'

let smtp: TestSmtp
let service: TestApp
beforeAll(async () => {
  smtp = await TestSmtp.start()
  service = await startTestApp({
    smtpUrl: smtp.url,
    publicUrl: 'https://crm.example',
    encryptionKey: Buffer.alloc(32),
  })
})
afterEach(() => {
  smtp.fault = undefined
})
afterAll(async () => {
  await service.stop()
  await smtp.stop()
})

/** An account with a template and a default sender. */
async function makeMailing() {
  const tenant = await makeTenant(service)
  const template = await makeTemplate(service.database, tenant.accountId)
  const sender = await makeSender(service.database, tenant.accountId, { isDefault: true })
  return { ...tenant, template, sender, lead: { name: 'Ana Souza', email: `ana-${randomUUID()}@example.com` } }
}

/** How many mails have reached an address. */
const arrived = async (address: string) => (await smtp.to(address)).length
const outcome = ({ status, body }: Answer) => ({ status, error: body.error, actions: body.actions })

describe('what is not asked for', () => {
  test('is not told of', async () => {
    const { client, lead } = await makeMailing()
    for (const nothing of [{}, { send_template_email_id: null }, { email_sender_id: ' ' }]) {
      const { status, body } = await client.post('/opportunities', { ...lead, ...nothing })
      expect({ status, members: Object.keys(body) }).toEqual({ status: 201, members: ['success', 'data'] })
    }
    expect(await arrived(lead.email)).toBe(0)
  })
})

describe('a mail from a template', () => {
  test('reaches the contact, from the default sender and from another', async () => {
    const { client, accountId, template, sender, lead } = await makeMailing()
    const other = await makeSender(service.database, accountId)
    const first = await client.post('/opportunities', { ...lead, send_template_email_id: template.id })
    expect(outcome(first)).toEqual({
      status: 201,
      error: undefined,
      actions: { email: { sent: true, email_id: expect.any(String), error: null } },
    })
    expect(first.body.data).toMatchObject({ contact_email: lead.email, title: lead.name })
    const chosen = { send_template_email_id: template.id.toUpperCase(), email_sender_id: other.id }
    const second = await client.post('/opportunities', { ...lead, ...chosen })
    expect(second.body.actions.email).toMatchObject({ sent: true, error: null })
    const from = (await smtp.to(lead.email)).map((mail) => mail.from!.value[0]!.address)
    expect(from).toEqual([sender.address, other.address])
  })

  test('is sent once for a key, however often and by how many it is asked for', async () => {
    const { client, template, lead } = await makeMailing()
    const headers = { 'Idempotency-Key': randomUUID() }
    const body = { ...lead, send_template_email_id: template.id }
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.post('/opportunities', body, headers)))
    answers.push(await client.post('/opportunities', body, headers))
    expect(new Set(answers.map(({ body: { data, actions } }) => JSON.stringify({ data, actions }))).size).toBe(1)
    expect(outcome(answers[0]!)).toMatchObject({ status: 201, actions: { email: { sent: true, error: null } } })
    expect(await arrived(lead.email)).toBe(1)
  })

  test('that cannot be sent says why, and the opportunity is created all the same', async () => {
    const { client, accountId, template, sender, lead } = await makeMailing()
    const { database } = service
    const stranger = await makeMailing()
    const unverified = await makeSender(database, accountId, { verifiedAt: null })
    const left = await makeContact(database, accountId, { email: `left-${randomUUID()}@example.com` })
    const suppress = 'mutation ($email: String!) { suppressAddress(input: { address: $email }) { id } }'
    dataOf(await client.graphql(suppress, { email: left.email }))
    const from = { send_template_email_id: template.id }
    const refused: [object, RegExp][] = [
      [{ ...lead, email_sender_id: sender.id }, /no template/],
      [{ ...lead, send_template_email_id: 'welcome' }, /no uuid/],
      [{ ...lead, ...from, email_sender_id: 'me' }, /no uuid/],
      [{ ...lead, send_template_email_id: randomUUID() }, /template/],
      [{ ...lead, send_template_email_id: stranger.template.id }, /template/],
      [{ ...lead, ...from, email_sender_id: stranger.sender.id }, /sender/],
      [{ ...lead, ...from, email_sender_id: unverified.id }, /verified/],
      [{ name: 'Nobody', ...from }, /email/],
      [{ name: 'Left', email: left.email, ...from }, /no mail/],
    ]
    for (const [body, error] of refused) {
      const suppressed = 'name' in body && body.name === 'Left'
      const answer = await client.post('/opportunities', body)
      expect({ body, ...outcome(answer) }).toEqual({
        body,
        status: 201,
        error: undefined,
        actions: {
          email: {
            sent: false,
            email_id: suppressed ? expect.any(String) : null,
            error: expect.stringMatching(error),
          },
        },
      })
      expect((await client.get(`/opportunities/${answer.body.data.id}`)).status).toBe(200)
    }
    expect((await arrived(lead.email)) + (await arrived(left.email!))).toBe(0)
  })

  test('that the mail server refuses says so, to repeats too', async () => {
    const { client, template, lead } = await makeMailing()
    smtp.fault = { at: 'recipient', code: 550, text: 'no such mailbox' }
    const headers = { 'Idempotency-Key': randomUUID() }
    const body = { ...lead, send_template_email_id: template.id }
    const first = await client.post('/opportunities', body, headers)
    expect(first.body.actions.email).toMatchObject({ sent: false, error: expect.any(String) })
    smtp.fault = undefined
    const again = await client.post('/opportunities', body, headers)
    expect(again.body.actions).toEqual(first.body.actions)
    expect(await arrived(lead.email)).toBe(0)
  })

  test('is not sent when the opportunity is refused', async () => {
    const { client, template, lead } = await makeMailing()
    const body = { ...lead, campaign_id: randomUUID(), send_template_email_id: template.id }
    const { status, body: told } = await client.post('/opportunities', body)
    expect({ status, code: told.error.code, actions: told.actions }).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      actions: undefined,
    })
    expect(await arrived(lead.email)).toBe(0)
  })
})
