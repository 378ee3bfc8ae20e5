import type { Database } from '../../database/index.js'
import { type ClaimWorkerOptions, startClaimWorker } from '../../kit/claim-worker.js'
import { asTrace } from '../../kit/traced.js'
import { mailer } from '../sessions/index.js'
import { type ClaimedMail, claimMails, giveUpAbandoned, releaseMails, sendClaimed } from './send.service.js'

/** What sends mails in the background. */
export interface MailWorkerOptions extends Pick<ClaimWorkerOptions<ClaimedMail>, 'log' | 'pollMs'> {
  database: Database
}

/** A worker hands over no more, so that whoever waits for an answer does not notice; several send as much more. */
const PER_SECOND = 250

/**
 * Sends the mails that are due, until stopped, as many at once as the mailer takes. However many processes do so, each
 * mail is claimed by one of them, and from then on sent once or never.
 */
export function startMailWorker({ database, log, pollMs }: MailWorkerOptions): { stop(): Promise<void> } {
  const { atOnce } = database.needs.get(mailer)
  return startClaimWorker<ClaimedMail>({
    atOnce,
    perSecond: PER_SECOND,
    // One statement claims for every place once more, so that no place waits for it.
    claim: (limit) => claimMails(database, limit * 2),
    run: (mail) => asTrace(database, 'send mail', mail, () => sendClaimed(database, mail)),
    release: (mails) => releaseMails(database, mails),
    whenIdle: () => giveUpAbandoned(database),
    log,
    pollMs,
  })
}
