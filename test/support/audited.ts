import { randomUUID } from 'node:crypto'
import type { Stock } from './stock.js'

/** What an entry says was done. */
export interface Deed {
  action: string
  subjectKind: string
  subjectId: string
  fields: string[]
}

/** A mutation that leaves an entry: its fields, and the id of the record, where it is there before. */
interface Audited {
  says: string
  subject?: keyof Stock
  call(ids: Stock): string
}

const reference = (type: string, kind: string, id: keyof Stock): Record<string, Audited> => ({
  [`create${type}`]: { says: `created ${kind}`, call: () => `create${type}(input: { name: "New" }) { id }` },
  [`update${type}`]: {
    says: `updated ${kind} name`,
    subject: id,
    call: (ids) => `update${type}(id: "${ids[id]}", input: { name: "Other" }) { id }`,
  },
  [`delete${type}`]: deletes(`delete${type}`, kind, id),
})

const deletes = (mutation: string, kind: string, id: keyof Stock, argument = 'id'): Audited => ({
  says: `deleted ${kind}`,
  subject: id,
  call: (ids) => `${mutation}(${argument}: "${ids[id]}") { id }`,
})

/** What people do to their own sign-in; the test of sign-ins below says what that leaves. */
const SIGN_IN = 'sign-in'

/** Everyday work with records that keep a history of their own, or none: no entry is wanted of it. */
const WORK = 'work'

/** What an agency does to its sub-accounts: each call is an event of the agency, which is kept. */
const EVENT = 'event'

/** What operators do, which is of no account; the tests of agencies say what that leaves. */
const OPERATOR = 'operator'

/** What each mutation writes down. One that the schema has and this table lacks fails the test. */
export const AUDITED: Readonly<
  Record<string, Audited | typeof WORK | typeof SIGN_IN | typeof EVENT | typeof OPERATOR>
> = {
  ...reference('Sector', 'sector', 'sector'),
  ...reference('Tag', 'tag', 'tag'),
  ...reference('DiscardReason', 'discard_reason', 'reason'),
  ...reference('Product', 'product', 'product'),
  ...reference('Campaign', 'campaign', 'campaign'),
  ...reference('InstagramAgent', 'instagram_agent', 'agent'),
  ...reference('Pipeline', 'pipeline', 'pipeline'),
  ...reference('AiAgent', 'ai_agent', 'aiAgent'),
  ...reference('KnowledgeArticle', 'knowledge_article', 'knowledgeArticle'),
  createAiAgent: {
    says: 'created ai_agent',
    call: () => 'createAiAgent(input: { name: "New", type: WHATSAPP }) { id }',
  },
  createKnowledgeArticle: {
    says: 'created knowledge_article',
    call: ({ aiAgent }) =>
      `createKnowledgeArticle(input: { aiAgentId: "${aiAgent}", name: "New", content: "Text" }) { id }`,
  },
  connectChannel: {
    says: 'created channel_account',
    call: () => `connectChannel(input: { kind: WHATSAPP, externalId: "${randomUUID()}", token: "sandbox" }) { id }`,
  },
  updateChannelAccount: {
    says: 'updated channel_account name',
    subject: 'channelAccount',
    call: ({ channelAccount }) => `updateChannelAccount(id: "${channelAccount}", input: { name: "Other" }) { id }`,
  },
  disconnectChannel: {
    says: 'updated channel_account status,credentials,disconnectedAt',
    subject: 'channelAccount',
    call: ({ channelAccount }) => `disconnectChannel(id: "${channelAccount}") { id }`,
  },
  createEmailTemplate: {
    says: 'created email_template',
    call: () => 'createEmailTemplate(input: { name: "New", subject: "Hello", html: "Hello" }) { id }',
  },
  updateEmailTemplate: {
    says: 'updated email_template subject',
    subject: 'emailTemplate',
    call: ({ emailTemplate }) => `updateEmailTemplate(id: "${emailTemplate}", input: { subject: "Other" }) { id }`,
  },
  deleteEmailTemplate: deletes('deleteEmailTemplate', 'email_template', 'emailTemplate'),
  createEmailSender: {
    says: 'created email_sender',
    call: () => `createEmailSender(input: { name: "New", address: "new@example.com" }) { id }`,
  },
  updateEmailSender: {
    says: 'updated email_sender name',
    subject: 'emailSender',
    call: ({ emailSender }) => `updateEmailSender(id: "${emailSender}", input: { name: "Other" }) { id }`,
  },
  makeDefaultEmailSender: {
    says: 'updated email_sender isDefault',
    subject: 'emailSender',
    call: ({ emailSender }) => `makeDefaultEmailSender(id: "${emailSender}") { id }`,
  },
  verifyEmailSender: {
    says: 'updated email_sender verifiedAt',
    subject: 'emailSender',
    call: ({ emailSender }) => `verifyEmailSender(id: "${emailSender}") { id }`,
  },
  deleteEmailSender: deletes('deleteEmailSender', 'email_sender', 'emailSender'),
  suppressAddress: {
    says: 'created mail_suppression',
    call: () => `suppressAddress(input: { address: "${randomUUID()}@example.com" }) { id }`,
  },
  createFlow: {
    says: 'created flow',
    call: () => 'createFlow(input: { name: "New", steps: [{ kind: STOP }] }) { id }',
  },
  updateFlow: {
    says: 'updated flow name,steps',
    subject: 'flow',
    call: ({ flow }) => `updateFlow(id: "${flow}", input: { name: "Other", steps: [{ kind: STOP }] }) { id }`,
  },
  activateFlow: {
    says: 'updated flow status',
    subject: 'draftFlow',
    call: ({ draftFlow }) => `activateFlow(id: "${draftFlow}") { id }`,
  },
  pauseFlow: {
    says: 'updated flow status',
    subject: 'flow',
    call: ({ flow }) => `pauseFlow(id: "${flow}") { id }`,
  },
  resumeFlow: {
    says: 'updated flow status',
    subject: 'pausedFlow',
    call: ({ pausedFlow }) => `resumeFlow(id: "${pausedFlow}") { id }`,
  },
  archiveFlow: {
    says: 'updated flow status',
    subject: 'flow',
    call: ({ flow }) => `archiveFlow(id: "${flow}") { id }`,
  },
  enrollInFlow: {
    says: 'created flow_enrollment',
    call: ({ flow, mailed }) => `enrollInFlow(flowId: "${flow}", contactId: "${mailed}") { id }`,
  },
  stopFlowEnrollment: {
    says: 'stopped flow_enrollment',
    subject: 'flowEnrollment',
    call: ({ flowEnrollment }) => `stopFlowEnrollment(id: "${flowEnrollment}") { id }`,
  },
  retryFlowEnrollment: {
    says: 'retried flow_enrollment',
    subject: 'failedEnrollment',
    call: ({ failedEnrollment }) => `retryFlowEnrollment(id: "${failedEnrollment}") { id }`,
  },
  retryFailedJob: {
    says: 'retried failed_job',
    subject: 'failedJob',
    call: ({ failedJob }) => `retryFailedJob(id: "${failedJob}") { id }`,
  },
  dismissFailedJob: deletes('dismissFailedJob', 'failed_job', 'dismissedJob'),
  removeSuppression: deletes('removeSuppression', 'mail_suppression', 'suppression'),
  updateAccount: {
    says: 'updated account country',
    subject: 'account',
    call: () => 'updateAccount(input: { country: "pt" }) { id }',
  },
  createApiKey: {
    says: 'created api_key',
    call: () => 'createApiKey(input: { name: "New", permissions: ["tags:read"] }) { key { id } }',
  },
  rotateApiKey: {
    says: 'rotated api_key,created api_key',
    subject: 'key',
    call: ({ key }) => `rotateApiKey(id: "${key}") { key { id } }`,
  },
  revokeApiKey: {
    says: 'revoked api_key',
    subject: 'key',
    call: ({ key }) => `revokeApiKey(id: "${key}") { id }`,
  },
  createStage: {
    says: 'created stage',
    call: ({ pipeline }) => `createStage(pipelineId: "${pipeline}", input: { name: "New" }) { id }`,
  },
  updateStage: {
    says: 'updated stage color',
    subject: 'stage',
    call: ({ stage }) => `updateStage(id: "${stage}", input: { color: "#fff" }) { id }`,
  },
  deleteStage: deletes('deleteStage', 'stage', 'stage'),
  reorderPipelines: {
    says: 'updated pipeline displayOrder',
    subject: 'defaultPipeline',
    call: ({ pipeline, defaultPipeline }) => `reorderPipelines(ids: ["${pipeline}", "${defaultPipeline}"]) { id }`,
  },
  reorderStages: {
    says: 'updated pipeline stages',
    subject: 'pipeline',
    call: ({ pipeline, stages }) =>
      `reorderStages(pipelineId: "${pipeline}", stageIds: ${JSON.stringify(stages.toReversed())}) { id }`,
  },
  setRoundRobinRule: {
    says: 'updated round_robin_rule isActive,userIds',
    subject: 'rule',
    call: ({ deleter }) => `setRoundRobinRule(input: { userIds: ["${deleter}"], isActive: false }) { id }`,
  },
  deleteRoundRobinRule: deletes('deleteRoundRobinRule', 'round_robin_rule', 'rule'),
  createUser: {
    says: 'created user',
    call: () => `createUser(input: { name: "Bia", email: "${randomUUID()}@example.com" }) { id }`,
  },
  updateUser: {
    says: 'updated user isActive',
    subject: 'user',
    call: ({ user }) => `updateUser(id: "${user}", input: { isActive: false }) { id }`,
  },
  inviteUser: {
    says: 'invited user,created user',
    call: () => `inviteUser(input: { name: "Bia", email: "${randomUUID()}@example.com" }) { id }`,
  },
  resendInvitation: {
    says: 'invited user',
    subject: 'user',
    call: ({ user }) => `resendInvitation(userId: "${user}")`,
  },
  deleteUser: deletes('deleteUser', 'user', 'deleter'),
  deleteContact: deletes('deleteContact', 'contact', 'contact'),
  deleteContactNote: deletes('deleteContactNote', 'contact_note', 'note'),
  deleteOpportunity: deletes('deleteOpportunity', 'opportunity', 'opportunity'),
  deleteOpportunityComment: deletes('deleteOpportunityComment', 'opportunity_comment', 'comment', 'commentId'),
  removeOpportunityProduct: deletes('removeOpportunityProduct', 'opportunity_product', 'line', 'lineId'),
  removeCampaignContact: deletes('removeCampaignContact', 'campaign_contact', 'member'),
  removeInstagramProfile: deletes('removeInstagramProfile', 'instagram_profile', 'profile'),
  login: SIGN_IN,
  logout: SIGN_IN,
  changePassword: SIGN_IN,
  requestPasswordReset: SIGN_IN,
  resetPassword: SIGN_IN,
  acceptInvitation: SIGN_IN,
  revokeSession: SIGN_IN,
  revokeSessions: SIGN_IN,
  addCampaignContact: WORK,
  chatWithAiAgent: WORK,
  updateAiBudget: {
    says: 'updated ai_budget dailyTokens',
    subject: 'account',
    call: () => 'updateAiBudget(input: { dailyTokens: 50000 }) { day }',
  },
  runAiAgentAction: {
    says: 'begin_conversation contact,executed ai_agent begin_conversation',
    subject: 'mailed',
    call: ({ aiAgent, mailed }) =>
      `runAiAgentAction(id: "${aiAgent}", input: { action: BEGIN_CONVERSATION, contactId: "${mailed}" }) { id: contactId }`,
  },
  addContactNote: WORK,
  addConversationNote: WORK,
  addContactTags: {
    says: 'created tag',
    call: ({ contact }) =>
      `addContactTags(contactId: "${contact}", input: { names: ["${randomUUID()}"] }) { key: tags { id } }`,
  },
  addInstagramProfile: WORK,
  assignConversation: WORK,
  closeConversation: WORK,
  handBackConversation: WORK,
  sendMessage: WORK,
  takeOverConversation: WORK,
  addOpportunityComment: WORK,
  addOpportunityProduct: WORK,
  createContact: WORK,
  createOpportunity: WORK,
  createOpportunityWithActions: WORK,
  discardOpportunity: WORK,
  moveOpportunity: WORK,
  recordContactTouch: WORK,
  restoreOpportunity: WORK,
  updateCampaignContact: WORK,
  updateContact: WORK,
  updateContactNote: WORK,
  updateOpportunity: WORK,
  updateOpportunityComment: WORK,
  updateOpportunityProduct: WORK,
  createSubAccount: EVENT,
  deleteSubAccount: EVENT,
  updateSubAccountChannels: EVENT,
  createAgency: OPERATOR,
  setAgencyPaymentMethod: OPERATOR,
  createAgencyToken: OPERATOR,
  revokeAgencyToken: OPERATOR,
  startTrial: OPERATOR,
  endTrial: OPERATOR,
}
