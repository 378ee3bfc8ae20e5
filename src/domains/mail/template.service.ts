import type { Scope } from '../../database/index.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import { ReferenceWrites } from '../../kit/reference/index.js'
import { type Fault, invalid } from '../../shared/errors.js'
import type { CreateEmailTemplateInput, UpdateEmailTemplateInput } from './mail.inputs.js'
import { templateReads } from './mail.reads.js'
import { templateFault } from './render.service.js'
import { EmailTemplate } from './template.entity.js'

const writes = new ReferenceWrites<EmailTemplate>({
  entity: EmailTemplate,
  reads: templateReads,
  what: 'email template',
  table: 'email_template',
})

/** The writes of templates. One whose variables nobody knows is not stored. */
export const templateWrites = {
  create: async (db: Scope, input: CreateEmailTemplateInput): Promise<EmailTemplate> => {
    check(input)
    return writes.create(db, input)
  },
  update: async (db: Scope, id: string, input: UpdateEmailTemplateInput): Promise<EmailTemplate> => {
    check(input)
    return writes.update(db, id, input)
  },
  delete: (db: Scope, id: string): Promise<DeletedRecord> => writes.delete(db, id),
}

function check(parts: UpdateEmailTemplateInput): void {
  const faults: Fault[] = (['subject', 'html', 'text'] as const).flatMap((name) => {
    const message = parts[name] ? templateFault(parts[name], { isHtml: name === 'html' }) : undefined
    return message ? [{ path: ['input', name], message }] : []
  })
  if (faults.length > 0) throw invalid(faults)
}
