import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** What a mail server does wrong with the mails that come. */
export type SmtpFault =
  | { at: 'from' | 'recipient' | 'data'; code: number; text?: string }
  /** It takes its time at the recipient. */
  | { at: 'slow'; ms: number }
  /** It cuts the line before the mail, or once it has the whole mail and before it answers. */
  | { at: 'cut'; when: 'before data' | 'after data' }

/** A mail server that keeps what it takes, and can be told to do wrong. */
export class TestSmtp {
  fault?: SmtpFault
  /** The mails it has read to their end, as they came, whatever it answered. */
  readonly received: Buffer[] = []
  private readonly sockets = new Set<Socket>()

  private constructor(private readonly server: SMTPServer) {}

  static async start(options: SMTPServerOptions = {}): Promise<TestSmtp> {
    const smtp: TestSmtp = new TestSmtp(
      new SMTPServer({
        logger: false,
        authOptional: true,
        disabledCommands: ['STARTTLS', ...(options.onAuth ? [] : ['AUTH'])],
        disableReverseLookup: true,
        closeTimeout: 100,
        onMailFrom: (_address, _session, done) => done(smtp.refusal('from')),
        onRcptTo: (_address, _session, done) => void smtp.atRecipient().then(done),
        onData: (stream, _session, done) => {
          const chunks: Buffer[] = []
          stream.on('data', (chunk: Buffer) => chunks.push(chunk))
          stream.on('end', () => {
            smtp.received.push(Buffer.concat(chunks))
            if (smtp.fault?.at === 'cut') return smtp.cut()
            done(smtp.refusal('data'))
          })
        },
        ...options,
      }),
    )
    smtp.server.on('error', () => {}) // a client that goes is no error of the server's
    smtp.server.server.on('connection', (socket: Socket) => {
      smtp.sockets.add(socket)
      socket.on('close', () => smtp.sockets.delete(socket))
    })
    smtp.server.listen(0, '127.0.0.1')
    await once(smtp.server.server, 'listening')
    return smtp
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`
  }

  /** Ends all connections at once. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  /** The mails to an address, the first received first. */
  async to(email: string): Promise<ParsedMail[]> {
    const mails = await Promise.all(this.received.map((mail) => simpleParser(mail)))
    return mails.filter(({ to }) => to.text.toLowerCase() === email.toLowerCase())
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve))
  }

  private refusal(at: string): Error | null {
    const { fault } = this
    if (fault?.at !== at || !('code' in fault)) return null
    return Object.assign(new Error(fault.text ?? 'not this one'), { responseCode: fault.code })
  }

  private async atRecipient(): Promise<Error | null> {
    const { fault } = this
    if (fault?.at === 'slow') await delay(fault.ms)
    if (fault?.at === 'cut' && fault.when === 'before data') this.cut()
    return this.refusal('recipient')
  }
}

/** A server that takes connections and never says a word; resolves to its port and its end. */
export async function startSilent(): Promise<{ port: number; stop(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
