import type { Scope } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import type { Composition } from './compose.service.js'
import { MailStatus } from './mail.entity.js'
import { sendNow } from './needs.service.js'
import { queueMail, SUPPRESSED } from './queue.service.js'

/** What came of a mail that somebody waits for. */
export interface SentMail {
  sent: boolean
  emailId: string | null
  /** A sentence for people; null when it was sent. */
  error: string | null
}

/**
 * Sends a mail at once and waits for what comes of it: it is stored as claimed before, so that it is sent once or never.
 * Whatever is in the way is told in `error`.
 */
export async function sendTemplateMail(db: Scope, wanted: Composition): Promise<SentMail> {
  try {
    const { id, status } = await queueMail(db, { ...wanted, claimed: true })
    if (status === MailStatus.SUPPRESSED) return { sent: false, emailId: id, error: SUPPRESSED }
    const settled = await db.get(sendNow)(db.accountId, id)
    return { sent: settled.status === MailStatus.SENT, emailId: id, error: settled.error }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { sent: false, emailId: null, error: error.message }
  }
}
