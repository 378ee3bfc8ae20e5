import { hasWord, Reads, refersTo, where } from '../../kit/reads/index.js'
import { referenceReads } from '../../kit/reference/index.js'
import { isContactOf } from '../contacts/index.js'
import { Mail } from './mail.entity.js'
import type { MailFilter } from './mail.inputs.js'
import { EmailSender } from './sender.entity.js'
import { MailSuppression } from './suppression.entity.js'
import { EmailTemplate } from './template.entity.js'

/** The reads of templates, by name. */
export const templateReads = referenceReads(EmailTemplate, { keepsDeleted: true })

/** The reads of senders, by name. */
export const senderReads = referenceReads(EmailSender, { keepsDeleted: true })

/** A mail as a read brings it. */
export type MailRow = Partial<Mail> & Pick<Mail, 'id'>

/** The reads of mails, newest first. */
export const mailReads = new Reads<MailRow, MailFilter>({
  entity: Mail,
  own: where((of, seller) => isContactOf(seller, of('contact_id'))),
  filters: {
    status: hasWord('status'),
    contactId: refersTo('contactId'),
    templateId: refersTo('templateId'),
    senderId: refersTo('senderId'),
  } satisfies Record<keyof MailFilter, unknown>,
  sorts: { created_at: 'createdAt' },
})

/** The reads of suppressions, newest first. */
export const suppressionReads = new Reads<MailSuppression, Record<never, never>>({
  entity: MailSuppression,
  own: where((of, seller) => isContactOf(seller, of('contact_id'))),
  filters: {},
  sorts: { created_at: 'createdAt' },
})
