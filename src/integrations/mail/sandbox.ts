import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { newId } from '../../shared/ids.js'
import type { Mail, Mailer } from './mailer.js'
import { messageOf } from './message.js'

/** Stands where no mail server is: each mail becomes a file that any mail program opens, and nothing leaves the machine. */
export class SandboxMailer implements Mailer {
  private readonly transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })

  constructor(
    private readonly folder: string,
    private readonly from: string,
  ) {}

  /** Writes `<time>-<id>.eml`, readable by the owner alone, since it may carry a link; it appears only when it is whole. */
  async send(mail: Mail): Promise<void> {
    const { message } = await this.transport.sendMail(messageOf(mail, this.from))
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    const name = `${new Date().toISOString().replaceAll(':', '-')}-${newId()}.eml`
    const unfinished = join(this.folder, `.${name}.part`)
    await writeFile(unfinished, message as Buffer, { mode: 0o600 })
    await rename(unfinished, join(this.folder, name))
  }
}
