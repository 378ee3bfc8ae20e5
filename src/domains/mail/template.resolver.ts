import { referenceResolver } from '../../kit/reference/index.js'
import { CreateEmailTemplateInput, UpdateEmailTemplateInput } from './mail.inputs.js'
import { templateReads } from './mail.reads.js'
import { EmailTemplate } from './template.entity.js'
import { templateWrites } from './template.service.js'

/** Lists and manages templates. */
export const TemplateResolver = referenceResolver({
  entity: EmailTemplate,
  inputs: { create: CreateEmailTemplateInput, update: UpdateEmailTemplateInput },
  reads: templateReads,
  writes: templateWrites,
  fields: { one: 'emailTemplate', many: 'emailTemplates' },
  words: { one: 'email template', many: 'email templates' },
  permissions: { read: 'mail:read', create: 'mail:write', manage: 'mail:write' },
  uniqueName: false,
  says: { delete: ': nothing is made with it any more, but its mails still name it.' },
})
