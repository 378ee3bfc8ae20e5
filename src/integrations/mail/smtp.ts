import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import type SMTPPool from 'nodemailer/lib/smtp-pool'
import { nodemailer } from './load.js'
import type { Delivered, Mail, Mailbox, Mailer } from './mailer.js'
import { messageOf } from './message.js'

/** How long what may take, in milliseconds. */
export interface SmtpPatience {
  /** Until the server can be reached. */
  connect: number
  /** Until it greets. */
  greeting: number
  /** Until it says anything further. */
  silence: number
  /** A mail in all, its wait for a connection included. */
  mail: number
}

const PATIENCE: SmtpPatience = { connect: 5000, greeting: 5000, silence: 20_000, mail: 60_000 }
const CONNECTIONS = 8

/** Hands mails to a server (RFC 5321) over a few connections that stay open. */
export class SmtpMailer implements Mailer {
  readonly atOnce = CONNECTIONS
  private readonly connect: () => Transport
  private made?: Transport

  /**
   * With the address of a server: `smtps:` speaks TLS from the beginning, `smtp:` after STARTTLS, which a server anywhere
   * but on this machine must offer unless the address ends in `?tls=optional`.
   */
  constructor(
    url: string,
    private readonly service: Mailbox,
    private readonly patience: SmtpPatience = PATIENCE,
  ) {
    const { protocol, hostname, port, username, password, searchParams } = new URL(url)
    const host = hostname.replace(/^\[|\]$/g, '')
    const secure = protocol === 'smtps:'
    this.connect = () =>
      connected({
        pool: true,
        host,
        port: Number(port) || (secure ? 465 : 587),
        secure,
        requireTLS: !secure && !isLoopback(host) && searchParams.get('tls') !== 'optional',
        auth: username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : undefined,
        maxConnections: CONNECTIONS,
        maxMessages: 1000,
        // A connection that the server ended while it was idle is no failure of the next mail.
        maxRequeues: 2,
        connectionTimeout: patience.connect,
        greetingTimeout: patience.greeting,
        socketTimeout: patience.silence,
        dnsTimeout: patience.connect,
        disableFileAccess: true,
        disableUrlAccess: true,
      })
  }

  async send(mail: Mail): Promise<Delivered> {
    const watched: Watched = { begun: () => false }
    const message = { ...messageOf(mail, this.service), watched, signal: AbortSignal.timeout(this.patience.mail) }
    try {
      const { response } = await this.transport.sendMail(message)
      return { outcome: 'accepted', answer: response }
    } catch (error) {
      return outcomeOf(error as SmtpFailure, watched.begun())
    }
  }

  close(): void {
    this.made?.close()
  }

  private get transport(): Transport {
    this.made ??= this.connect()
    return this.made
  }
}

type Transport = ReturnType<typeof connected>

function connected(options: SMTPPool.Options) {
  const transport = nodemailer().createTransport(options)
  // What goes wrong is told by the mail that it went wrong with.
  transport.on('error', () => {})
  transport.use('stream', (mail, done) => {
    watchHandOver(mail.message, mail.data as unknown as Watched)
    done()
  })
  return transport
}

const isLoopback = (host: string) => host === 'localhost' || (isIP(host) !== 0 && /^(127\.|::1$)/.test(host))

interface Watched {
  watched?: Watched
  /** Whether any of the mail was read for the server, which is so once it has let DATA begin. */
  begun(): boolean
}

/** Notes when a mail is handed over, and lets that happen only once. */
function watchHandOver(message: { createReadStream(): Readable }, { watched }: Watched): void {
  const make = message.createReadStream.bind(message)
  const made: Readable[] = []
  watched!.begun = () => made.some((stream) => stream.readableDidRead)
  message.createReadStream = () => {
    if (watched!.begun()) {
      return new Readable({
        read() {
          this.destroy(new Error('a mail is handed over once'))
        },
      })
    }
    const stream = make()
    made.push(stream)
    return stream
  }
}

interface SmtpFailure extends Error {
  code?: string
  command?: string
  responseCode?: number
  response?: string
}

// Authentication that is asked for or has failed, or encryption that is: no other mail would fare better (RFC 4954, RFC 3207).
const OUR_FAULT = [530, 534, 535, 538]

function outcomeOf(error: SmtpFailure, begun: boolean): Delivered {
  const { code, command = '', responseCode, response, message } = error
  const reason = response ?? message
  const ofMail = /^(MAIL FROM|RCPT TO|DATA|API)/.test(command)
  const ourFault = code === 'EAUTH' || code === 'ETLS' || OUR_FAULT.includes(responseCode ?? 0)
  if (responseCode !== undefined || !begun) {
    const isFinal = responseCode ? responseCode >= 500 : code === 'EENVELOPE' || code === 'EMESSAGE'
    if (ofMail && isFinal && !ourFault) return { outcome: 'refused', reason }
    return { outcome: 'later', reason, ...(ourFault && { ourFault }) }
  }
  return { outcome: 'unknown', reason }
}
