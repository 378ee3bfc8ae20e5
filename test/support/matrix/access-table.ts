/**
 * What it takes to be answered: a permission; the session of a person (`fresh_session`: though its password be temporary);
 * the token of an agency, or an operator who sees all of them; any credential that is in force; or nothing.
 */
export type Word = string

/** What each root field takes, kept by hand: one that the schema has and this table lacks fails the matrix. */
export const ROOT_FIELDS: Readonly<Record<Word, string>> = {
  public: 'login requestPasswordReset resetPassword acceptInvitation',
  any: 'service session',
  session: 'sessions revokeSession revokeSessions',
  fresh_session: 'me logout changePassword',
  agency: 'agencies agency subAccounts subAccount agencyEvents agencyEvent ledgerEntries agencyBilling',
  'agencies:read': 'agencyTokens',
  'agencies:write': 'createAgency setAgencyPaymentMethod createAgencyToken revokeAgencyToken startTrial endTrial',
  'sub_account.create': 'createSubAccount',
  'sub_account.channels': 'updateSubAccountChannels',
  'sub_account.delete': 'deleteSubAccount',
  'audit:read': 'auditEntries',
  'keys:write': 'apiKeys createApiKey rotateApiKey revokeApiKey',
  'users:read': 'users roundRobinRules',
  'users:write': 'createUser inviteUser resendInvitation updateUser deleteUser',
  'contacts:read': 'contact contacts',
  'contacts:write': `createContact updateContact recordContactTouch addContactNote updateContactNote deleteContactNote`,
  'contacts:delete': 'deleteContact',
  'opportunities:read': 'opportunity opportunities opportunityHistory',
  'opportunities:write': `createOpportunity createOpportunityWithActions updateOpportunity moveOpportunity discardOpportunity restoreOpportunity
    addOpportunityProduct updateOpportunityProduct removeOpportunityProduct
    addOpportunityComment updateOpportunityComment deleteOpportunityComment`,
  'opportunities:delete': 'deleteOpportunity',
  'conversations:read': 'conversation conversations message',
  'conversations:write': `sendMessage addConversationNote takeOverConversation handBackConversation assignConversation
    closeConversation`,
  'campaigns:read': 'campaign campaigns campaignContacts',
  'campaigns:write': 'addCampaignContact',
  'pipelines:read': 'pipeline pipelines',
  'sectors:read': 'sector sectors',
  'tags:read': 'tag tags',
  'tags:write': 'createTag addContactTags',
  'products:read': 'product products',
  'discard_reasons:read': 'discardReason discardReasons',
  'instagram_agents:read': 'instagramAgent instagramAgents',
  'instagram_agents:write': 'addInstagramProfile',
  'reports:read': 'funnelReport slaReport salesSummary sellersReport',
  'agents:read': 'aiAgent aiAgents aiBudget',
  'agents:run': 'chatWithAiAgent',
  'agent_tools:execute': 'runAiAgentAction',
  'knowledge:read': 'knowledgeArticle knowledgeArticles searchKnowledge',
  'channels:read': 'channelAccount channelAccounts',
  'mail:read': `emailTemplate emailTemplates emailSender emailSenders mail mails mailSuppressions previewEmailTemplate`,
  'mail:write': `createEmailTemplate updateEmailTemplate deleteEmailTemplate createEmailSender updateEmailSender
    deleteEmailSender makeDefaultEmailSender verifyEmailSender suppressAddress`,
  'flows:read': 'flow flows flowEnrollment flowEnrollments',
  'flows:write': 'createFlow updateFlow activateFlow pauseFlow resumeFlow archiveFlow',
  'flows:enroll': 'enrollInFlow stopFlowEnrollment retryFlowEnrollment',
  'settings:write': `updateAccount updateAiBudget removeSuppression failedJobs retryFailedJob dismissFailedJob
    connectChannel updateChannelAccount disconnectChannel
    createAiAgent updateAiAgent deleteAiAgent createKnowledgeArticle updateKnowledgeArticle deleteKnowledgeArticle
    createSector updateSector deleteSector updateTag deleteTag
    createProduct updateProduct deleteProduct createDiscardReason updateDiscardReason deleteDiscardReason
    createPipeline updatePipeline deletePipeline reorderPipelines createStage updateStage deleteStage reorderStages
    setRoundRobinRule deleteRoundRobinRule
    createCampaign updateCampaign deleteCampaign updateCampaignContact removeCampaignContact
    createInstagramAgent updateInstagramAgent deleteInstagramAgent removeInstagramProfile`,
}

/** A page leads to records, which take permissions of their own. */
const PAGE: [Word, string] = ['any', 'items pagination']

/** What each type's fields take besides, on whatever way they are reached, kept by hand: so is what the fields are. */
export const TYPES: Readonly<Record<string, readonly [Word, string]>> = {
  // Of the service and of the caller itself
  ServiceInfo: ['any', 'message version documentation'],
  Session: ['any', 'account key rateLimit'],
  SessionKey: ['any', 'id name permissions'],
  RateLimitState: ['any', 'limit remaining reset'],
  Account: ['any', 'id name country currency timeZone'],
  Me: ['any', 'id kind name email role permissions mustChangePassword account'],
  Login: ['any', 'token expiresAt mustChangePassword'],
  SignInSession: ['any', 'id device address createdAt lastUsedAt expiresAt isCurrent'],
  Pagination: ['any', 'page perPage total totalPages hasNext hasPrev nextCursor'],
  DeletedRecord: ['any', 'id deleted'],

  // Mail
  EmailTemplatePage: PAGE,
  EmailTemplate: ['mail:read', 'id name subject html text createdAt updatedAt'],
  EmailSenderPage: PAGE,
  EmailSender: ['mail:read', 'id name address isDefault verifiedAt dnsName dnsValue createdAt updatedAt'],
  MailPage: PAGE,
  Mail: [
    'mail:read',
    `id contactId templateId senderId status recipient subject html text error attempts sentAt createdAt updatedAt`,
  ],
  MailSuppressionPage: PAGE,
  MailSuppression: ['mail:read', 'id contactId reason createdAt'],
  EmailPreview: ['mail:read', 'subject html text'],

  // Flows
  FlowPage: PAGE,
  Flow: ['flows:read', 'id name status version createdAt updatedAt steps sendWindow counts'],
  FlowStep: ['flows:read', 'kind templateId senderId waitSeconds tagId stageId'],
  FlowSendWindow: ['flows:read', 'days from until'],
  FlowCounts: ['flows:read', 'enrolled active paused completed stopped failed'],
  FlowEnrollmentPage: PAGE,
  FlowEnrollment: [
    'flows:read',
    `id flowId version contactId opportunityId state step dueAt mailId endReason error endedAt createdAt updatedAt
     steps flow contact`,
  ],

  // What admins see
  FailedJobPage: PAGE,
  FailedJob: ['settings:write', 'id name ids attempts error failedAt createdAt'],
  ApiKeyPage: PAGE,
  ApiKey: [
    'keys:write',
    `id name prefix permissions rateLimit createdByKind createdById createdByName createdAt lastUsedAt expiresAt revokedAt`,
  ],
  IssuedApiKey: ['keys:write', 'key secret'],
  AuditPage: PAGE,
  AuditEntry: [
    'audit:read',
    'id action subjectKind subjectId fields actorKind actorId actorName userId address tool createdAt',
  ],

  // Contacts
  ContactPage: PAGE,
  Contact: [
    'contacts:read',
    `id name email phone company title location linkedinProfileUrl headline about profilePicture extractedContacts source
     sourceChannel customFields lastInteraction createdAt updatedAt tags notes attribution`,
  ],
  ContactNote: ['contacts:read', 'id note createdAt'],
  Attribution: [
    'contacts:read',
    `firstUtmSource firstUtmMedium firstUtmCampaign firstChannel firstLandingUrl firstTouch lastTouch touchCount
     firstSeenAt lastSeenAt`,
  ],
  // Shown by contacts and by profiles alone, which are guarded.
  ExtractedContacts: ['any', 'emails phones websites'],

  // Opportunities
  OpportunityPage: PAGE,
  Opportunity: [
    'opportunities:read',
    `id title value currency probability expectedCloseDate pipelineId stageId campaignId ownerUserId sectorId
     discardReasonId contactId score source notes sentAt acceptedAt qualifyingStartedAt qualifiedAt scheduledAt wonAt
     lostAt lossReason discardedAt createdAt updatedAt
     pipelineName stageName campaignName ownerUserName ownerUserEmail sectorName discardReasonName contactName
     contactEmail contactPhone contactCompany contactTitle contactLocation contactProfileUrl contactProfilePicture
     pipeline stage contact owner sector campaign discardReason products comments`,
  ],
  OpportunityProduct: [
    'opportunities:read',
    'id productId name quantity unitPrice totalPrice discountPercent discountValue createdAt',
  ],
  OpportunityComment: ['opportunities:read', 'id content userName createdAt'],
  OpportunityHistoryPage: PAGE,
  OpportunityHistory: [
    'opportunities:read',
    'id action fromStageId fromStageName toStageId toStageName fromValue toValue notes userName createdAt',
  ],
  AddedTags: ['any', 'contactId tags added created'],
  MovedOpportunity: ['any', 'opportunity stageChange'],
  CreatedOpportunity: ['any', 'opportunity actions'],
  OpportunityActions: ['any', 'agent email flow'],
  AgentActionResult: ['any', 'activated conversationId workflowStarted error'],
  EmailActionResult: ['any', 'sent emailId error'],
  FlowActionResult: ['any', 'enrolled enrollmentId status error'],
  StageChange: ['opportunities:read', 'from to'],
  StageReference: ['opportunities:read', 'id name'],

  // Conversations
  ConversationPage: PAGE,
  Conversation: [
    'conversations:read',
    `id status channel isGroup groupName contactId opportunityId campaignId aiAgentId assignedUserId sectorId
     qualificationScore qualificationStage qualificationReasons objectionsHistory lastMessageAt channelAccountId lastInboundAt createdAt updatedAt notes
     contactName contactEmail contactPhone contactCompany opportunityTitle campaignName aiAgentName assignedUserName
     assignedUserEmail sectorName messages agentRuns contact opportunity campaign aiAgent assignedUser sector`,
  ],
  Message: [
    'conversations:read',
    `id senderType content channel kind status error userId aiAgentId authorName sentAt deliveredAt readAt createdAt`,
  ],
  ConversationNote: ['conversations:read', 'id userId content createdAt'],
  AgentRun: ['conversations:read', 'id aiAgentId kind state messageId failures dueAt error createdAt'],
  AiBudget: ['agents:read', 'day dailyTokens ownDailyTokens maxDailyTokens usedTokens leftTokens questions resetsAt'],
  AiAgentPage: PAGE,
  AiAgent: [
    'agents:read',
    `id name type status isActive actions channelAccountId persona opening openingTemplate scripts fallback criteria createdAt
     updatedAt`,
  ],
  AgentScript: ['agents:read', 'keywords reply'],
  AgentCriterion: ['agents:read', 'name keywords points'],
  AgentTemplate: ['agents:read', 'name language parameters'],
  KnowledgeArticlePage: PAGE,
  KnowledgeArticle: ['knowledge:read', 'id aiAgentId name content createdAt updatedAt'],
  ChatAnswer: ['agents:run', 'reply handsOver score stage reasons objections articles'],
  AiAgentActionDone: ['agent_tools:execute', 'action aiAgentId contactId conversationId'],
  UsedArticle: ['agents:run', 'id name'],
  KnowledgeHit: ['knowledge:read', 'id name content rank'],
  ChannelAccountPage: PAGE,
  ChannelAccount: [
    'channels:read',
    'id name kind externalId address status connectedAt disconnectedAt createdAt updatedAt',
  ],

  // Campaigns and collection agents
  CampaignPage: PAGE,
  Campaign: [
    'campaigns:read',
    `id name description status channel automationActive sectorId defaultResponsibleId createdAt updatedAt contactCount
     sector defaultResponsible`,
  ],
  CampaignContactPage: PAGE,
  CampaignContact: ['campaigns:read', 'id campaignId contactId status createdAt updatedAt contact campaign'],
  AddedCampaignContact: ['any', 'campaignContact contact campaign'],
  InstagramAgentPage: PAGE,
  InstagramAgent: [
    'instagram_agents:read',
    'id name description searchNiche searchLocation status totalProfilesFound totalLimit createdAt updatedAt profiles',
  ],
  InstagramProfilePage: PAGE,
  InstagramProfile: [
    'instagram_agents:read',
    `id username displayName profileUrl bio followersCount followingCount postsCount externalUrl extractedContacts source
     addedAt`,
  ],
  AddedInstagramProfile: ['any', 'profile agent'],

  // People, pipelines and reference lists
  UserPage: PAGE,
  User: ['users:read', 'id name email role sectorId isActive createdAt sector'],
  RoundRobinRule: ['users:read', 'id sectorId pipelineId isActive createdAt updatedAt members'],
  Pipeline: [
    'pipelines:read',
    'id name description color icon isDefault isActive displayOrder entryAgentId createdAt updatedAt stages',
  ],
  Stage: ['pipelines:read', 'id pipelineId name color position isWinStage isLossStage lifecycle createdAt updatedAt'],
  SectorPage: PAGE,
  Sector: ['sectors:read', 'id name description color isActive createdAt updatedAt'],
  TagPage: PAGE,
  Tag: ['tags:read', 'id name color createdAt'],
  ProductPage: PAGE,
  Product: ['products:read', 'id name description defaultPrice currency timeUnit isActive createdAt updatedAt'],
  DiscardReasonPage: PAGE,
  DiscardReason: ['discard_reasons:read', 'id name description isActive displayOrder createdAt'],

  // Reports
  PipelineFunnel: ['reports:read', 'pipelineId pipelineName lostCount stages'],
  FunnelStage: ['reports:read', 'stageId stageName position isWonStage isLossStage count value conversionFromPrevious'],
  SlaReport: ['reports:read', 'overall bySeller filters'],
  SlaOverall: [
    'reports:read',
    'avgHoursToFirstOutreach avgHoursToAcceptance avgHoursToQualification avgSalesCycleDays counts',
  ],
  SlaCounts: ['reports:read', 'withOutreach accepted qualified won'],
  SellerSla: [
    'reports:read',
    `ownerUserId ownerUserName ownerUserEmail avgHoursToFirstOutreach avgHoursToAcceptance avgHoursToQualification
     avgSalesCycleDays wonCount`,
  ],
  AppliedFilter: ['reports:read', 'pipelineId sectorId ownerUserId from to'],
  SalesSummary: ['reports:read', 'open won lost winRate averageTicket filters'],
  CountAndValue: ['reports:read', 'count value'],
  SellerResult: [
    'reports:read',
    `ownerUserId ownerUserName ownerUserEmail openCount wonCount lostCount revenue averageTicket conversionRate`,
  ],

  // What the tokens of agencies reach of their own, and operators of all
  AgencyPage: PAGE,
  Agency: ['any', 'id name agencyKey seatPriceCents currency anchor billableChannels paymentMethod createdAt'],
  AgencyTokenPage: PAGE,
  AgencyToken: ['agencies:read', 'id agencyId prefix scopes createdAt lastUsedAt revokedAt'],
  IssuedAgencyToken: ['agencies:write', 'token secret'],
  AgencyBilling: [
    'any',
    `agencyId currency seatPriceCents seats carriedCents unpaidCents renewsAt retryAt decline card cardAsOf
     unpaidRenewals pendingCharges`,
  ],
  AgencyCard: ['any', 'paymentMethod brand last4 expires'],
  UnpaidRenewal: ['any', 'chargeId periodStart periodEnd seats owedCents decline declines retryAt invoiceStatus'],
  LedgerPage: PAGE,
  LedgerEntry: ['any', 'id agencyId chargeId sourceId kind cents at description subAccountId'],
  SubAccountPage: PAGE,
  SubAccount: [
    'any',
    `id agencyId status name slug externalRef createdAt deletedAt admin channels trial paidSeats activeUsers`,
  ],
  AgencyEventPage: PAGE,
  AgencyEvent: [
    'any',
    `id agencyId action status attempts targetAccountId result errorCode lastError dueAt receivedAt lastAttemptAt
     processedAt`,
  ],
  CreatedSubAccount: ['any', 'id name slug externalRef createdAt admin channels billing trial temporaryPassword'],
  SubAccountAdmin: ['any', 'id email'],
  ChannelQuotas: ['any', 'linkedin whatsapp instagram emailMarketing'],
  CreationBilling: ['any', 'invoiceStatus totalCents currency periodEnd items'],
  BilledChannel: ['any', 'channelType count'],
  SubAccountTrial: ['any', 'status endsAt channels'],
  ChangedChannels: ['any', 'id channels deltaChannels seatCharge'],
  SeatCharge: ['any', 'ok paid chargedCents addedChannels'],
  DeletedSubAccount: ['any', 'id deletedAt'],
}
