import type { GraphQLResolveInfo } from 'graphql'
import { Arg, Args, Ctx, Field, ID, Info, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { DeletedRecord } from '../../kit/deleted.js'
import { MayFail } from '../../kit/documentation.js'
import { PageArgs } from '../../kit/list-args.js'
import { Pagination } from '../../kit/pagination.js'
import { ReadWith, Requires } from '../../kit/permissions.js'
import type { PageOf } from '../../kit/reads/index.js'
import { below, selectionOf } from '../../kit/selection.js'
import { notFound } from '../../shared/errors.js'
import { preview } from './compose.service.js'
import { Mail } from './mail.entity.js'
import { MailFilter, SuppressAddressInput } from './mail.inputs.js'
import { type MailRow, mailReads, suppressionReads } from './mail.reads.js'
import { removeSuppression, suppressAddress } from './suppress.service.js'
import { MailSuppression } from './suppression.entity.js'

@ObjectType({ description: 'One page of a list of mails.', simpleResolvers: true })
@ReadWith('any')
export class MailPage {
  @Field(() => [Mail], { description: 'The mails of the page.' })
  items!: Mail[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@ObjectType({ description: 'One page of a list of suppressions.', simpleResolvers: true })
@ReadWith('any')
export class MailSuppressionPage {
  @Field(() => [MailSuppression], { description: 'The suppressions of the page.' })
  items!: MailSuppression[]

  @Field(() => Pagination, { description: 'Where the page stands in the list.' })
  pagination!: Pagination
}

@ObjectType({ description: 'What a template becomes for a contact.', simpleResolvers: true })
@ReadWith('mail:read')
export class EmailPreview {
  @Field(() => String, { description: 'The subject.' })
  subject!: string

  @Field(() => String, { description: 'The HTML.' })
  html!: string

  @Field(() => String, { description: 'The plain text.' })
  text!: string
}

@Resolver()
export class MailResolver {
  @Query(() => MailPage, { description: 'Mails to contacts and what became of them, newest first.' })
  @Requires('mail:read')
  mails(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('filter', () => MailFilter, { nullable: true, description: 'Which mails to list; all if left out.' })
    filter: MailFilter | null,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<PageOf<MailRow>> {
    return mailReads.list(context, { filter, ...paging }, below(selectionOf(info), 'items'))
  }

  @Query(() => Mail, { nullable: true, description: 'One mail of the account; NOT_FOUND where there is none.' })
  @Requires('mail:read')
  @MayFail('NOT_FOUND')
  async mail(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the mail.' }) id: string,
  ): Promise<MailRow> {
    const mail = await mailReads.find(db, id)
    if (!mail) throw notFound('mail')
    return mail
  }

  @Query(() => EmailPreview, {
    nullable: true,
    description: 'What a template becomes for a contact; its link to leave leads nowhere. Nothing is sent.',
  })
  @Requires('mail:read')
  @MayFail('VALIDATION_ERROR')
  previewEmailTemplate(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the email template.' }) id: string,
    @Arg('contactId', () => ID, { nullable: true, description: 'The id of the contact; a made-up person if left out.' })
    contactId: string | null,
  ): Promise<EmailPreview> {
    return preview(db, id, contactId)
  }

  @Query(() => MailSuppressionPage, { description: 'Who gets no mail any more, newest first.' })
  @Requires('mail:read')
  mailSuppressions(
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => PageArgs) paging: PageArgs,
  ): Promise<PageOf<MailSuppression>> {
    return suppressionReads.list(context, { filter: {}, ...paging }, below(selectionOf(info), 'items'))
  }

  @Mutation(() => MailSuppression, {
    description: 'Has an address get no mail any more, whoever has it; what is queued for it is not sent.',
  })
  @Requires('mail:write')
  suppressAddress(
    @Ctx() { db }: Context,
    @Arg('input', () => SuppressAddressInput, { description: 'Which address.' }) input: SuppressAddressInput,
  ): Promise<MailSuppression> {
    return suppressAddress(db, input)
  }

  @Mutation(() => DeletedRecord, { description: 'Lets an address get mails again; only with the word of its owner.' })
  @Requires('settings:write')
  @MayFail('NOT_FOUND')
  removeSuppression(
    @Ctx() { db }: Context,
    @Arg('id', () => ID, { description: 'The id of the suppression.' }) id: string,
  ): Promise<DeletedRecord> {
    return removeSuppression(db, id)
  }
}
