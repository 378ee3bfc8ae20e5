import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ParsedMail, simpleParser } from 'mailparser'
import { type Database, deliver, takeDeliveries } from '../../src/database/index.js'
import { startMailWorker } from '../../src/domains/mail/index.js'

const PACE = { lease: 60_000, retry: 0 }

/** Tells the domains all that was announced, as the worker does; resolves to what failed, which stays to be told again. */
export async function tellAll(database: Database): Promise<unknown[]> {
  const failures: unknown[] = []
  for (;;) {
    const deliveries = await takeDeliveries(database, 100, PACE)
    if (deliveries.length === 0) return failures
    for (const delivery of deliveries) {
      await deliver(database, delivery, PACE).catch((error) => failures.push(error))
    }
    if (failures.length > 0) return failures
  }
}

// A time is kept to the millisecond: what was made due just now may lie half of one ahead.
const OPEN = `select count(*)::int as n from mail
  where status = 'sending' or (status = 'queued' and due_at <= now() + interval '1 millisecond')`

/** Sends the mails that are due, until none is; resolves to what went wrong in the worker. */
export async function sendDueMails(database: Database): Promise<unknown[]> {
  const errors: unknown[] = []
  const worker = startMailWorker({ database, log: (error) => errors.push(error), pollMs: 5 })
  while ((await database.pool.query(OPEN)).rows[0].n > 0) await delay(15)
  await worker.stop()
  return errors
}

/** The folder of a test's data, with the mails that were sent. */
export class Mailbox {
  private constructor(readonly dataDir: string) {}

  static async make(): Promise<Mailbox> {
    return new Mailbox(await mkdtemp(join(tmpdir(), 'fairlead-mail-')))
  }

  /** The names of the files, the first sent first; not of what is still being written. */
  async files(): Promise<string[]> {
    const names = await readdir(join(this.dataDir, 'outbox')).catch(() => [])
    return names.filter((name) => !name.startsWith('.')).sort()
  }

  /** The mails to an address, the first sent first. */
  async to(email: string): Promise<ParsedMail[]> {
    const files = await this.files()
    const mails = await Promise.all(
      files.map(async (name) => simpleParser(await readFile(join(this.dataDir, 'outbox', name)))),
    )
    return mails.filter(({ to }) => to.text.toLowerCase() === email.toLowerCase())
  }

  /** The token in the last mail to an address. */
  async tokenTo(email: string): Promise<string> {
    return tokenIn((await this.to(email)).at(-1)!)
  }

  remove(): Promise<void> {
    return rm(this.dataDir, { recursive: true })
  }
}

/** The token of the link in a mail. */
export const tokenIn = ({ text }: ParsedMail): string => /^http.*#token=(\S+)$/m.exec(text)![1]!
