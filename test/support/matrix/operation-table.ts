/** The permission that each operation of the external API takes, kept by hand; `any` key will do for `checkKey`. */
export const OPERATIONS_OF_KEYS: Readonly<Record<string, string>> = {
  any: 'checkKey',
  'contacts:read': 'listContacts getContact',
  'contacts:write': 'createContact updateContact',
  'contacts:delete': 'deleteContact',
  'opportunities:read': 'listOpportunities getOpportunity listOpportunityHistory',
  'opportunities:write': 'createOpportunity updateOpportunity moveOpportunity',
  'opportunities:delete': 'deleteOpportunity',
  'conversations:read': 'listConversations getConversation getMessage',
  'conversations:write': 'sendMessage addConversationNote takeOverConversation handBackConversation',
  'agents:read': 'listAiAgents getAiAgent',
  'agents:run': 'chatWithAiAgent',
  'agent_tools:execute': 'runAiAgentAction',
  'knowledge:read': 'searchAiAgentKnowledge',
  'campaigns:read': 'listCampaigns',
  'campaigns:write': 'addCampaignContact',
  'instagram_agents:read': 'listInstagramAgents',
  'instagram_agents:write': 'addInstagramProfile',
  'pipelines:read': 'listPipelines',
  'sectors:read': 'listSectors',
  'tags:read': 'listTags',
  'tags:write': 'addContactTags',
  'discard_reasons:read': 'listDiscardReasons',
  'products:read': 'listProducts',
  'users:read': 'listUsers',
  'reports:read': 'reportFunnel reportSalesSummary reportSellers reportSla',
}

/** The scope that each operation of the agencies' API takes; `any` token of the agency may ask for its events. */
export const OPERATIONS_OF_TOKENS: Readonly<Record<string, string>> = {
  any: 'getAgencyEvent',
  'sub_account.create': 'createSubAccount',
  'sub_account.channels': 'updateSubAccountChannels updateSubAccountChannelsByPost',
  'sub_account.delete': 'deleteSubAccount',
}
