import type { Database } from '../../src/database/index.js'
import { FlowStatus } from '../../src/domains/flows/index.js'
import { makeCampaign } from './factories/campaigns.js'
import { makeChannelAccount } from './factories/channels.js'
import { makeAiAgent, makeArticle, makeConversation } from './factories/conversations.js'
import { makeEnrollment, makeFlow } from './factories/flows.js'
import { makeInstagramAgent } from './factories/instagram.js'
import { makeFailedJob } from './factories/jobs.js'
import { makeMail, makeSuppression } from './factories/mail.js'
import { makeOpportunity } from './factories/opportunities.js'
import { defaultPipelineOf, makePipeline, makeRule } from './factories/pipelines.js'
import { makeDiscardReason, makeProduct, makeSector } from './factories/reference.js'
import { makeUser } from './factories/users.js'
import { makeContact, makeKey, makeTag } from './factories.js'

/** The ids of an account's records, by their kind. */
export type Stock = Awaited<ReturnType<typeof stockOf>>

/** Gives an account one record of each kind at least, for tests that call everything. */
export async function stockOf(database: Database, accountId: string) {
  const [sector, reason, product, tag, user, deleter] = await Promise.all([
    makeSector(database, accountId),
    makeDiscardReason(database, accountId),
    makeProduct(database, accountId),
    makeTag(database, accountId),
    makeUser(database, accountId),
    makeUser(database, accountId),
  ])
  const pipeline = await makePipeline(database, accountId)
  const contact = await makeContact(database, accountId, { tags: [tag], notes: ['Called'] })
  const campaign = await makeCampaign(database, accountId, { contactIds: [contact.id] })
  const parts = { products: [{}], comments: ['Wants a visit'] }
  const opportunity = await makeOpportunity(database, accountId, { contact, ...parts })
  const channel = await makeChannelAccount(database, accountId)
  const aiAgent = await makeAiAgent(database, accountId, { opening: 'Hello' })
  const article = await makeArticle(database, accountId, aiAgent.id)
  const conversation = await makeConversation(database, accountId, { contactId: contact.id, messages: [{}] })
  const agent = await makeInstagramAgent(database, accountId, { usernames: ['ana'] })
  const rule = await makeRule(database, accountId, { userIds: [user.id] })
  const { key } = await makeKey(database, accountId, { permissions: ['tags:read'] })
  const mail = await makeMail(database, accountId, { contactId: contact.id })
  const suppression = await makeSuppression(database, accountId, contact.id)
  const mailed = await makeContact(database, accountId, { email: 'mailed@example.com', phone: '+5511987654321' })
  const enrollment = await makeEnrollment(database, accountId)
  const draftFlow = await makeFlow(database, accountId, { status: FlowStatus.DRAFT })
  const pausedFlow = await makeFlow(database, accountId, { status: FlowStatus.PAUSED })
  const failed = await makeEnrollment(database, accountId)
  await database.pool.query(
    `update flow_enrollment set state = 'failed', due_at = null, ended_at = now(), end_reason = 'step_failed' where id = $1`,
    [failed.id],
  )
  const [failedJob, dismissedJob] = [await makeFailedJob(database, accountId), await makeFailedJob(database, accountId)]
  const only = async (table: string, column: string, id: string) => {
    const { rows } = await database.pool.query(`select id from ${table} where ${column} = $1`, [id])
    return rows[0].id as string
  }
  return {
    sector: sector.id,
    reason: reason.id,
    product: product.id,
    tag: tag.id,
    user: user.id,
    deleter: deleter.id,
    pipeline: pipeline.id,
    defaultPipeline: (await defaultPipelineOf(database, accountId)).id,
    stage: pipeline.stages[0]!.id,
    stages: pipeline.stages.map(({ id }) => id),
    contact: contact.id,
    note: await only('contact_note', 'contact_id', contact.id),
    campaign: campaign.id,
    member: campaign.memberIds[0]!,
    opportunity: opportunity.id,
    comment: await only('opportunity_comment', 'opportunity_id', opportunity.id),
    line: await only('opportunity_product', 'opportunity_id', opportunity.id),
    conversation: conversation.id,
    message: await only('message', 'conversation_id', conversation.id),
    channelAccount: channel.id,
    aiAgent: aiAgent.id,
    knowledgeArticle: article.id,
    agent: agent.id,
    profile: agent.profileIds[0]!,
    rule: rule.id,
    key: key.id,
    mail: mail.id,
    emailTemplate: mail.templateId,
    emailSender: mail.senderId,
    suppression: suppression.id,
    mailed: mailed.id,
    flow: enrollment.flowId,
    flowEnrollment: enrollment.id,
    failedEnrollment: failed.id,
    draftFlow: draftFlow.id,
    pausedFlow: pausedFlow.id,
    failedJob: failedJob.id,
    dismissedJob: dismissedJob.id,
    account: accountId,
  }
}
