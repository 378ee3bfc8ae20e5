import { within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { defineQueue } from '../../kit/queue.js'
import { resealJob } from '../../kit/reseal.js'
import { accounts } from '../accounts/index.js'
import { contactDeleted, contacts } from '../contacts/index.js'
import { opportunities } from '../opportunities/index.js'
import { sessions } from '../sessions/index.js'
import { subAccounts } from '../sub-accounts/index.js'
import { emailAction } from './email-action.service.js'
import { eraseContact } from './erase.service.js'
import { Mail } from './mail.entity.js'
import { MailResolver } from './mail.resolver.js'
import { EmailSender } from './sender.entity.js'
import { SenderResolver, SenderStandingResolver } from './sender.resolver.js'
import { MailSuppression } from './suppression.entity.js'
import { EmailTemplate } from './template.entity.js'
import { TemplateResolver } from './template.resolver.js'

export { type SentMail, sendTemplateMail } from './action.service.js'
export { addressKey, type Composition, type Compositions } from './compose.service.js'
export { Mail, MailStatus } from './mail.entity.js'
export { contactUnsubscribed } from './mail.facts.js'
export { type MailWorkerOptions, startMailWorker } from './mail-worker.service.js'
export { domainKeys, sendNow } from './needs.service.js'
export {
  type Queued,
  type QueuedMail,
  queueMail,
  queueMails,
  SUPPRESSED,
  type WantedMail,
  withdrawMails,
} from './queue.service.js'
export { sendStored } from './send.service.js'
export { EmailSender } from './sender.entity.js'
export { Unsubscription } from './suppress.service.js'
export { MailSuppression } from './suppression.entity.js'
export { EmailTemplate } from './template.entity.js'

/** Mails to contacts: templates, who they come from, what became of them, and who wants none. */
export const mail = defineDomain({
  name: 'mail',
  uses: [accounts, contacts, opportunities, sessions, subAccounts],
  entities: [EmailTemplate, EmailSender, Mail, MailSuppression],
  resolvers: [TemplateResolver, SenderResolver, SenderStandingResolver, MailResolver],
  jobs: [resealJob('email_sender', 'dkim_private_key')],
  queues: [defineQueue('mails', 'mail')],
  permissions: {
    'mail:read': 'read templates, senders, mails and who wants none',
    'mail:write': 'manage templates and senders, and have an address get no mail',
  },
  actions: [emailAction],
  on: [within(contactDeleted, eraseContact)],
  demo: () => import('./demo/index.js'),
})
