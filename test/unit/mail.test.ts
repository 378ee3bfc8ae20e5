import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SandboxMailer } from '../../src/integrations/mail/index.js'
import { Mailbox } from '../support/mail.js'

let mailbox: Mailbox
let mailer: SandboxMailer
beforeEach(async () => {
  mailbox = await Mailbox.make()
  mailer = new SandboxMailer(join(mailbox.dataDir, 'outbox'), 'Fairlead <no-reply@example.com>')
})
afterEach(() => mailbox.remove())

const to = 'bia@example.com'

test('each mail is a file that a mail program reads, for its owner alone', async () => {
  const text = `Olá Ação,\n\n${'a long line '.repeat(30)}\n.\nFrom here: http://127.0.0.1:4000/x#token=fl_link_${'0'.repeat(38)}\n`
  await mailer.send({ to, subject: 'Convite – Ação', text })
  const [name] = await mailbox.files()
  expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f-]{36}\.eml$/)
  expect((await stat(join(mailbox.dataDir, 'outbox', name!))).mode & 0o777).toBe(0o600)
  const [mail] = await mailbox.to(to)
  expect(mail).toMatchObject({
    subject: 'Convite – Ação',
    text,
    from: { text: '"Fairlead" <no-reply@example.com>' },
    date: expect.any(Date),
    messageId: expect.stringMatching(/^<.+@example\.com>$/),
  })
})

test('mails that are sent at once are all there, in the order of their names', async () => {
  for (let i = 0; i < 10; i++) await mailer.send({ to, subject: String(i), text: 'x' })
  await Promise.all(Array.from({ length: 20 }, () => mailer.send({ to, subject: 'at once', text: 'x' })))
  const subjects = (await mailbox.to(to)).map(({ subject }) => subject)
  expect(subjects.slice(0, 10)).toEqual([...'0123456789'])
  expect(subjects).toHaveLength(30)
})

test.each([
  '\r\nBcc: eve@example.com\r\n\r\nother',
  '\nBcc: eve@example.com',
  '\rBcc: eve@example.com',
  '\u2028Bcc: x',
])('nothing in a subject becomes a header: %j', async (text) => {
  await mailer.send({ to, subject: `Hello${text}`, text: 'body' })
  const [mail] = await mailbox.to(to)
  expect(mail!.headerLines.map(({ key }) => key).filter((key) => /bcc|cc|other/.test(key))).toEqual([])
  expect([mail!.subject, mail!.text.trim()]).toEqual([`Hello${text}`.replace(/\s+/g, ' ').trim(), 'body'])
})

test.each(['a@example.com, b@example.com', 'a@example.com\r\nBcc: b@example.com', 'x <a@example.com>'])(
  'is for one address and nothing else: %j',
  async (address) => {
    await expect(mailer.send({ to: address, subject: 'x', text: 'x' })).rejects.toThrow('one address')
    expect(await mailbox.files()).toEqual([])
  },
)
