import { Scope } from '../../src/database/index.js'
import { composeAll } from '../../src/domains/mail/compose.service.js'
import { queueMail, sendTemplateMail } from '../../src/domains/mail/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeMail, makeSender, makeTemplate } from '../support/factories/mail.js'
import { makeContact, makeTenant } from '../support/factories.js'
import { dataOf, failureOf, faultsOf } from '../support/graphql.js'
import { sendDueMails } from '../support/mail.js'
import { TestSmtp } from '../support/smtp.js'

let smtp: TestSmtp
let service: TestApp
beforeAll(async () => {
  smtp = await TestSmtp.start()
  const encryptionKey = Buffer.alloc(32, 7)
  service = await startTestApp({ smtpUrl: smtp.url, publicUrl: 'https://crm.example', encryptionKey })
})
beforeEach(() => {
  smtp.fault = undefined
})
afterAll(async () => {
  await service.stop()
  await smtp.stop()
})

let number = 0
/** An account with a contact, a template and a default sender. */
async function makeMailing(template: Parameters<typeof makeTemplate>[2] = {}) {
  const { database } = service
  const tenant = await makeTenant(service)
  const { accountId } = tenant
  const email = `ana.${++number}@example.com`
  const contact = await makeContact(database, accountId, { name: 'Ana Souza', email, company: 'A & <b>Co</b>' })
  const { id: templateId } = await makeTemplate(database, accountId, template)
  const sender = await makeSender(database, accountId, { isDefault: true })
  const db = Scope.ofSystem(database, accountId)
  const wanted = { templateId, contactId: contact.id }
  const mailOf = async (id: string) => {
    const query = `query ($id: ID!) { mail(id: $id) {
      status recipient subject html text error attempts sentAt contactId templateId senderId } }`
    return dataOf(await tenant.client.graphql(query, { id }))
  }
  return { ...tenant, email, contact, templateId, sender, db, wanted, mailOf }
}

/** Sends the mails that are due, and nothing goes wrong. */
const work = async () => expect(await sendDueMails(service.database)).toEqual([])

const tokenIn = (html: string) => /https:\/\/crm\.example\/unsubscribe\/([^"]+)/.exec(html)![1]!

test('while many mails are composed others get their turn', async () => {
  const { db, accountId, templateId } = await makeMailing()
  const many = Array.from({ length: 30 }, (_, i) =>
    makeContact(service.database, accountId, { email: `many.${i}@example.com` }),
  )
  const contactIds = (await Promise.all(many)).map(({ id }) => id)
  let turns = 0
  let next: NodeJS.Immediate | undefined
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  const composed = await composeAll(db, { templateId, contactIds }, () => {
    next ??= setImmediate(count)
    return 'https://crm.example/unsubscribe/token'
  })
  clearImmediate(next)
  expect([...composed.keys()]).toEqual(contactIds)
  expect(turns).toBeGreaterThanOrEqual(2)
})

describe('a mail that is queued', () => {
  test('is sent once, signed, as it was recorded', async () => {
    const { db, wanted, mailOf, email, sender } = await makeMailing({
      subject: '{{first_name}}: {{company}}',
      html: '<p>Hello {{name}} of {{company}}</p>',
    })
    const { id, status } = await queueMail(db, wanted)
    expect(status).toBe('queued')
    await work()
    const [mail, ...more] = await smtp.to(email)
    expect(more).toEqual([])
    expect(mail).toMatchObject({ subject: 'Ana: A & <b>Co</b>', messageId: expect.stringContaining(id) })
    expect(mail!.html).toContain('<p>Hello Ana Souza of A &amp; &lt;b&gt;Co&lt;/b&gt;</p>')
    expect(mail!.text).toContain('Hello Ana Souza of A & <b>Co</b>')
    expect(mail!.from.value).toEqual([{ name: 'Ana', address: sender.address }])
    const lines = new Map(mail!.headerLines.map(({ key, line }) => [key, line.replace(/\s+/g, ' ')]))
    expect(lines.get('list-unsubscribe')).toMatch(/<https:\/\/crm\.example\/unsubscribe\/\S+>$/)
    expect(lines.get('dkim-signature')).toMatch(/h=[^;]*:list-unsubscribe:list-unsubscribe-post/)
    expect(await mailOf(id)).toMatchObject({ status: 'SENT', attempts: 1, error: null, recipient: email })
  })

  test('is not sent when the transaction is taken back', async () => {
    const { db, wanted, email } = await makeMailing()
    const failing = db.transaction(async () => {
      await queueMail(db, wanted)
      throw new Error('taken back')
    })
    await expect(failing).rejects.toThrow('taken back')
    await work()
    expect(await smtp.to(email)).toEqual([])
  })

  test('is sent by one of several workers', async () => {
    const { db, wanted, email } = await makeMailing()
    for (let i = 0; i < 60; i++) await queueMail(db, wanted)
    await Promise.all([work(), work(), work()])
    expect(await smtp.to(email)).toHaveLength(60)
  })

  test('is tried again later when the server asks for that, and says why', async () => {
    const { db, wanted, mailOf, email, accountId } = await makeMailing()
    const { id } = await queueMail(db, wanted)
    smtp.fault = { at: 'recipient', code: 451, text: 'greylisted' }
    await work()
    expect(await mailOf(id)).toMatchObject({
      status: 'QUEUED',
      attempts: 1,
      error: expect.stringContaining('greylisted'),
    })
    smtp.fault = undefined
    await service.database.pool.query(`update mail set due_at = now() - interval '1 s' where account_id = $1`, [
      accountId,
    ])
    await work()
    expect(await mailOf(id)).toMatchObject({ status: 'SENT', attempts: 2, error: null })
    expect(await smtp.to(email)).toHaveLength(1)
  })

  test.each([
    [{ at: 'data', code: 550, text: 'no' } as const, 'FAILED', /refused/],
    [{ at: 'cut', when: 'after data' } as const, 'UNKNOWN', /may have been sent/],
  ])('of %j comes to %s, and is not sent again', async (fault, status, error) => {
    const { db, wanted, mailOf } = await makeMailing()
    const { id } = await queueMail(db, wanted)
    smtp.fault = fault
    await work()
    smtp.fault = undefined
    const before = smtp.received.length
    await work()
    expect(smtp.received).toHaveLength(before)
    expect(await mailOf(id)).toMatchObject({ status, error: expect.stringMatching(error), sentAt: null })
  })

  test('of a process that died is known to be unknown, and not sent again', async () => {
    const { db, wanted, mailOf, email, accountId } = await makeMailing()
    const { id } = await queueMail(db, { ...wanted, claimed: true })
    await service.database.pool.query(`update mail set due_at = now() - interval '1 s' where account_id = $1`, [
      accountId,
    ])
    await work()
    expect(await mailOf(id)).toMatchObject({ status: 'UNKNOWN', error: expect.stringContaining('died') })
    expect(await smtp.to(email)).toEqual([])
  })

  test('does not go once its sender is gone', async () => {
    const { client, db, wanted, mailOf, sender, email } = await makeMailing()
    const { id } = await queueMail(db, wanted)
    dataOf(await client.graphql(`mutation { deleteEmailSender(id: "${sender.id}") { id } }`))
    await work()
    expect(await mailOf(id)).toMatchObject({ status: 'FAILED', error: expect.stringContaining('may not send') })
    expect(await smtp.to(email)).toEqual([])
  })
})

describe('who wants no mail', () => {
  const page = (token: string, init?: RequestInit) => fetch(`${service.origin}/unsubscribe/${token}`, init)
  const oneClick = {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  }

  test('leaves by one click or the button, but not by a look at the address', async () => {
    const { client, db, wanted, mailOf, email } = await makeMailing()
    const { id } = await queueMail(db, wanted)
    await work()
    const token = tokenIn((await mailOf(id)).html)
    const looked = await page(token)
    expect([looked.status, looked.headers.get('set-cookie')]).toEqual([200, null])
    expect(await looked.text()).toContain('<form method="post">')
    expect((await queueMail(db, wanted)).status).toBe('queued')
    const answered = await page(token, { ...oneClick, redirect: 'error' })
    expect([answered.status, answered.headers.get('set-cookie')]).toEqual([200, null])
    expect((await page(token, { method: 'POST' })).status).toBe(200)
    await work()
    expect(await smtp.to(email)).toHaveLength(1)
    expect((await queueMail(db, wanted)).status).toBe('suppressed')
    const { items } = dataOf(await client.graphql('{ mailSuppressions { items { contactId reason } } }'))
    expect(items).toEqual([{ contactId: wanted.contactId, reason: 'unsubscribed' }])
    const statuses = dataOf(await client.graphql('{ mails { items { status } } }')).items
    expect(statuses.map(({ status }: { status: string }) => status).sort()).toEqual([
      'SENT',
      'SUPPRESSED',
      'SUPPRESSED',
    ])
  })

  test('cannot be told by others: a token of no mail does nothing', async () => {
    const { db, wanted, mailOf } = await makeMailing()
    const { id } = await queueMail(db, wanted)
    const token = tokenIn((await mailOf(id)).html)
    const forged = token.slice(0, -2) + (token.endsWith('AA') ? 'BB' : 'AA')
    for (const wrong of [forged, id, `${id}.`, 'x', 'preview', `${token}x`]) {
      expect((await page(wrong)).status).toBe(404)
      expect((await page(wrong, oneClick)).status).toBe(404)
    }
    expect((await queueMail(db, wanted)).status).toBe('queued')
    await work()
  })

  test('stays away when the contact is deleted and comes back; the account may let it return', async () => {
    const { client, db, wanted, email, templateId, accountId } = await makeMailing()
    const suppress = 'mutation ($a: String!) { suppressAddress(input: { address: $a }) { id contactId reason } }'
    const made = dataOf(await client.graphql(suppress, { a: email.toUpperCase() }))
    expect(made).toMatchObject({ contactId: wanted.contactId, reason: 'added' })
    expect(dataOf(await client.graphql(suppress, { a: email })).id).toBe(made.id)
    expect((await client.call('DELETE', `/contacts/${wanted.contactId}`)).status).toBe(200)
    const again = await makeContact(service.database, accountId, { name: 'Ana', email })
    expect((await queueMail(db, { templateId, contactId: again.id })).status).toBe('suppressed')
    dataOf(await client.graphql(`mutation { removeSuppression(id: "${made.id}") { id } }`))
    expect((await queueMail(db, { templateId, contactId: again.id })).status).toBe('queued')
    await work()
  })
})

test('a contact that is deleted takes the texts of its mails along, and what is queued is not sent', async () => {
  const { client, db, wanted, mailOf, email } = await makeMailing()
  const { id } = await queueMail(db, wanted)
  expect((await client.call('DELETE', `/contacts/${wanted.contactId}`)).status).toBe(200)
  await work()
  const nothing = { recipient: null, subject: null, html: null, text: null, error: null, contactId: null }
  expect(await mailOf(id)).toMatchObject({ status: 'SUPPRESSED', ...nothing })
  expect(await smtp.to(email)).toEqual([])
})

describe('a mail that somebody waits for', () => {
  test('is sent at once', async () => {
    const { db, wanted, email, mailOf } = await makeMailing()
    const { sent, emailId, error } = await sendTemplateMail(db, wanted)
    expect([sent, error, (await smtp.to(email)).length]).toEqual([true, null, 1])
    expect(await mailOf(emailId!)).toMatchObject({ status: 'SENT' })
  })

  test('fails with a sentence where something is missing, and nothing is recorded', async () => {
    const { client, db, wanted, accountId } = await makeMailing()
    const { database } = service
    const other = await makeMailing()
    const nobody = await makeContact(database, accountId, { name: 'Bia', email: null })
    const idle = await makeSender(database, accountId, { verifiedAt: null })
    const errorOf = async (changes: object) => {
      const { sent, emailId, error } = await sendTemplateMail(db, { ...wanted, ...changes })
      expect([sent, emailId]).toEqual([false, null])
      return error
    }
    expect(await errorOf({ contactId: nobody.id })).toBe('The contact has no email address.')
    expect(await errorOf({ contactId: other.contact.id })).toBe('There is no such contact in this account.')
    expect(await errorOf({ templateId: other.templateId })).toBe('There is no such email template in this account.')
    expect(await errorOf({ templateId: 'x' })).toBe('There is no such email template in this account.')
    expect(await errorOf({ senderId: other.sender.id })).toBe('There is no such email sender in this account.')
    expect(await errorOf({ senderId: 'x' })).toBe('There is no such email sender in this account.')
    expect(await errorOf({ senderId: idle.id })).toMatch(/is not verified/)
    await database.pool.query('update email_sender set is_default = false where account_id = $1', [accountId])
    expect(await errorOf({})).toMatch(/no default email sender/)
    expect(dataOf(await client.graphql('{ mails { items { id } } }')).items).toEqual([])
  })

  test('fails with a sentence where the server does, and is not tried again', async () => {
    const { client, db, wanted, email, mailOf } = await makeMailing()
    smtp.fault = { at: 'recipient', code: 451, text: 'later' }
    const down = await sendTemplateMail(db, wanted)
    expect(down).toMatchObject({ sent: false, error: expect.stringContaining('did not take it') })
    smtp.fault = { at: 'recipient', code: 550, text: 'never' }
    expect(await sendTemplateMail(db, wanted)).toMatchObject({ sent: false, error: expect.stringContaining('refused') })
    smtp.fault = undefined
    await work()
    expect(await mailOf(down.emailId!)).toMatchObject({ status: 'FAILED' })
    dataOf(await client.graphql(`mutation { suppressAddress(input: { address: "${email}" }) { id } }`))
    expect(await sendTemplateMail(db, wanted)).toMatchObject({
      sent: false,
      error: expect.stringContaining('wants no mail'),
    })
    expect(await smtp.to(email)).toEqual([])
  })
})

describe('a template', () => {
  const create = `mutation ($input: CreateEmailTemplateInput!) { createEmailTemplate(input: $input) { id text } }`

  test.each([
    ['html', 'Hello {{fistname}}', /names what nobody knows: {{fistname}}; known are name, first_name/],
    ['subject', '{{custom.a.b}}', /names what nobody knows/],
    ['text', '{{name.length}}', /names what nobody knows/],
    ['html', '{{#company}}x', /not closed/],
    ['html', '{{{name}}}', /two braces, not three/],
    ['html', '{{&name}}', /two braces, not three/],
    ['html', '{{> other}}', /variables, sections and comments alone/],
  ])('whose %s is %j is not stored', async (part, value, says) => {
    const { client } = await makeTenant(service)
    const input = { name: 'x', subject: 'x', html: 'x', [part]: value }
    expect(faultsOf(await client.graphql(create, { input }))).toEqual([expect.stringMatching(says)])
  })

  test('is shown as a contact would get it', async () => {
    const { client, contact, accountId, templateId } = await makeMailing({
      subject: 'For {{company}}\u0020{{custom.segment}}{{custom.constructor}}',
      html: '<body>{{#company}}<b>{{company}}</b>{{/company}}{{^phone}}no phone{{/phone}}</body>',
    })
    await service.database.pool.query(`update contact set custom_fields = '{"segment": "B"}' where account_id = $1`, [
      accountId,
    ])
    const query = `{ previewEmailTemplate(id: "${templateId}", contactId: "${contact.id}") { subject html text } }`
    const shown = dataOf(await client.graphql(query))
    expect(shown.subject).toBe('For A & <b>Co</b> B')
    expect(shown.html).toMatch(/<b>A &amp; &lt;b&gt;.*no phone<p><a href=.*Unsubscribe<\/a><\/p><\/body>$/)
    expect(shown.text).toMatch(/A & <b>Co<\/b>.*no phone/s)
  })
})

describe('a sender', () => {
  const FIELDS = 'id name address isDefault verifiedAt dnsName dnsValue'
  const create = `mutation ($address: String!) {
    createEmailSender(input: { name: "Ana", address: $address }) { ${FIELDS} } }`

  test('shows the DNS record of its own key; the first one is the default until another is made that', async () => {
    const { client } = await makeTenant(service)
    const first = dataOf(await client.graphql(create, { address: 'ana@Aurora.example' }))
    expect(first).toMatchObject({ isDefault: true, verifiedAt: null })
    expect(first.dnsName).toMatch(/^fl[a-z\d]{8}\._domainkey\.aurora\.example$/)
    expect(first.dnsValue).toMatch(/^v=DKIM1; k=rsa; p=[\w+/]{300,}=*$/)
    const second = dataOf(await client.graphql(create, { address: 'bia@aurora.example' }))
    expect([second.isDefault, second.dnsValue === first.dnsValue]).toEqual([false, false])
    dataOf(await client.graphql(`mutation { makeDefaultEmailSender(id: "${second.id}") { id } }`))
    const { items } = dataOf(await client.graphql('{ emailSenders { items { id isDefault } } }'))
    expect(items.find(({ isDefault }: { isDefault: boolean }) => isDefault).id).toBe(second.id)
    expect(failureOf(await client.graphql(create, { address: 'ANA@aurora.example' }))).toMatchObject({
      code: 'DUPLICATE_ERROR',
    })
  })

  test('keeps its private key sealed', async () => {
    const { client } = await makeTenant(service)
    const { id } = dataOf(await client.graphql(create, { address: 'ana@aurora.example' }))
    const { rows } = await service.database.pool.query(
      'select dkim_private_key as key from email_sender where id = $1',
      [id],
    )
    expect(rows[0].key.toString('latin1')).not.toContain('PRIVATE KEY')
  })

  test('of a sub-account takes a seat: none beyond them is made, nor sends when they are fewer', async () => {
    const { client, db, wanted, accountId } = await makeMailing()
    const { pool } = service.database
    const agency = await pool.query(
      `insert into agency (id, name, agency_key, seat_price_cents, currency, anchor, billable_channels)
        values (gen_random_uuid(), 'A', $1, 100, 'BRL', now(), '{}') returning id`,
      [accountId.slice(0, 20)],
    )
    await pool.query(
      `insert into sub_account (id, agency_id, status, name, slug, admin_id, email_marketing)
        values ($1, $2, 'active', 'S', $3, gen_random_uuid(), 1)`,
      [accountId, agency.rows[0].id, accountId],
    )
    expect((await sendTemplateMail(db, wanted)).sent).toBe(true)
    expect(failureOf(await client.graphql(create, { address: 'bia@aurora.example' }))).toMatchObject({
      code: 'SENDER_LIMIT',
    })
    await pool.query('update sub_account set email_marketing = 0 where id = $1', [accountId])
    expect(await sendTemplateMail(db, wanted)).toMatchObject({
      sent: false,
      error: expect.stringMatching(/seats of email_marketing/),
    })
  })
})

test('what one account has is nothing to another', async () => {
  const { database } = service
  const owner = await makeMailing()
  const mail = await makeMail(database, owner.accountId, { contactId: owner.contact.id })
  const { client } = await makeTenant(service)
  for (const query of [
    `{ emailTemplate(id: "${owner.templateId}") { id } }`,
    `{ emailSender(id: "${owner.sender.id}") { id } }`,
    `{ mail(id: "${mail.id}") { id } }`,
    `mutation { deleteEmailTemplate(id: "${owner.templateId}") { id } }`,
    `mutation { makeDefaultEmailSender(id: "${owner.sender.id}") { id } }`,
    `mutation { verifyEmailSender(id: "${owner.sender.id}") { id } }`,
  ]) {
    expect(failureOf(await client.graphql(query))).toMatchObject({ code: 'NOT_FOUND' })
  }
})
