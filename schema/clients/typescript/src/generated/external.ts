// Made by `npm run schema` out of schema/openapi: change the stored operations instead.
import { type CallOptions, segment } from '../call.js'
import { type Changes, changes, records } from '../lists.js'
import type { Answer, Transport } from '../transport.js'
import type {
  AddCampaignContactAnswer,
  AddCampaignContactRequest,
  AddContactTagsAnswer,
  AddContactTagsRequest,
  AddConversationNoteAnswer,
  AddConversationNoteRequest,
  AddInstagramProfileAnswer,
  AddInstagramProfileRequest,
  AiAgent,
  Campaign,
  ChatWithAiAgentAnswer,
  ChatWithAiAgentRequest,
  CheckKeyAnswer,
  Contact,
  CreateContactAnswer,
  CreateContactRequest,
  CreateOpportunityAnswer,
  CreateOpportunityRequest,
  DeleteContactAnswer,
  DeleteOpportunityAnswer,
  DiscardReason,
  GetAiAgentAnswer,
  GetContactAnswer,
  GetConversationAnswer,
  GetConversationQuery,
  GetMessageAnswer,
  GetOpportunityAnswer,
  HandBackConversationAnswer,
  InstagramAgent,
  ListAiAgentsAnswer,
  ListAiAgentsQuery,
  ListCampaignsAnswer,
  ListCampaignsQuery,
  ListContactsAnswer,
  ListContactsQuery,
  ListConversationsAnswer,
  ListConversationsQuery,
  ListDiscardReasonsAnswer,
  ListDiscardReasonsQuery,
  ListInstagramAgentsAnswer,
  ListInstagramAgentsQuery,
  ListOpportunitiesAnswer,
  ListOpportunitiesQuery,
  ListOpportunityHistoryAnswer,
  ListOpportunityHistoryQuery,
  ListPipelinesAnswer,
  ListProductsAnswer,
  ListProductsQuery,
  ListSectorsAnswer,
  ListSectorsQuery,
  ListTagsAnswer,
  ListTagsQuery,
  ListUsersAnswer,
  ListUsersQuery,
  ListedConversation,
  ListedOpportunity,
  MoveOpportunityAnswer,
  MoveOpportunityRequest,
  OpportunityHistory,
  Product,
  ReportFunnelAnswer,
  ReportFunnelQuery,
  ReportSalesSummaryAnswer,
  ReportSalesSummaryQuery,
  ReportSellersAnswer,
  ReportSellersQuery,
  ReportSlaAnswer,
  ReportSlaQuery,
  RunAiAgentActionAnswer,
  RunAiAgentActionRequest,
  SearchAiAgentKnowledgeAnswer,
  SearchAiAgentKnowledgeQuery,
  Sector,
  SendMessageAnswer,
  SendMessageRequest,
  Tag,
  TakeOverConversationAnswer,
  UpdateContactAnswer,
  UpdateContactRequest,
  UpdateOpportunityAnswer,
  UpdateOpportunityRequest,
  User,
} from './external-types.js'

/** Where the API is, below the address of the server. */
export const BASE = '/external/v1'

/** Fairlead external API: a method for each endpoint. */
export class ExternalApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Shows whom an API key stands for and what is left of its allowance: the way to check a key.
   *
   * No permission is needed.
   */
  checkKey(options: CallOptions = {}): Promise<Answer<CheckKeyAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/' }, options)
  }

  /**
   * Lists the account's AI employees by name, without what they say.
   *
   * Needs `agents:read`.
   */
  listAiAgents(query: ListAiAgentsQuery = {}, options: CallOptions = {}): Promise<Answer<ListAiAgentsAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/ai-agents', query }, options)
  }

  /** All that `listAiAgents` lists, page after page as you go on: it follows the cursors. */
  allAiAgents(query: Omit<ListAiAgentsQuery, 'page' | 'cursor' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<AiAgent> {
    return records((place) => this.listAiAgents({ ...query, ...place }, options))
  }

  /**
   * Returns one AI employee: who it is, what it says first, its scripted answers, and by what it qualifies leads, and which actions it can be told to do.
   *
   * Needs `agents:read`.
   */
  getAiAgent(id: string, options: CallOptions = {}): Promise<Answer<GetAiAgentAnswer>> {
    return this.#transport.call({ method: 'GET', path: `/ai-agents/${segment(id)}` }, options)
  }

  /**
   * Has an AI employee do one of its actions with a real contact, which get_ai_agent names. begin_conversation: it writes to the contact first. answer: it answers what the contact has written last, and qualifies them anew. hand_over: it leaves its conversation with them to people. What it says is sent right after; the conversation shows what became of it. It is written down who had it done.
   *
   * Needs `agent_tools:execute`.
   */
  runAiAgentAction(id: string, body: RunAiAgentActionRequest, options: CallOptions = {}): Promise<Answer<RunAiAgentActionAnswer>> {
    return this.#transport.call({ method: 'POST', path: `/ai-agents/${segment(id)}/actions`, body, keyed: true }, options)
  }

  /**
   * Has an AI employee, be it paused, answer in a sandbox: nothing is sent, and nothing is kept but what it took of the account's budget for language models. It may take a minute. Send what was said so far, oldest first; what the lead says last is answered.
   *
   * Needs `agents:run`.
   */
  chatWithAiAgent(id: string, body: ChatWithAiAgentRequest, options: CallOptions = {}): Promise<Answer<ChatWithAiAgentAnswer>> {
    return this.#transport.call({ method: 'POST', path: `/ai-agents/${segment(id)}/chat`, body }, options)
  }

  /**
   * Searches what an AI employee knows: the articles that answer a question best, the best first, each whole.
   *
   * Needs `knowledge:read`.
   */
  searchAiAgentKnowledge(id: string, query: SearchAiAgentKnowledgeQuery, options: CallOptions = {}): Promise<Answer<SearchAiAgentKnowledgeAnswer>> {
    return this.#transport.call({ method: 'GET', path: `/ai-agents/${segment(id)}/knowledge`, query }, options)
  }

  /**
   * Lists the account's campaigns, newest first, each with the number of its contacts.
   *
   * Needs `campaigns:read`.
   */
  listCampaigns(query: ListCampaignsQuery = {}, options: CallOptions = {}): Promise<Answer<ListCampaignsAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/campaigns', query }, options)
  }

  /** All that `listCampaigns` lists, page after page as you go on: it follows the cursors. */
  allCampaigns(query: Omit<ListCampaignsQuery, 'page' | 'cursor' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<Campaign> {
    return records((place) => this.listCampaigns({ ...query, ...place }, options))
  }

  /**
   * Puts a person into a campaign. The contact with that LinkedIn profile, else with that email, is taken and its empty fields are filled; where there is none it is created. A contact that is in the campaign already is a DUPLICATE_ERROR, whose error tells its status there as `existing_status`.
   *
   * Needs `campaigns:write`.
   */
  addCampaignContact(id: string, body: AddCampaignContactRequest, options: CallOptions = {}): Promise<Answer<AddCampaignContactAnswer>> {
    return this.#transport.call({ method: 'POST', path: `/campaigns/${segment(id)}/contacts`, body, keyed: true }, options)
  }

  /**
   * Creates a contact. Its email must be new to the account.
   *
   * Needs `contacts:write`.
   */
  createContact(body: CreateContactRequest, options: CallOptions = {}): Promise<Answer<CreateContactAnswer>> {
    return this.#transport.call({ method: 'POST', path: '/contacts', body, keyed: true }, options)
  }

  /**
   * Lists the account's contacts, newest first unless sorted otherwise. To keep a copy, ask with updated_after, sort_by=updated_at and sort_order=asc: nothing is lost then, whatever is changed or deleted meanwhile, whether you follow next_cursor, ask for page after page, or begin anew at the last updated_at that you saw (the bound is inclusive). A change may come a moment late, while an older one is still being written.
   *
   * Needs `contacts:read`.
   */
  listContacts(query: ListContactsQuery = {}, options: CallOptions = {}): Promise<Answer<ListContactsAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/contacts', query }, options)
  }

  /** All that `listContacts` lists, page after page as you go on: it follows the cursors. */
  allContacts(query: Omit<ListContactsQuery, 'page' | 'cursor' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<Contact> {
    return records((place) => this.listContacts({ ...query, ...place }, options))
  }

  /**
   * What changed since `updated_after`, oldest first, page after page; without it, everything. Keep the `bookmark` of a page
   * once its records are stored, and give it as `updated_after` the next time: nothing is missed then, whatever is written
   * meanwhile, and the last records come again. What is deleted no longer comes; nothing tells of it.
   */
  changedContacts(query: Omit<ListContactsQuery, 'page' | 'cursor' | 'limit' | 'sort_by' | 'sort_order'> = {}, options: CallOptions = {}): AsyncGenerator<Changes<Contact>> {
    return changes(query.updated_after, (order) => this.listContacts({ ...query, ...order }, options))
  }

  /**
   * Deletes a contact for good, with all that is personal in it. Its opportunities and conversations stay, unlinked.
   *
   * Needs `contacts:delete`.
   */
  deleteContact(id: string, options: CallOptions = {}): Promise<Answer<DeleteContactAnswer>> {
    return this.#transport.call({ method: 'DELETE', path: `/contacts/${segment(id)}` }, options)
  }

  /**
   * Returns one contact with its notes and how it found the account.
   *
   * Needs `contacts:read`.
   */
  getContact(id: string, options: CallOptions = {}): Promise<Answer<GetContactAnswer>> {
    return this.#transport.call({ method: 'GET', path: `/contacts/${segment(id)}` }, options)
  }

  /**
   * Changes the given fields of a contact. Its tags, when given, replace all that it has.
   *
   * Needs `contacts:write`.
   */
  updateContact(id: string, body: UpdateContactRequest = {}, options: CallOptions = {}): Promise<Answer<UpdateContactAnswer>> {
    return this.#transport.call({ method: 'PUT', path: `/contacts/${segment(id)}`, body, keyed: true }, options)
  }

  /**
   * Gives a contact tags by their names; those that the account does not have are created. What it has already stays, so that the call does the same however often it is made.
   *
   * Needs `tags:write`.
   */
  addContactTags(id: string, body: AddContactTagsRequest, options: CallOptions = {}): Promise<Answer<AddContactTagsAnswer>> {
    return this.#transport.call({ method: 'POST', path: `/contacts/${segment(id)}/tags`, body, keyed: true }, options)
  }

  /**
   * Lists the account's conversations, newest first unless sorted otherwise. To follow an inbox, ask with last_message_after: the conversations come in the order of last_message_at, ascending, which is the time at which we recorded the message. Nothing is lost, whether you follow next_cursor, ask for page after page, or begin anew at the last last_message_at that you saw (the bound is inclusive). What changes without a message is copied with updated_after, sort_by=updated_at and sort_order=asc.
   *
   * Needs `conversations:read`.
   */
  listConversations(query: ListConversationsQuery = {}, options: CallOptions = {}): Promise<Answer<ListConversationsAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/conversations', query }, options)
  }

  /** All that `listConversations` lists, page after page as you go on: it follows the cursors. */
  allConversations(query: Omit<ListConversationsQuery, 'page' | 'cursor' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<ListedConversation> {
    return records((place) => this.listConversations({ ...query, ...place }, options))
  }

  /**
   * What changed since `updated_after`, oldest first, page after page; without it, everything. Keep the `bookmark` of a page
   * once its records are stored, and give it as `updated_after` the next time: nothing is missed then, whatever is written
   * meanwhile, and the last records come again. What is deleted no longer comes; nothing tells of it.
   */
  changedConversations(query: Omit<ListConversationsQuery, 'page' | 'cursor' | 'limit' | 'sort_by' | 'sort_order'> = {}, options: CallOptions = {}): AsyncGenerator<Changes<ListedConversation>> {
    return changes(query.updated_after, (order) => this.listConversations({ ...query, ...order }, options))
  }

  /**
   * Returns one conversation with its newest messages, oldest of them first.
   *
   * Needs `conversations:read`.
   */
  getConversation(id: string, query: GetConversationQuery = {}, options: CallOptions = {}): Promise<Answer<GetConversationAnswer>> {
    return this.#transport.call({ method: 'GET', path: `/conversations/${segment(id)}`, query }, options)
  }

  /**
   * Hands a conversation back to its agent, which answers what comes in from then on.
   *
   * Needs `conversations:write`.
   */
  handBackConversation(id: string, options: CallOptions = {}): Promise<Answer<HandBackConversationAnswer>> {
    return this.#transport.call({ method: 'POST', path: `/conversations/${segment(id)}/hand-back`, keyed: true }, options)
  }

  /**
   * Sends a text to the person or the group of a conversation, which a person has from then on: its agent writes no more. The message is stored, and handed to the channel right after; get_message tells what became of it. What is in the way, such as a channel that is disconnected or a person who has not written for a day, is an error, and then nothing is stored.
   *
   * Needs `conversations:write`.
   */
  sendMessage(id: string, body: SendMessageRequest, options: CallOptions = {}): Promise<Answer<SendMessageAnswer>> {
    return this.#transport.call({ method: 'POST', path: `/conversations/${segment(id)}/messages`, body, keyed: true }, options)
  }

  /**
   * Notes something on a conversation, for the people of the account; it is sent to nobody.
   *
   * Needs `conversations:write`.
   */
  addConversationNote(id: string, body: AddConversationNoteRequest, options: CallOptions = {}): Promise<Answer<AddConversationNoteAnswer>> {
    return this.#transport.call({ method: 'POST', path: `/conversations/${segment(id)}/notes`, body, keyed: true }, options)
  }

  /**
   * Takes a conversation over from its agent, which writes no more in it, not even what it is about to.
   *
   * Needs `conversations:write`.
   */
  takeOverConversation(id: string, options: CallOptions = {}): Promise<Answer<TakeOverConversationAnswer>> {
    return this.#transport.call({ method: 'POST', path: `/conversations/${segment(id)}/take-over`, keyed: true }, options)
  }

  /**
   * Lists the account's reasons to discard an opportunity, in the order that the account gave them.
   *
   * Needs `discard_reasons:read`.
   */
  listDiscardReasons(query: ListDiscardReasonsQuery = {}, options: CallOptions = {}): Promise<Answer<ListDiscardReasonsAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/discard-reasons', query }, options)
  }

  /** All that `listDiscardReasons` lists, page after page as you go on: it follows the cursors. */
  allDiscardReasons(query: Omit<ListDiscardReasonsQuery, 'page' | 'cursor' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<DiscardReason> {
    return records((place) => this.listDiscardReasons({ ...query, ...place }, options))
  }

  /**
   * Lists the account's agents that collect profiles on Instagram, newest first.
   *
   * Needs `instagram_agents:read`.
   */
  listInstagramAgents(query: ListInstagramAgentsQuery = {}, options: CallOptions = {}): Promise<Answer<ListInstagramAgentsAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/instagram-agents', query }, options)
  }

  /** All that `listInstagramAgents` lists, page after page as you go on: it follows the cursors. */
  allInstagramAgents(query: Omit<ListInstagramAgentsQuery, 'page' | 'cursor' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<InstagramAgent> {
    return records((place) => this.listInstagramAgents({ ...query, ...place }, options))
  }

  /**
   * Adds a profile to those that an agent holds. An agent that has as many as its limit allows takes no more (LIMIT_REACHED), and none twice (DUPLICATE_ERROR).
   *
   * Needs `instagram_agents:write`.
   */
  addInstagramProfile(id: string, body: AddInstagramProfileRequest, options: CallOptions = {}): Promise<Answer<AddInstagramProfileAnswer>> {
    return this.#transport.call({ method: 'POST', path: `/instagram-agents/${segment(id)}/profiles`, body, keyed: true }, options)
  }

  /**
   * Returns one message of a conversation, with what became of it if the account sent it.
   *
   * Needs `conversations:read`.
   */
  getMessage(id: string, options: CallOptions = {}): Promise<Answer<GetMessageAnswer>> {
    return this.#transport.call({ method: 'GET', path: `/messages/${segment(id)}` }, options)
  }

  /**
   * Creates an opportunity. Its contact is recognised by the email, or created too; of a known contact only what is empty is filled in. Without owner_user_id the account's rules of turns decide who gets it. What is asked for besides happens once it is created, and `actions` tells what came of each: none of them makes the call fail.
   *
   * Needs `opportunities:write`.
   */
  createOpportunity(body: CreateOpportunityRequest, options: CallOptions = {}): Promise<Answer<CreateOpportunityAnswer>> {
    return this.#transport.call({ method: 'POST', path: '/opportunities', body, keyed: true }, options)
  }

  /**
   * Lists the account's opportunities, newest first unless sorted otherwise. To keep a copy, ask with updated_after, sort_by=updated_at and sort_order=asc: nothing is lost then, whatever is changed or deleted meanwhile, whether you follow next_cursor, ask for page after page, or begin anew at the last updated_at that you saw (the bound is inclusive). A change may come a moment late, while an older one is still being written.
   *
   * Needs `opportunities:read`.
   */
  listOpportunities(query: ListOpportunitiesQuery = {}, options: CallOptions = {}): Promise<Answer<ListOpportunitiesAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/opportunities', query }, options)
  }

  /** All that `listOpportunities` lists, page after page as you go on: it follows the cursors. */
  allOpportunities(query: Omit<ListOpportunitiesQuery, 'page' | 'cursor' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<ListedOpportunity> {
    return records((place) => this.listOpportunities({ ...query, ...place }, options))
  }

  /**
   * What changed since `updated_after`, oldest first, page after page; without it, everything. Keep the `bookmark` of a page
   * once its records are stored, and give it as `updated_after` the next time: nothing is missed then, whatever is written
   * meanwhile, and the last records come again. What is deleted no longer comes; nothing tells of it.
   */
  changedOpportunities(query: Omit<ListOpportunitiesQuery, 'page' | 'cursor' | 'limit' | 'sort_by' | 'sort_order'> = {}, options: CallOptions = {}): AsyncGenerator<Changes<ListedOpportunity>> {
    return changes(query.updated_after, (order) => this.listOpportunities({ ...query, ...order }, options))
  }

  /**
   * Deletes an opportunity with its history, products and comments. Its contact and conversations stay.
   *
   * Needs `opportunities:delete`.
   */
  deleteOpportunity(id: string, options: CallOptions = {}): Promise<Answer<DeleteOpportunityAnswer>> {
    return this.#transport.call({ method: 'DELETE', path: `/opportunities/${segment(id)}` }, options)
  }

  /**
   * Returns one opportunity with its products and comments.
   *
   * Needs `opportunities:read`.
   */
  getOpportunity(id: string, options: CallOptions = {}): Promise<Answer<GetOpportunityAnswer>> {
    return this.#transport.call({ method: 'GET', path: `/opportunities/${segment(id)}` }, options)
  }

  /**
   * Changes the given fields of an opportunity; those of the lead change its contact. A pipeline alone moves it to the first stage of that pipeline.
   *
   * Needs `opportunities:write`.
   */
  updateOpportunity(id: string, body: UpdateOpportunityRequest = {}, options: CallOptions = {}): Promise<Answer<UpdateOpportunityAnswer>> {
    return this.#transport.call({ method: 'PUT', path: `/opportunities/${segment(id)}`, body, keyed: true }, options)
  }

  /**
   * Lists what happened to an opportunity, newest first: its creation, its moves and the changes of its value.
   *
   * Needs `opportunities:read`.
   */
  listOpportunityHistory(id: string, query: ListOpportunityHistoryQuery = {}, options: CallOptions = {}): Promise<Answer<ListOpportunityHistoryAnswer>> {
    return this.#transport.call({ method: 'GET', path: `/opportunities/${segment(id)}/history`, query }, options)
  }

  /** All that `listOpportunityHistory` lists, page after page as you go on: it follows the cursors. */
  allOpportunityHistory(id: string, query: Omit<ListOpportunityHistoryQuery, 'page' | 'cursor' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<OpportunityHistory> {
    return records((place) => this.listOpportunityHistory(id, { ...query, ...place }, options))
  }

  /**
   * Moves an opportunity into a stage, with the timestamps that the stage sets. A reason is possible with a loss stage only.
   *
   * Needs `opportunities:write`.
   */
  moveOpportunity(id: string, body: MoveOpportunityRequest, options: CallOptions = {}): Promise<Answer<MoveOpportunityAnswer>> {
    return this.#transport.call({ method: 'PATCH', path: `/opportunities/${segment(id)}/stage`, body, keyed: true }, options)
  }

  /**
   * Lists all pipelines of the account with their stages, by their place and then their name.
   *
   * Needs `pipelines:read`.
   */
  listPipelines(options: CallOptions = {}): Promise<Answer<ListPipelinesAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/pipelines' }, options)
  }

  /**
   * Lists the account's products by name.
   *
   * Needs `products:read`.
   */
  listProducts(query: ListProductsQuery = {}, options: CallOptions = {}): Promise<Answer<ListProductsAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/products', query }, options)
  }

  /** All that `listProducts` lists, page after page as you go on: it follows the cursors. */
  allProducts(query: Omit<ListProductsQuery, 'page' | 'cursor' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<Product> {
    return records((place) => this.listProducts({ ...query, ...place }, options))
  }

  /**
   * Reports what stands in each stage of the pipelines now: how many active opportunities, and what they are worth.
   *
   * Needs `reports:read`.
   */
  reportFunnel(query: ReportFunnelQuery = {}, options: CallOptions = {}): Promise<Answer<ReportFunnelAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/reports/funnel', query }, options)
  }

  /**
   * Reports what is open, won and lost, of opportunities created in a span of time.
   *
   * Needs `reports:read`.
   */
  reportSalesSummary(query: ReportSalesSummaryQuery = {}, options: CallOptions = {}): Promise<Answer<ReportSalesSummaryAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/reports/sales-summary', query }, options)
  }

  /**
   * Reports what each seller has open, won and lost, by revenue, of opportunities created in a span of time.
   *
   * Needs `reports:read`.
   */
  reportSellers(query: ReportSellersQuery = {}, options: CallOptions = {}): Promise<Answer<ReportSellersAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/reports/sellers', query }, options)
  }

  /**
   * Reports how long the steps of selling took, over all and by seller, of opportunities created in a span of time.
   *
   * Needs `reports:read`.
   */
  reportSla(query: ReportSlaQuery = {}, options: CallOptions = {}): Promise<Answer<ReportSlaAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/reports/sla', query }, options)
  }

  /**
   * Lists the account's sectors by name.
   *
   * Needs `sectors:read`.
   */
  listSectors(query: ListSectorsQuery = {}, options: CallOptions = {}): Promise<Answer<ListSectorsAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/sectors', query }, options)
  }

  /** All that `listSectors` lists, page after page as you go on: it follows the cursors. */
  allSectors(query: Omit<ListSectorsQuery, 'page' | 'cursor' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<Sector> {
    return records((place) => this.listSectors({ ...query, ...place }, options))
  }

  /**
   * Lists the account's tags by name.
   *
   * Needs `tags:read`.
   */
  listTags(query: ListTagsQuery = {}, options: CallOptions = {}): Promise<Answer<ListTagsAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/tags', query }, options)
  }

  /** All that `listTags` lists, page after page as you go on: it follows the cursors. */
  allTags(query: Omit<ListTagsQuery, 'page' | 'cursor' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<Tag> {
    return records((place) => this.listTags({ ...query, ...place }, options))
  }

  /**
   * Lists the account's users by name.
   *
   * Needs `users:read`.
   */
  listUsers(query: ListUsersQuery = {}, options: CallOptions = {}): Promise<Answer<ListUsersAnswer>> {
    return this.#transport.call({ method: 'GET', path: '/users', query }, options)
  }

  /** All that `listUsers` lists, page after page as you go on: it follows the cursors. */
  allUsers(query: Omit<ListUsersQuery, 'page' | 'cursor' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<User> {
    return records((place) => this.listUsers({ ...query, ...place }, options))
  }
}
