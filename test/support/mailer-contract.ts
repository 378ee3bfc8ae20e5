import { createPrivateKey, createVerify, generateKeyPairSync } from 'node:crypto'
import { type ParsedMail, simpleParser } from 'mailparser'
import type { Mailer } from '../../src/integrations/mail/index.js'

/** A mailer under test, from no-reply@example.com, and what of its mails arrives. */
export interface MailerUnderTest {
  mailer: Mailer
  /** The mails that arrived, as they came. */
  arrived(): Promise<Buffer[]>
  stop(): Promise<void>
}

/** What every adapter holds to: each of them runs these tests. */
export function mailerContract(name: string, start: () => Promise<MailerUnderTest>): void {
  describe(`the contract of mail, kept by ${name}`, () => {
    let under: MailerUnderTest
    beforeEach(async () => {
      under = await start()
    })
    afterEach(() => under.stop())

    const to = 'bia@example.com'
    const only = async (): Promise<[Buffer, ParsedMail]> => {
      const mails = await under.arrived()
      expect(mails).toHaveLength(1)
      return [mails[0]!, await simpleParser(mails[0]!)]
    }
    const headers = (mail: ParsedMail) => mail.headerLines.map(({ key }) => key)

    test('a mail of the service itself arrives as it was written', async () => {
      const text = `Olá Ação,\n\n${'a long line '.repeat(30)}\n.\n..\nFrom here: http://127.0.0.1:4000/x#token=fl_link_${'0'.repeat(38)}\n`
      expect(await under.mailer.send({ to, subject: 'Convite – Ação', text })).toEqual({
        outcome: 'accepted',
        answer: expect.stringMatching(/./),
      })
      const [, mail] = await only()
      expect(mail).toMatchObject({
        subject: 'Convite – Ação',
        from: { value: [{ name: 'Fairlead', address: 'no-reply@example.com' }] },
        to: { value: [{ name: '', address: to }] },
        date: expect.any(Date),
        messageId: expect.stringMatching(/^<.+@example\.com>$/),
      })
      expect(mail.text!.trimEnd()).toBe(text.trimEnd())
      expect(headers(mail)).toContain('auto-submitted')
      expect(headers(mail)).not.toContain('list-unsubscribe')
    })

    test('HTML and text go together, from the address and under the id that are given', async () => {
      const from = { name: 'Müller, "Ana"', address: 'ana@vendas.example' }
      await under.mailer.send({ to, subject: 'x', text: 'plain', html: '<p>rich <b>ação</b></p>', from, id: 'the-id' })
      const [, mail] = await only()
      expect(mail).toMatchObject({ text: expect.stringContaining('plain'), html: '<p>rich <b>ação</b></p>' })
      expect(mail.from!.value).toEqual([{ name: from.name, address: from.address }])
      expect(mail.messageId).toBe('<the-id@vendas.example>')
    })

    test('one click leaves the list, and the signature of the domain covers that', async () => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      })
      await under.mailer.send({
        to,
        subject: 'Olá – offers',
        text: 'x',
        html: '<p>x</p>',
        from: { name: 'Ana', address: 'ana@vendas.example' },
        unsubscribeUrl: 'https://app.example/unsubscribe/abc',
        dkim: { domain: 'vendas.example', selector: 'fl1', privateKey: createPrivateKey(privateKey) },
      })
      const [raw, mail] = await only()
      const lines = new Map(mail.headerLines.map(({ key, line }) => [key, line.replace(/\r\n\s+/g, ' ')]))
      expect(lines.get('list-unsubscribe')).toBe('List-Unsubscribe: <https://app.example/unsubscribe/abc>')
      expect(lines.get('list-unsubscribe-post')).toBe('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
      const signed = verifyDkim(raw, publicKey)
      expect(signed).toMatchObject({ valid: true, d: 'vendas.example', s: 'fl1' })
      expect(signed.h).toEqual(expect.arrayContaining(['from', 'subject', 'list-unsubscribe', 'list-unsubscribe-post']))
      const forged = Buffer.from(raw.toString('latin1').replace('unsubscribe/abc', 'unsubscribe/abd'), 'latin1')
      expect(verifyDkim(forged, publicKey).valid).toBe(false)
    })

    test('without https nothing is promised of one click', async () => {
      await under.mailer.send({ to, subject: 'x', text: 'x', unsubscribeUrl: 'http://127.0.0.1:4000/unsubscribe/abc' })
      const [, mail] = await only()
      expect(headers(mail)).toContain('list-unsubscribe')
      expect(headers(mail)).not.toContain('list-unsubscribe-post')
    })

    test.each([
      '\r\nBcc: eve@example.com\r\n\r\nother',
      '\nBcc: eve@example.com',
      '\rBcc: x',
      '\u2028Bcc: x',
      '\u0000Bcc: x',
    ])('nothing in a subject or a name becomes a header: %j', async (text) => {
      const from = { name: `Ana${text}`, address: 'ana@vendas.example' }
      await under.mailer.send({ to, subject: `Hello${text}`, text: 'body', from })
      const [, mail] = await only()
      expect(headers(mail).filter((key) => /bcc|cc|other/.test(key))).toEqual([])
      const plain = text.replace(/[\s\0]+/g, ' ').trimEnd()
      expect([mail.subject, mail.text!.trim()]).toEqual([`Hello${plain}`, 'body'])
      expect(mail.from!.value).toEqual([{ name: `Ana${plain}`, address: 'ana@vendas.example' }])
    })

    test.each([
      'a@example.com, b@example.com',
      'a@example.com\r\nBcc: b@example.com',
      'x <a@example.com>',
      'nobody',
      'a@example.com\0',
    ])('is for one address and from one address, and nothing else: %j', async (address) => {
      const mail = { to, subject: 'x', text: 'x' }
      await expect(under.mailer.send({ ...mail, to: address })).rejects.toThrow('one address')
      await expect(under.mailer.send({ ...mail, from: { name: 'x', address } })).rejects.toThrow('one address')
      expect(await under.arrived()).toEqual([])
    })

    test('mails that are sent at once all arrive', async () => {
      const sent = Array.from({ length: 40 }, (_, i) => under.mailer.send({ to, subject: `number ${i}`, text: 'x' }))
      for (const delivered of await Promise.all(sent)) expect(delivered.outcome).toBe('accepted')
      const subjects = await Promise.all(
        (await under.arrived()).map(async (mail) => (await simpleParser(mail)).subject),
      )
      expect(new Set(subjects).size).toBe(40)
    })
  })
}

/** Checks a signature as a receiver does (RFC 6376, relaxed/relaxed), with a reader of its own. */
function verifyDkim(raw: Buffer, publicKey: string): { valid: boolean; d?: string; s?: string; h: string[] } {
  const text = raw.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  const fields = text
    .slice(0, end)
    .split(/\r\n(?![ \t])/)
    .map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 1)] as const)
  const relaxed = (name: string, value: string) =>
    `${name}:${value
      .replace(/\r\n/g, '')
      .replace(/[ \t]+/g, ' ')
      .trim()}`
  const signature = fields.find(([name]) => name === 'dkim-signature')![1]
  const tags = Object.fromEntries(
    signature
      .replace(/\s+/g, '')
      .split(';')
      .filter(Boolean)
      .map((tag) => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]),
  ) as Record<'d' | 's' | 'h' | 'b', string>
  const h = tags.h.split(':').map((name) => name.toLowerCase())
  const signed = h
    .map((name) => fields.findLast(([key]) => key === name))
    .filter((field) => field !== undefined)
    .map(([name, value]) => `${relaxed(name, value)}\r\n`)
    .join('')
  const own = relaxed('dkim-signature', signature.replace(/([;\s]b=)[^;]*/, '$1'))
  const valid = createVerify('sha256')
    .update(signed + own, 'latin1')
    .verify(publicKey, tags.b, 'base64')
  return { valid, d: tags.d, s: tags.s, h }
}
