import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../../shared/ids.js'
import { nodemailer } from './load.js'
import type { Delivered, Mail, Mailbox, Mailer } from './mailer.js'
import { messageOf } from './message.js'

type Transport = ReturnType<typeof writing>

const writing = () => nodemailer().createTransport({ streamTransport: true, buffer: true, newline: 'windows' })

/** Stands where no mail server is: each mail becomes a file that any mail program opens, and nothing leaves the machine. */
export class SandboxMailer implements Mailer {
  readonly atOnce = 8
  private transport?: Transport

  constructor(
    private readonly folder: string,
    private readonly service: Mailbox,
  ) {}

  /** Writes `<time>-<id>.eml`, readable by the owner alone, since it may carry a link; it appears only when it is whole. */
  async send(mail: Mail): Promise<Delivered> {
    this.transport ??= writing()
    const { message } = await this.transport.sendMail(messageOf(mail, this.service))
    const name = `${new Date().toISOString().replaceAll(':', '-')}-${newId()}.eml`
    const unfinished = join(this.folder, `.${name}.part`)
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 })
      await writeFile(unfinished, message as Buffer, { mode: 0o600 })
      await rename(unfinished, join(this.folder, name))
    } catch (error) {
      return { outcome: 'later', reason: `the outbox takes no file: ${(error as Error).message}`, ourFault: true }
    }
    return { outcome: 'accepted', answer: name }
  }

  close(): void {}
}
