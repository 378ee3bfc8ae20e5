import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { SMTPServerOptions } from 'smtp-server'
import { SandboxMailer, SmtpMailer, type SmtpPatience } from '../../src/integrations/mail/index.js'
import { mailerContract } from '../support/mailer-contract.js'
import { startSilent, TestSmtp } from '../support/smtp.js'

const service = { name: 'Fairlead', address: 'no-reply@example.com' }
const mail = { to: 'bia@example.com', subject: 'Hello', text: 'Hello' }

mailerContract('the sandbox', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-mail-'))
  return {
    mailer: new SandboxMailer(join(folder, 'outbox'), service),
    arrived: async () => {
      const names = await readdir(join(folder, 'outbox')).catch(() => [])
      return Promise.all(names.sort().map((name) => readFile(join(folder, 'outbox', name))))
    },
    stop: () => rm(folder, { recursive: true }),
  }
})

mailerContract('SMTP', async () => {
  const smtp = await TestSmtp.start()
  const mailer = new SmtpMailer(smtp.url, service)
  return {
    mailer,
    arrived: async () => smtp.received,
    stop: async () => {
      mailer.close()
      await smtp.stop()
    },
  }
})

describe('the sandbox', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-mail-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  test('makes a file of each mail, for its owner alone, in the order of their names', async () => {
    const mailer = new SandboxMailer(join(folder, 'outbox'), service)
    for (let i = 0; i < 10; i++) await mailer.send({ ...mail, subject: `number ${i}` })
    const names = (await readdir(join(folder, 'outbox'))).sort()
    for (const [i, name] of names.entries()) {
      expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f-]{36}\.eml$/)
      expect((await stat(join(folder, 'outbox', name))).mode & 0o777).toBe(0o600)
      expect(await readFile(join(folder, 'outbox', name), 'latin1')).toContain(`number ${i}`)
    }
    expect(names).toHaveLength(10)
  })

  test('says that a mail may go later where its folder takes no file', async () => {
    await writeFile(join(folder, 'outbox'), 'in the way')
    const mailer = new SandboxMailer(join(folder, 'outbox'), service)
    expect(await mailer.send(mail)).toMatchObject({ outcome: 'later', ourFault: true })
  })
})

describe('a server that does wrong', () => {
  let smtp: TestSmtp
  const mailers: SmtpMailer[] = []
  const QUICK: SmtpPatience = { connect: 5000, greeting: 5000, silence: 300, mail: 3000 }
  const mailerTo = (url: string, patience: Partial<SmtpPatience> = {}) => {
    const mailer = new SmtpMailer(url, service, { ...QUICK, silence: 5000, ...patience })
    mailers.push(mailer)
    return mailer
  }
  beforeEach(async () => {
    smtp = await TestSmtp.start()
  })
  afterEach(async () => {
    for (const mailer of mailers.splice(0)) mailer.close()
    await smtp.stop()
  })

  test.each(['from', 'recipient', 'data'] as const)('refuses for good at %s', async (at) => {
    smtp.fault = { at, code: 550, text: 'no such mailbox' }
    const mailer = mailerTo(smtp.url)
    expect(await mailer.send(mail)).toEqual({ outcome: 'refused', reason: expect.stringContaining('no such mailbox') })
    smtp.fault = undefined
    expect(await mailer.send(mail)).toMatchObject({ outcome: 'accepted' })
  })

  test.each(['from', 'recipient', 'data'] as const)('asks for another try at %s', async (at) => {
    smtp.fault = { at, code: 451, text: 'greylisted' }
    expect(await mailerTo(smtp.url).send(mail)).toEqual({
      outcome: 'later',
      reason: expect.stringContaining('greylisted'),
    })
  })

  test('wants to know who we are: nothing is wrong with the mail', async () => {
    smtp.fault = { at: 'from', code: 530, text: 'authentication required' }
    expect(await mailerTo(smtp.url).send(mail)).toMatchObject({ outcome: 'later', ourFault: true })
  })

  test('is not there', async () => {
    const gone = await TestSmtp.start()
    const { url } = gone
    await gone.stop()
    expect(await mailerTo(url).send(mail)).toEqual({
      outcome: 'later',
      reason: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('takes the connection and says nothing', async () => {
    const silent = await startSilent()
    expect(await mailerTo(`smtp://127.0.0.1:${silent.port}`, { greeting: 300 }).send(mail)).toMatchObject({
      outcome: 'later',
    })
    await silent.stop()
  })

  test('falls silent in the middle, before the mail', async () => {
    smtp.fault = { at: 'slow', ms: 2000 }
    expect(await mailerTo(smtp.url, QUICK).send(mail)).toMatchObject({ outcome: 'later' })
    expect(smtp.received).toEqual([])
  })

  test('is slower in all than a mail may take', async () => {
    smtp.fault = { at: 'slow', ms: 2000 }
    expect(await mailerTo(smtp.url, { mail: 300 }).send(mail)).toMatchObject({ outcome: 'later' })
  })

  test('cuts the line before the mail', async () => {
    smtp.fault = { at: 'cut', when: 'before data' }
    expect(await mailerTo(smtp.url).send(mail)).toMatchObject({ outcome: 'later' })
    expect(smtp.received).toEqual([])
  })

  test('cuts the line after the mail: nobody knows, and it is not handed over again', async () => {
    smtp.fault = { at: 'cut', when: 'after data' }
    const mailer = mailerTo(smtp.url)
    expect(await mailer.send(mail)).toMatchObject({ outcome: 'unknown' })
    smtp.fault = undefined
    expect(await mailer.send(mail)).toMatchObject({ outcome: 'accepted' })
    expect(smtp.received).toHaveLength(2)
  })

  test('has ended the idle connection: the next mail goes over another', async () => {
    const mailer = mailerTo(smtp.url)
    await mailer.send(mail)
    smtp.cut()
    expect(await mailer.send(mail)).toMatchObject({ outcome: 'accepted' })
    expect(smtp.received).toHaveLength(2)
  })
})

describe('a server and its credentials', () => {
  const login: SMTPServerOptions = {
    secure: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'us er' && password === 'p@ss' ? done(null, { user: 1 }) : done(new Error('wrong')),
  }

  test('whose certificate nobody has signed gets neither a password nor a mail', async () => {
    const smtp = await TestSmtp.start(login)
    const mailer = new SmtpMailer(`smtps://us%20er:p%40ss@127.0.0.1:${smtp.port}`, service)
    expect(await mailer.send(mail)).toMatchObject({ outcome: 'later', reason: expect.stringMatching(/certificate/) })
    expect(smtp.received).toEqual([])
    mailer.close()
    await smtp.stop()
  })

  describe('that offers STARTTLS', () => {
    const fixture = (name: string) =>
      readFileSync(new URL(`../support/tls/localhost.${name}.pem`, import.meta.url), 'utf8')
    const trusted = getCACertificates('default')
    afterEach(() => setDefaultCACertificates(trusted))

    async function send() {
      const secure: boolean[] = []
      const smtp = await TestSmtp.start({
        disabledCommands: ['AUTH'],
        key: fixture('key'),
        cert: fixture('cert'),
        onMailFrom: (_address, session, done) => {
          secure.push(session.secure)
          done()
        },
      })
      const mailer = new SmtpMailer(`smtp://localhost:${smtp.port}`, service)
      const { outcome } = await mailer.send(mail)
      mailer.close()
      await smtp.stop()
      return { outcome, secure, received: smtp.received.length }
    }

    test('gets mails under TLS when its certificate is trusted', async () => {
      setDefaultCACertificates([...trusted, fixture('cert')])
      expect(await send()).toEqual({ outcome: 'accepted', secure: [true], received: 1 })
    })

    test('gets none when it is not', async () => {
      expect(await send()).toEqual({ outcome: 'later', secure: [], received: 0 })
    })
  })

  test.each([
    ['us%20er:p%40ss', 'accepted'],
    ['us%20er:wrong', 'later'],
  ])('takes mails of who signs in: %s', async (user, outcome) => {
    const smtp = await TestSmtp.start({ ...login, secure: false, allowInsecureAuth: true, hideSTARTTLS: true })
    const mailer = new SmtpMailer(`smtp://${user}@127.0.0.1:${smtp.port}`, service)
    expect(await mailer.send(mail)).toMatchObject(outcome === 'later' ? { outcome, ourFault: true } : { outcome })
    mailer.close()
    await smtp.stop()
  })
})
