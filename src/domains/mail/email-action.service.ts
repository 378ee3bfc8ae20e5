import { AppError } from '../../shared/errors.js'
import { contactOf, defineAction } from '../opportunities/index.js'
import { sendTemplateMail } from './action.service.js'
import { EmailActionInput, EmailActionResult } from './email-action.types.js'

/** A one-off mail from a template, sent along with the creation of an opportunity. */
export const emailAction = defineAction<{ templateId?: string; senderId?: string }, EmailActionResult>({
  name: 'email',
  description: 'A one-off mail from a template to the contact.',
  input: EmailActionInput,
  block: EmailActionResult,
  effect: 'outside',
  failed: (error) => ({ sent: false, emailId: null, error }),
  async run(db, { templateId, senderId }, target) {
    if (!templateId) {
      throw new AppError('VALIDATION_ERROR', 'A sender was given, but no template: say which one is to be sent.')
    }
    return sendTemplateMail(db, { templateId, senderId, contactId: contactOf(target) })
  },
})
