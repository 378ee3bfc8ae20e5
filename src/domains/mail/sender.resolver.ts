import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { MayFail } from '../../kit/documentation.js'
import { Requires } from '../../kit/permissions.js'
import { referenceResolver } from '../../kit/reference/index.js'
import { CreateEmailSenderInput, UpdateEmailSenderInput } from './mail.inputs.js'
import { senderReads } from './mail.reads.js'
import { EmailSender } from './sender.entity.js'
import {
  createSender,
  deleteSender,
  makeDefaultSender,
  SENDER_ERRORS,
  updateSender,
  verifySender,
} from './sender.service.js'

/** Lists and manages senders. */
export const SenderResolver = referenceResolver({
  entity: EmailSender,
  inputs: { create: CreateEmailSenderInput, update: UpdateEmailSenderInput },
  reads: senderReads,
  writes: { create: createSender, update: updateSender, delete: deleteSender },
  fields: { one: 'emailSender', many: 'emailSenders' },
  words: { one: 'email sender', many: 'email senders' },
  permissions: { read: 'mail:read', create: 'mail:write', manage: 'mail:write' },
  uniqueName: false,
  says: { delete: ': nothing is sent from it any more, not even what is queued.' },
})

@Resolver()
export class SenderStandingResolver {
  @Mutation(() => EmailSender, { description: 'Has mails come from this sender where no other is named.' })
  @Requires('mail:write')
  @MayFail('NOT_FOUND')
  makeDefaultEmailSender(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the email sender.' }) id: string,
  ): Promise<EmailSender> {
    return makeDefaultSender(db, id)
  }

  @Mutation(() => EmailSender, {
    description: "Looks for the sender's record in the DNS; once it was found, mails can come from the sender.",
  })
  @Requires('mail:write')
  @MayFail('NOT_FOUND', SENDER_ERRORS.DNS_RECORD_MISSING)
  verifyEmailSender(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the email sender.' }) id: string,
  ): Promise<EmailSender> {
    return verifySender(db, id)
  }
}
