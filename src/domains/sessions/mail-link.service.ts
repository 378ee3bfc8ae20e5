import type { Scope } from '../../database/index.js'
import { handOver, type Mail } from '../../integrations/mail/index.js'
import { errorLog } from '../../kit/error-log.js'
import { mailer } from './settings.service.js'

/**
 * Hands over a mail with a link. Throws where it may go another time; what will never go is written to the log, without
 * any address: whoever runs the service sees it, and a newer link can be asked for.
 */
export async function mailLink(db: Scope, what: string, mail: Mail): Promise<void> {
  const delivered = await handOver(db.get(mailer), mail)
  if (delivered.outcome === 'accepted') return
  const reason = delivered.reason.replace(/\S+@\S+/g, '(an address)')
  const message = delivered.outcome === 'refused' ? 'was refused by the mail server' : 'may not have arrived'
  db.get(errorLog)(new Error(reason), `${what} ${message}`)
}
