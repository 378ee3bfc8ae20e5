// Made by `npm run schema` out of schema/openapi: change the stored operations instead.

/** A company that uses the service; all its records belong to it alone. */
export interface Account {
  /** The unique id of the account. */
  id: string
  /** The name of the company. */
  name: string
}

/** What a request was made with: an API key, or the session of a person. */
export interface SessionKey {
  /** The unique id of the key, or of the session. */
  id: string
  /** What the key is for, in the words of who made it; of a session the name of its person. */
  name: string
  /** The permissions of the key, wildcards among them, or of the person. */
  permissions: string[]
}

/** How much of the hourly allowance a key or a person has left. */
export interface RateLimitState {
  /** Requests that the key or the person may make in an hour. */
  limit: number
  /** Requests left in the running hour. */
  remaining: number
  /** Unix timestamp in seconds at which the hour ends. */
  reset: number
}

/** For whom a request was made, and with what. */
export interface Session {
  /** The account that the key or the person belongs to. */
  account: Account
  /** The key itself; of somebody who has signed in, the session. */
  key: SessionKey
  /** What is left of the hour, after this request. */
  rate_limit: RateLimitState | null
}

/** An AI employee that answers in conversations. */
export interface AiAgent {
  /** The unique id of the agent. */
  id: string
  /** The name. */
  name: string
  /** What it answers on, such as whatsapp. */
  type: string
  /** Whether it works, as it is set. */
  status: "active" | "paused"
  /** The id of the channel account that it sends from, unless a call names another. */
  channel_account_id: string | null
  /** When the agent was created. */
  created_at: string
  /** When the agent last changed. */
  updated_at: string
}

/** Where a page stands in its list. */
export interface Pagination {
  /** The number of this page, from 1. */
  page: number
  /** How many records a page holds at most. */
  per_page: number
  /** How many records match in all. */
  total: number
  /** How many pages the matching records fill. */
  total_pages: number
  /** Whether a later page has records. */
  has_next: boolean
  /** Whether there is an earlier page. */
  has_prev: boolean
  /** The cursor of the next page, which goes on after the last record of this one; null where there is none. */
  next_cursor: string | null
}

/** The approved template that opens conversations. */
export interface AgentTemplate {
  /** Its name at the provider. */
  name: string
  /** Its language, as the provider names it, such as pt_BR. */
  language: string
  /** The values of its parameters in their order, with variables. */
  parameters: string[]
}

/** What an agent answers to a message in which one of the keywords stands. */
export interface AgentScript {
  /** Words, or several in a row, without regard to case and accents. */
  keywords: string[]
  /** The answer, with variables such as {{first_name}}. */
  reply: string
}

/** What counts for a lead in whose messages one of the keywords stands, or, with less than 0 points, against it. */
export interface AgentCriterion {
  /** What it is called among the reasons, or the objections. */
  name: string
  /** Words, or several in a row, without regard to case and accents. */
  keywords: string[]
  /** Points, from -100 to 100; a lead has from 0 to 100 in all. */
  points: number
}

/** An AI employee that answers in conversations. */
export interface FullAiAgent {
  /** The unique id of the agent. */
  id: string
  /** The name. */
  name: string
  /** What it answers on, such as whatsapp. */
  type: string
  /** Whether it works, as it is set. */
  status: "active" | "paused"
  /** What it can be told to do with a contact, unless it is paused. */
  actions: Array<"begin_conversation" | "answer" | "hand_over">
  /** The id of the channel account that it sends from, unless a call names another. */
  channel_account_id: string | null
  /** Who it is and how it talks. */
  persona: string | null
  /** What it says first, with variables; also what its opening template says. */
  opening: string | null
  /** The approved template that opens its conversations. */
  opening_template: AgentTemplate | null
  /** What it answers to what; the first that fits is taken. */
  scripts: AgentScript[]
  /** What it answers where no script fits; nothing where there is none. */
  fallback: string | null
  /** By what it qualifies leads. */
  criteria: AgentCriterion[]
  /** When the agent was created. */
  created_at: string
  /** When the agent last changed. */
  updated_at: string
}

/** What to send: Has an AI employee do one of its actions with a real contact, which get_ai_agent names. begin_conversation: it writes to the contact first. answer: it answers what the contact has written last, and qualifies them anew. hand_over: it leaves its conversation with them to people. What it says is sent right after; the conversation shows what became of it. It is written down who had it done. */
export interface RunAiAgentActionRequest {
  /** What it is to do: one of the actions that it has. */
  action: "begin_conversation" | "answer" | "hand_over"
  /** The id of the contact. */
  contact_id: string
  /** What it begins a conversation from: the id of a channel account; the agent's own if left out, or else the only one. */
  channel_account_id?: string | null
  /** Why people are to have the conversation, for whoever takes it. */
  reason?: string | null
}

/** What an AI employee was told to do, and where. */
export interface AiAgentActionDone {
  /** What it was told to do. */
  action: "begin_conversation" | "answer" | "hand_over"
  /** The id of the agent. */
  ai_agent_id: string
  /** The id of the contact. */
  contact_id: string
  /** The id of the conversation that it is done in, which shows what comes of it: what is said is sent right after. */
  conversation_id: string
}

/** What to send: Has an AI employee, be it paused, answer in a sandbox: nothing is sent, and nothing is kept but what it took of the account's budget for language models. It may take a minute. Send what was said so far, oldest first; what the lead says last is answered. */
export interface ChatWithAiAgentRequest {
  /** What was said so far, oldest first, at most 40; what the lead says last is answered. */
  messages: Array<{
    /** Who says it. */
    by: "lead" | "ai" | "user"
    /** The text. */
    text: string
  }>
  /** What the lead is called. */
  lead_name?: string | null
  /** Where the lead works. */
  lead_company?: string | null
}

/** An article that an agent was given to answer from. */
export interface UsedArticle {
  /** The id of the article. */
  id: string
  /** The title. */
  name: string
}

/** What an agent would do; nothing of it is done. */
export interface ChatAnswer {
  /** What it would say; null where it would say nothing, as when the lead has not spoken last. */
  reply: string | null
  /** Why it would hand the lead over to people; null if it would not. */
  hands_over: string | null
  /** How well the lead fits, from 0 to 100; null where it has no say. */
  score: number | null
  /** How it would classify the lead. */
  stage: string | null
  /** What speaks for the lead. */
  reasons: string[]
  /** What speaks against the lead. */
  objections: string[]
  /** The articles that it was given to answer from. */
  articles: UsedArticle[]
}

/** An article that answers a question. */
export interface KnowledgeHit {
  /** The id of the article. */
  id: string
  /** The title. */
  name: string
  /** The text. */
  content: string
  /** How well it answers; only worth comparing with the others of the answer. */
  rank: number
}

/** An effort to win contacts, with a beginning and an end. */
export interface Campaign {
  /** The unique id of the campaign. */
  id: string
  /** The name. */
  name: string
  /** What the campaign is about. */
  description: string | null
  /** How far the campaign is. */
  status: "draft" | "active" | "paused" | "completed"
  /** The channel that it runs through, such as linkedin. */
  channel: string | null
  /** Whether steps of the campaign happen by themselves. */
  automation_active: boolean
  /** How many contacts are in the campaign. */
  contact_count: number
  /** When the campaign was created. */
  created_at: string
  /** When the campaign last changed; how many contacts it has does not count. */
  updated_at: string
}

/** What to send: Puts a person into a campaign. The contact with that LinkedIn profile, else with that email, is taken and its empty fields are filled; where there is none it is created. A contact that is in the campaign already is a DUPLICATE_ERROR, whose error tells its status there as `existing_status`. */
export interface AddCampaignContactRequest {
  /** The full name. */
  name: string
  /** The address of the person's LinkedIn profile, by which a contact who exists is found first. */
  linkedin_profile_url: string
  /** The job title. */
  title?: string | null
  /** The company that the person works for. */
  company?: string | null
  /** Where the person is. */
  location?: string | null
  /** The email address, by which a contact who exists is found next; the first extracted one if left out. */
  email?: string | null
  /** The phone number, best with its country code; the first extracted one if left out. */
  phone?: string | null
  /** What the person says of themselves in the profile. */
  about?: string | null
  /** The address of the person's picture. */
  profile_picture?: string | null
  /** Addresses and numbers found in the profile. */
  extracted_contacts?: {
    /** Email addresses, each of at most 320 characters. */
    emails?: string[] | null
    /** Phone numbers, each of at most 40 characters. */
    phones?: string[] | null
    /** Addresses of web sites. */
    websites?: string[] | null
  } | null
}

/** That a contact is in a campaign. */
export interface CampaignContact {
  /** The unique id of the membership. */
  id: string
  /** The id of the campaign. */
  campaign_id: string
  /** The id of the contact. */
  contact_id: string
  /** How far the contact is in the campaign. */
  status: "collected" | "approved" | "rejected" | "invite_queued" | "invite_sent" | "invite_accepted" | "invite_expired" | "conversation_started" | "conversation_ended"
  /** When the contact came into the campaign. */
  created_at: string
}

/** A person whom the account knows or wants to know. */
export interface AddedCampaignContactContact {
  /** The unique id of the contact. */
  id: string
  /** The full name. */
  name: string
  /** The address of the person's LinkedIn profile. */
  profile_url: string | null
}

/** An effort to win contacts, with a beginning and an end. */
export interface AddedCampaignContactCampaign {
  /** The unique id of the campaign. */
  id: string
  /** The name. */
  name: string
}

/** A contact that has just come into a campaign. */
export interface AddedCampaignContact {
  /** The membership. */
  campaign_contact: CampaignContact
  /** The contact, who may have existed before. */
  contact: AddedCampaignContactContact
  /** The campaign. */
  campaign: AddedCampaignContactCampaign
}

/** What to send: Creates a contact. Its email must be new to the account. */
export interface CreateContactRequest {
  /** The full name. */
  name: string
  /** The email address; no other contact of the account may have it. */
  email?: string | null
  /** The phone number, best with its country code. */
  phone?: string | null
  /** The company that the person works for. */
  company?: string | null
  /** The job title. */
  title?: string | null
  /** Where the person is. */
  location?: string | null
  /** The address of the person's LinkedIn profile. */
  linkedin_profile_url?: string | null
  /** Where the lead came from; `api` if left out. */
  source?: string | null
  /** Ids of the tags that the contact is to carry; these and no others. */
  tags?: string[] | null
  /** The account's own fields, at most 64 KiB as JSON. */
  custom_fields?: Record<string, unknown> | null
}

/** A coloured label that an account puts on its contacts. */
export interface ContactTag {
  /** The unique id of the tag. */
  id: string
  /** The name, unique in the account without regard to case. */
  name: string
  /** A CSS colour to show the tag in, such as #2563eb. */
  color: string
}

/** A person whom the account knows or wants to know. */
export interface Contact {
  /** The unique id of the contact. */
  id: string
  /** The full name. */
  name: string
  /** The email address, unique in the account without regard to case. */
  email: string | null
  /** The phone number, in E.164 where it could be read as one. */
  phone: string | null
  /** The company that the person works for. */
  company: string | null
  /** The job title. */
  title: string | null
  /** Where the person is. */
  location: string | null
  /** The address of the person's LinkedIn profile. */
  linkedin_profile_url: string | null
  /** Where the lead came from; `api` when created through the API without a source. */
  source: string
  /** The channel of the latest conversation or campaign. */
  source_channel: string | null
  /** The account's own fields. */
  custom_fields: Record<string, unknown> | null
  /** When something last happened with the contact. */
  last_interaction: string | null
  /** When the contact was created. */
  created_at: string
  /** When the contact, its tags, notes or visits last changed; a tag that is renamed does not count. */
  updated_at: string
  /** The tags that the contact carries, by name. */
  tags: ContactTag[]
}

/** The trace of a record that was deleted. */
export interface DeletedRecord {
  /** The id that the record had. */
  id: string
  /** True: the record is gone. */
  deleted: boolean
}

/** A remark on a contact. */
export interface ContactNote {
  /** The unique id of the note. */
  id: string
  /** What was noted. */
  note: string
  /** When it was noted. */
  created_at: string
}

/** How a contact found the account, by the visits that were recorded. */
export interface Attribution {
  /** utm_source of the first visit. */
  first_utm_source: string | null
  /** utm_medium of the first visit. */
  first_utm_medium: string | null
  /** utm_campaign of the first visit. */
  first_utm_campaign: string | null
  /** The channel of the first visit. */
  first_channel: string | null
  /** The page on which the first visit began. */
  first_landing_url: string | null
  /** Everything recorded of the first visit. */
  first_touch: Record<string, unknown>
  /** Everything recorded of the latest visit. */
  last_touch: Record<string, unknown>
  /** How many visits were recorded. */
  touch_count: number
  /** When the first visit was. */
  first_seen_at: string
  /** When the latest visit was. */
  last_seen_at: string
}

/** A person whom the account knows or wants to know. */
export type FullContact = Contact & {
  /** The notes on the contact, oldest first. */
  notes: ContactNote[]
  /** How the contact found the account; null when no visit was recorded. */
  attribution: Attribution | null
}

/** What to send: Changes the given fields of a contact. Its tags, when given, replace all that it has. */
export interface UpdateContactRequest {
  /** The full name; it cannot be emptied. */
  name?: string
  /** The email address; no other contact of the account may have it. */
  email?: string | null
  /** The phone number, best with its country code. */
  phone?: string | null
  /** The company that the person works for. */
  company?: string | null
  /** The job title. */
  title?: string | null
  /** Where the person is. */
  location?: string | null
  /** The address of the person's LinkedIn profile. */
  linkedin_profile_url?: string | null
  /** Ids of the tags that the contact is to carry; these and no others. */
  tags?: string[] | null
  /** The account's own fields, at most 64 KiB as JSON. */
  custom_fields?: Record<string, unknown> | null
}

/** What to send: Gives a contact tags by their names; those that the account does not have are created. What it has already stays, so that the call does the same however often it is made. */
export interface AddContactTagsRequest {
  /** The names of the tags, each of a single line, without regard to case; one that the account does not have is created. */
  names: string[]
}

/** A coloured label that an account puts on its contacts. */
export interface AddedTagsTag {
  /** The unique id of the tag. */
  id: string
  /** The name, unique in the account without regard to case. */
  name: string
  /** A CSS colour to show the tag in, such as #2563eb. */
  color: string
}

/** What came of giving tags to a contact. */
export interface AddedTags {
  /** The contact. */
  contact_id: string
  /** The tags that were asked for, by name; the contact has them all now. */
  tags: AddedTagsTag[]
  /** The names of those that the contact did not have before. */
  added: string[]
  /** The names of those that the account did not have before. */
  created: string[]
}

/** An exchange of messages with a contact or a group. */
export interface Conversation {
  /** The unique id of the conversation. */
  id: string
  /** Who answers. */
  status: "active" | "manual" | "closed"
  /** The channel, such as LINKEDIN, WHATSAPP or INSTAGRAM. */
  channel: string
  /** The id of the contact. */
  contact_id: string | null
  /** The id of the opportunity that it is about. */
  opportunity_id: string | null
  /** The id of the campaign that it came from. */
  campaign_id: string | null
  /** The id of the agent that answers. */
  ai_agent_id: string | null
  /** The id of the user who looks after it. */
  assigned_user_id: string | null
  /** The id of the sector. */
  sector_id: string | null
  /** How well the lead fits, as the agent scored it. */
  qualification_score: number | null
  /** How the agent classified the lead. */
  qualification_stage: string | null
  /** Why the agent scored it so. */
  qualification_reasons: string[] | null
  /** The objections that were raised so far. */
  objections_history: string[] | null
  /** When the latest message was recorded. */
  last_message_at: string | null
  /** When the conversation was created. */
  created_at: string
  /** When the conversation last changed; a label that is renamed does not count. */
  updated_at: string
  /** The name of the contact. */
  contact_name: string | null
  /** The email address of the contact. */
  contact_email: string | null
  /** The phone number of the contact. */
  contact_phone: string | null
  /** The company of the contact. */
  contact_company: string | null
  /** The title of the opportunity. */
  opportunity_title: string | null
  /** The name of the campaign. */
  campaign_name: string | null
  /** The name of the agent. */
  ai_agent_name: string | null
  /** The name of the user who looks after it. */
  assigned_user_name: string | null
  /** The email address of the user who looks after it. */
  assigned_user_email: string | null
  /** The name of the sector. */
  sector_name: string | null
}

/** An exchange of messages with a contact or a group. */
export type ListedConversation = Conversation & {
  /** Whether it is with a group. */
  is_group: boolean
  /** The name of the group. */
  group_name: string | null
}

/** One message of a conversation. */
export interface ConversationMessage {
  /** The unique id of the message. */
  id: string
  /** Who wrote it. */
  sender_type: "lead" | "ai" | "user"
  /** The text; empty when its contact was deleted. */
  content: string
  /** The channel that it went through. */
  channel: string
  /** When it was sent. */
  sent_at: string
  /** When it was read. */
  read_at: string | null
  /** When it was stored. */
  created_at: string
}

/** An exchange of messages with a contact or a group. */
export type FullConversation = Conversation & {
  /** The newest messages, oldest of them first. */
  messages: ConversationMessage[]
}

/** What to send: Sends a text to the person or the group of a conversation, which a person has from then on: its agent writes no more. The message is stored, and handed to the channel right after; get_message tells what became of it. What is in the way, such as a channel that is disconnected or a person who has not written for a day, is an error, and then nothing is stored. */
export interface SendMessageRequest {
  /** The text. */
  text: string
}

/** One message of a conversation. */
export interface MessageOutcome {
  /** The unique id of the message. */
  id: string
  /** Who wrote it. */
  sender_type: "lead" | "ai" | "user"
  /** The text; empty when its contact was deleted. */
  content: string
  /** The channel that it went through. */
  channel: string
  /** What became of one that the account sends; null of what came in, and where nobody knows. */
  status: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "unknown" | null
  /** Why it was not sent, or not yet, or why nobody knows. */
  error: string | null
  /** When it was sent. */
  sent_at: string
  /** When it reached the person. */
  delivered_at: string | null
  /** When it was read. */
  read_at: string | null
  /** When it was stored. */
  created_at: string
}

/** What to send: Notes something on a conversation, for the people of the account; it is sent to nobody. */
export interface AddConversationNoteRequest {
  /** The text. */
  content: string
}

/** What the account's people note of a conversation; it is sent to nobody. */
export interface ConversationNote {
  /** The unique id of the note. */
  id: string
  /** The text. */
  content: string
  /** The id of the user who wrote it; null of a program. */
  user_id: string | null
  /** When it was written. */
  created_at: string
}

/** Why an opportunity may be discarded or lost. */
export interface DiscardReason {
  /** The unique id of the reason. */
  id: string
  /** The name, unique in the account without regard to case. */
  name: string
  /** When the reason applies. */
  description: string | null
  /** Whether the reason is in use. */
  is_active: boolean
  /** The place in the list of reasons, smallest first. */
  display_order: number
  /** When the reason was created. */
  created_at: string
}

/** A search for profiles on Instagram. */
export interface InstagramAgent {
  /** The unique id of the agent. */
  id: string
  /** The name. */
  name: string
  /** What the agent is for. */
  description: string | null
  /** What it looks for. */
  search_niche: string | null
  /** Where it looks. */
  search_location: string | null
  /** What it is doing. */
  status: "active" | "paused" | "completed" | "error"
  /** How many profiles it holds. */
  total_profiles_found: number
  /** How many profiles it takes at most; null when there is no limit. */
  total_limit: number | null
  /** When the agent was created. */
  created_at: string
  /** When the agent last changed; how many profiles it holds does not count. */
  updated_at: string
}

/** What to send: Adds a profile to those that an agent holds. An agent that has as many as its limit allows takes no more (LIMIT_REACHED), and none twice (DUPLICATE_ERROR). */
export interface AddInstagramProfileRequest {
  /** The name of the profile; a leading @ and the case do not count. */
  username: string
  /** The name that the profile shows; its username if left out. */
  display_name?: string | null
  /** The address of the profile; the one at Instagram if left out. */
  profile_url?: string | null
  /** What the profile says of itself. */
  bio?: string | null
  /** The address that the profile links to. */
  external_url?: string | null
  /** How many follow it. */
  followers_count?: number | null
  /** How many it follows. */
  following_count?: number | null
  /** How many posts it has. */
  posts_count?: number | null
  /** Addresses and numbers found in the profile. */
  extracted_contacts?: {
    /** Email addresses, each of at most 320 characters. */
    emails?: string[] | null
    /** Phone numbers, each of at most 40 characters. */
    phones?: string[] | null
    /** Addresses of web sites. */
    websites?: string[] | null
  } | null
}

/** Addresses and numbers that were found in a profile. */
export interface ExtractedContacts {
  /** Email addresses. */
  emails: string[]
  /** Phone numbers. */
  phones: string[]
  /** Addresses of web sites. */
  websites: string[]
}

/** A profile that was found on Instagram. */
export interface InstagramProfile {
  /** The name of the profile, in lower case and without @; unique in the agent. */
  username: string
  /** The name that the profile shows. */
  display_name: string
  /** The address of the profile. */
  profile_url: string
  /** What the profile says of itself; empty when nothing is known. */
  bio: string
  /** How many follow it. */
  followers_count: number | null
  /** How many it follows. */
  following_count: number | null
  /** How many posts it has. */
  posts_count: number | null
  /** The address that the profile links to; empty when there is none. */
  external_url: string
  /** Addresses and numbers found in the profile. */
  extracted_contacts: ExtractedContacts
  /** Who added it: `api`, or the collection itself. */
  source: string
  /** When it was added. */
  added_at: string
}

/** A search for profiles on Instagram. */
export interface AddedInstagramProfileInstagramAgent {
  /** The unique id of the agent. */
  id: string
  /** The name. */
  name: string
  /** How many profiles it holds. */
  total_profiles_found: number
}

/** A profile that has just been added to an agent. */
export interface AddedInstagramProfile {
  /** The profile. */
  profile: InstagramProfile
  /** The agent, which counts it already. */
  agent: AddedInstagramProfileInstagramAgent
}

/** What to send: Creates an opportunity. Its contact is recognised by the email, or created too; of a known contact only what is empty is filled in. Without owner_user_id the account's rules of turns decide who gets it. What is asked for besides happens once it is created, and `actions` tells what came of each: none of them makes the call fail. */
export interface CreateOpportunityRequest {
  /** The lead's full name, which is the opportunity's title too. */
  name: string
  /** The lead's job title. */
  title?: string | null
  /** The lead's company. */
  company?: string | null
  /** Where the lead is. */
  location?: string | null
  /** The line under the name in the lead's profile. */
  headline?: string | null
  /** The address of the lead's LinkedIn profile. */
  profile_url?: string | null
  /** The address of the lead's picture. */
  profile_picture?: string | null
  /** The lead's phone number, best with its country code. */
  phone?: string | null
  /** The lead's email address, by which a contact is recognised. */
  email?: string | null
  /** The score of the lead; a fraction is rounded. */
  score?: number | null
  /** What is to be noted on the opportunity. */
  notes?: string | null
  /** The id of the campaign. */
  campaign_id?: string | null
  /** The id of an active user who is to own it. */
  owner_user_id?: string | null
  /** The id of the sector. */
  sector_id?: string | null
  /** The id of the pipeline; the stage's, else the default if left out. */
  pipeline_id?: string | null
  /** The id of the stage; the pipeline's first if left out. */
  stage_id?: string | null
  /** Where it came from; `other` if left out. */
  source?: "linkedin" | "google_maps" | "list" | "paid_traffic" | "other" | null
  /** An agent of type whatsapp that begins a conversation with the contact, who needs a phone. */
  activate_agent_id?: string | null
  /** What it sends from; needed only where the agent has none and the account several. */
  agent_channel_account_id?: string | null
  /** An active flow that the contact, who needs an email, begins. */
  enroll_in_flow_id?: string | null
  /** A template that the contact, who needs an email, is sent once. */
  send_template_email_id?: string | null
  /** Whom that mail comes from; the account's default sender if left out. */
  email_sender_id?: string | null
}

/** A lead that stands in a stage of a pipeline. */
export interface WrittenOpportunity {
  /** The unique id of the opportunity. */
  id: string
  /** What the opportunity is called; at first the name of the lead. */
  title: string
  /** The score of the lead. */
  score: number
  /** Where it came from. */
  source: "linkedin" | "google_maps" | "list" | "paid_traffic" | "other"
  /** What was noted on it. */
  notes: string | null
  /** The id of the pipeline. */
  pipeline_id: string
  /** The id of the stage that it stands in. */
  stage_id: string
  /** The id of the campaign that it came from. */
  campaign_id: string | null
  /** The id of the user who works on it. */
  owner_user_id: string | null
  /** The id of the contact; null when that was deleted. */
  contact_id: string | null
  /** A copy of the contact's name, which follows it. */
  contact_name: string | null
  /** A copy of the contact's email address, which follows it. */
  contact_email: string | null
  /** A copy of the contact's phone number, which follows it. */
  contact_phone: string | null
  /** A copy of the contact's company, which follows it. */
  contact_company: string | null
  /** A copy of the contact's job title, which follows it. */
  contact_title: string | null
  /** The name of the campaign. */
  campaign_name: string | null
  /** The name of the owner. */
  owner_user_name: string | null
  /** The email address of the owner. */
  owner_user_email: string | null
  /** When the opportunity was created. */
  created_at: string
  /** When the opportunity, its products or comments or what it shows of its contact last changed; a stage or another label that is renamed does not count. */
  updated_at: string
}

/** What came of the wish that an agent begins a conversation with the contact of a new opportunity. */
export interface AgentActionResult {
  /** Whether the agent has the conversation. */
  activated: boolean
  /** The conversation, new or not; null where there is none. */
  conversation_id: string | null
  /** Whether the agent is about to write. */
  workflow_started: boolean
  /** Why it has not begun, in a sentence; null when it has. */
  error: string | null
}

/** What came of the wish that the contact of a new opportunity begins a flow. */
export interface FlowActionResult {
  /** Whether the contact has begun the flow by this. */
  enrolled: boolean
  /** The enrollment: the new one, or that by which it had begun already. */
  enrollment_id: string | null
  /** How the contact stands in the flow: active, paused, completed, stopped or failed. */
  status: string | null
  /** Why it has not begun, in a sentence; null when it has. */
  error: string | null
}

/** What came of a mail to the contact of a new opportunity. */
export interface EmailActionResult {
  /** Whether the mail server has taken it. */
  sent: boolean
  /** The mail; null where none was written. */
  email_id: string | null
  /** Why it was not sent, in a sentence; null when it was. */
  error: string | null
}

/** What came of the actions that were asked for; those that were not are null. */
export interface OpportunityActions {
  /** An agent that begins a conversation with the contact. */
  agent?: AgentActionResult
  /** A flow that the contact begins. */
  flow?: FlowActionResult
  /** A one-off mail from a template to the contact. */
  email?: EmailActionResult
}

/** A lead that stands in a stage of a pipeline. */
export interface Opportunity {
  /** The unique id of the opportunity. */
  id: string
  /** What the opportunity is called; at first the name of the lead. */
  title: string
  /** What it is worth, exact to the cent; the sum of its products when it has any. */
  value: number
  /** ISO 4217 code of the currency of the value. */
  currency: string
  /** How likely it is to be won, in percent. */
  probability: number | null
  /** The day on which it is expected to be won. */
  expected_close_date: string | null
  /** The id of the pipeline. */
  pipeline_id: string
  /** The name of the pipeline. */
  pipeline_name: string
  /** The id of the stage that it stands in. */
  stage_id: string
  /** The name of the stage. */
  stage_name: string
  /** The id of the campaign that it came from. */
  campaign_id: string | null
  /** The name of the campaign. */
  campaign_name: string | null
  /** The id of the user who works on it. */
  owner_user_id: string | null
  /** The name of the owner. */
  owner_user_name: string | null
  /** The email address of the owner. */
  owner_user_email: string | null
  /** The id of the sector. */
  sector_id: string | null
  /** The id of the reason for which it was discarded or lost. */
  discard_reason_id: string | null
  /** The score of the lead. */
  score: number
  /** Where it came from. */
  source: "linkedin" | "google_maps" | "list" | "paid_traffic" | "other"
  /** What was noted on it. */
  notes: string | null
  /** When the first outreach was sent. */
  sent_at: string | null
  /** When the contact accepted it. */
  accepted_at: string | null
  /** When qualification began. */
  qualifying_started_at: string | null
  /** When the lead was qualified. */
  qualified_at: string | null
  /** When a meeting was scheduled. */
  scheduled_at: string | null
  /** When it was won. */
  won_at: string | null
  /** When it was lost. */
  lost_at: string | null
  /** When it was discarded. */
  discarded_at: string | null
  /** When the opportunity was created. */
  created_at: string
  /** When the opportunity, its products or comments or what it shows of its contact last changed; a stage or another label that is renamed does not count. */
  updated_at: string
  /** The id of the contact; null when that was deleted. */
  contact_id: string | null
  /** A copy of the contact's name, which follows it. */
  contact_name: string | null
  /** A copy of the contact's email address, which follows it. */
  contact_email: string | null
  /** A copy of the contact's phone number, which follows it. */
  contact_phone: string | null
  /** A copy of the contact's company, which follows it. */
  contact_company: string | null
  /** A copy of the contact's job title, which follows it. */
  contact_title: string | null
}

/** A lead that stands in a stage of a pipeline. */
export type ListedOpportunity = Opportunity & {
  /** A copy of where the contact is, which follows it. */
  contact_location: string | null
  /** A copy of the address of the contact's LinkedIn profile, which follows it. */
  contact_profile_url: string | null
  /** A copy of the address of the contact's picture, which follows it. */
  contact_profile_picture: string | null
}

/** A product that an opportunity is about. */
export interface OpportunityProduct {
  /** The unique id of the line. */
  id: string
  /** The id of the product; null for what is not in the list of products. */
  product_id: string | null
  /** What it was called when it was added. */
  name: string
  /** How many. */
  quantity: number
  /** The price of one. */
  unit_price: number
  /** The price of all, less the discounts: the percentage first, then the value; never below 0. */
  total_price: number
  /** Discount in percent. */
  discount_percent: number | null
  /** Discount as an amount, taken off once. */
  discount_value: number | null
}

/** A comment on an opportunity. */
export interface OpportunityComment {
  /** The unique id of the comment. */
  id: string
  /** What was written. */
  content: string
  /** What the author was called; null when nobody is known. */
  user_name: string | null
  /** When it was written. */
  created_at: string
}

/** A lead that stands in a stage of a pipeline. */
export type WholeOpportunity = Opportunity & {
  /** The name of the sector. */
  sector_name: string | null
  /** The name of the reason for which it was discarded or lost. */
  discard_reason: string | null
  /** Its products, in the order in which they were added. */
  products: OpportunityProduct[]
  /** The comments on it, oldest first. */
  comments: OpportunityComment[]
}

/** What to send: Changes the given fields of an opportunity; those of the lead change its contact. A pipeline alone moves it to the first stage of that pipeline. */
export interface UpdateOpportunityRequest {
  /** The lead's full name: of the contact, and the opportunity's title. */
  name?: string
  /** The lead's job title. */
  title?: string | null
  /** The lead's company. */
  company?: string | null
  /** Where the lead is. */
  location?: string | null
  /** The line under the name in the lead's profile. */
  headline?: string | null
  /** The address of the lead's LinkedIn profile. */
  profile_url?: string | null
  /** The address of the lead's picture. */
  profile_picture?: string | null
  /** The lead's phone number, best with its country code. */
  phone?: string | null
  /** The lead's email address, by which a contact is recognised. */
  email?: string | null
  /** The score of the lead; a fraction is rounded. */
  score?: number | null
  /** What is to be noted on the opportunity. */
  notes?: string | null
  /** The id of an active user who is to own it. */
  owner_user_id?: string | null
  /** The id of the pipeline to move to; alone, to its first stage. */
  pipeline_id?: string
  /** The id of the stage to move to. */
  stage_id?: string
}

/** A step in the life of an opportunity; names are kept as they were. */
export interface OpportunityHistory {
  /** The unique id of the step. */
  id: string
  /** What happened. */
  action: "created" | "stage_changed" | "value_changed"
  /** The id of the stage that it left. */
  from_stage_id: string | null
  /** The name that the stage had. */
  from_stage_name: string | null
  /** The id of the stage that it came to. */
  to_stage_id: string | null
  /** The name that the stage had. */
  to_stage_name: string | null
  /** The value before. */
  from_value: number | null
  /** The value after. */
  to_value: number | null
  /** A remark, such as the reason of a loss. */
  notes: string | null
  /** Who did it: a user, or the name of the API key. */
  user_name: string | null
  /** When it happened. */
  created_at: string
}

/** What to send: Moves an opportunity into a stage, with the timestamps that the stage sets. A reason is possible with a loss stage only. */
export interface MoveOpportunityRequest {
  /** The id of the stage, of whatever pipeline. */
  stage_id: string
  /** The id of the reason of the loss; only with a loss stage. */
  discard_reason_id?: string | null
  /** Why it was lost, in words; only with a loss stage. */
  loss_reason?: string | null
}

/** A stage that an opportunity left or came to. */
export interface StageReference {
  /** The id of the stage. */
  id: string
  /** The name of the stage. */
  name: string
}

/** From where to where an opportunity moved. */
export interface StageChange {
  /** The stage that it stood in. */
  from: StageReference
  /** The stage that it stands in. */
  to: StageReference
}

/** A step of a pipeline. */
export interface Stage {
  /** The unique id of the stage. */
  id: string
  /** The id of the pipeline that the stage belongs to. */
  pipeline_id: string
  /** The name. */
  name: string
  /** A CSS colour to show the stage in, such as #d97706. */
  color: string | null
  /** The place in the pipeline, from 1. */
  position: number
  /** Whether an opportunity in this stage is won. */
  is_win_stage: boolean
  /** Whether an opportunity in this stage is lost. */
  is_loss_stage: boolean
}

/** A way of selling, in stages that opportunities pass through. */
export interface Pipeline {
  /** The unique id of the pipeline. */
  id: string
  /** The name. */
  name: string
  /** What the pipeline is for. */
  description: string | null
  /** A CSS colour to show the pipeline in, such as #2563eb. */
  color: string | null
  /** The name of an icon to show the pipeline with. */
  icon: string | null
  /** Whether new opportunities that name no pipeline go here; true of one. */
  is_default: boolean
  /** Whether the pipeline is in use. */
  is_active: boolean
  /** The place in the list of pipelines, smallest first. */
  display_order: number
  /** When the pipeline was created. */
  created_at: string
  /** When the pipeline or one of its stages last changed. */
  updated_at: string
  /** The stages in their order. */
  stages: Stage[]
}

/** Something that the account sells. */
export interface Product {
  /** The unique id of the product. */
  id: string
  /** The name. */
  name: string
  /** What the product is. */
  description: string | null
  /** The price of one unless agreed otherwise, exact to the cent. */
  default_price: number
  /** ISO 4217 code of the currency of the price. */
  currency: string
  /** What the price is for, such as month; null when paid once. */
  time_unit: string | null
  /** Whether the product is on sale. */
  is_active: boolean
  /** When the product was created. */
  created_at: string
  /** When the product last changed. */
  updated_at: string
}

/** What stands in a stage. */
export interface FunnelStage {
  /** The id of the stage. */
  stage_id: string
  /** The name of the stage. */
  stage_name: string
  /** The place in the pipeline, from 1. */
  position: number
  /** Whether an opportunity in this stage is won. */
  is_won_stage: boolean
  /** Whether an opportunity in this stage is lost. */
  is_loss_stage: boolean
  /** How many active opportunities stand in it. */
  count: number
  /** What these are worth together, whatever the currencies, exact to the cent. */
  value: number
  /** The count in percent of that of the stage before; null for the first stage and after an empty one. */
  conversion_from_previous: number | null
}

/** What stands in the stages of a pipeline. */
export interface PipelineFunnel {
  /** The id of the pipeline. */
  pipeline_id: string
  /** The name of the pipeline. */
  pipeline_name: string
  /** How many of its opportunities are lost or discarded. */
  lost_count: number
  /** Its stages in their order. */
  stages: FunnelStage[]
}

/** How many opportunities, and what they are worth. */
export interface CountAndValue {
  /** How many. */
  count: number
  /** What they are worth together, whatever the currencies, exact to the cent. */
  value: number
}

/** The conditions of a report as they were applied; null where there was none. */
export interface AppliedFilter {
  /** The id of the pipeline. */
  pipeline_id: string | null
  /** The id of the sector. */
  sector_id: string | null
  /** The id of the owner. */
  owner_user_id: string | null
  /** The earliest creation that counts. */
  from: string | null
  /** The latest creation that counts. */
  to: string | null
}

/** What is open, won and lost. */
export interface SalesSummary {
  /** Neither won nor lost. */
  open: CountAndValue
  /** Won, and not lost or discarded since. */
  won: CountAndValue
  /** Lost or discarded. */
  lost: CountAndValue
  /** Won in percent of won and lost; null when there are none. */
  win_rate: number | null
  /** The value of won ones for each; null when there are none. */
  average_ticket: number | null
  /** The conditions as they were applied. */
  filters: AppliedFilter
}

/** What a seller has open, won and lost. */
export interface SellerResult {
  /** The id of the owner; null for what nobody owns. */
  owner_user_id: string | null
  /** The name of the owner. */
  owner_user_name: string | null
  /** The email address of the owner. */
  owner_user_email: string | null
  /** How many are neither won nor lost. */
  open_count: number
  /** How many are won. */
  won_count: number
  /** How many are lost or discarded. */
  lost_count: number
  /** What the won ones are worth together, exact to the cent. */
  revenue: number
  /** The revenue for each won one; null when there are none. */
  average_ticket: number | null
  /** Won in percent of won and lost; null when there are none. */
  conversion_rate: number | null
}

/** How many opportunities got how far. */
export interface SlaCounts {
  /** With a first outreach. */
  with_outreach: number
  /** Accepted by the contact. */
  accepted: number
  /** Qualified. */
  qualified: number
  /** Won. */
  won: number
}

/** How long the steps of selling took, over all sellers. */
export interface SlaOverall {
  /** From the creation to the first outreach: hours on average, over those that have both times; null when none has. */
  avg_hours_to_first_outreach: number | null
  /** From the first outreach to its acceptance: hours on average, over those that have both times; null when none has. */
  avg_hours_to_acceptance: number | null
  /** From the start of qualification to its end: hours on average, over those that have both times; null when none has. */
  avg_hours_to_qualification: number | null
  /** From the creation to the win: days on average, likewise. */
  avg_sales_cycle_days: number | null
  /** How many got how far. */
  counts: SlaCounts
}

/** How long the steps of selling took a seller. */
export interface SellerSla {
  /** The id of the owner; null for what nobody owns. */
  owner_user_id: string | null
  /** The name of the owner. */
  owner_user_name: string | null
  /** The email address of the owner. */
  owner_user_email: string | null
  /** From the creation to the first outreach: hours on average, over those that have both times; null when none has. */
  avg_hours_to_first_outreach: number | null
  /** From the first outreach to its acceptance: hours on average, over those that have both times; null when none has. */
  avg_hours_to_acceptance: number | null
  /** From the start of qualification to its end: hours on average, over those that have both times; null when none has. */
  avg_hours_to_qualification: number | null
  /** From the creation to the win: days on average, likewise. */
  avg_sales_cycle_days: number | null
  /** How many are won. */
  won_count: number
}

/** How long the steps of selling took. */
export interface SlaReport {
  /** Over all sellers. */
  overall: SlaOverall
  /** By seller, most wins first; what nobody owns is one row, without an id. */
  by_seller: SellerSla[]
  /** The conditions as they were applied. */
  filters: AppliedFilter
}

/** A part of the company that opportunities and users belong to. */
export interface Sector {
  /** The unique id of the sector. */
  id: string
  /** The name, unique in the account without regard to case. */
  name: string
  /** What the sector does. */
  description: string | null
  /** A CSS colour to show the sector in, such as #2563eb. */
  color: string | null
  /** Whether the sector is in use. */
  is_active: boolean
  /** When the sector was created. */
  created_at: string
  /** When the sector last changed. */
  updated_at: string
}

/** A coloured label that an account puts on its contacts. */
export interface Tag {
  /** The unique id of the tag. */
  id: string
  /** The name, unique in the account without regard to case. */
  name: string
  /** A CSS colour to show the tag in, such as #2563eb. */
  color: string
  /** When the tag was created. */
  created_at: string
}

/** A person who works in the account. */
export interface User {
  /** The unique id of the user. */
  id: string
  /** The full name. */
  name: string
  /** The email address, unique in the whole service without regard to case. */
  email: string
  /** What the user may do. */
  role: "admin" | "manager" | "seller"
  /** The id of the sector that the user works in. */
  sector_id: string | null
  /** Whether the user may work and be given opportunities. */
  is_active: boolean
  /** When the user was created. */
  created_at: string
}

/** What was odd in the request but did not stop it. `Prefer: handling=strict` makes errors of them. */
export type Warnings = Array<{
  field: string
  message: string
}>

/** What checkKey answers. */
export interface CheckKeyAnswer {
  success: true
  /** A greeting that shows the key works. */
  message: string
  /** The version of the service. */
  version: string
  /** Where the documentation is. */
  documentation: string
  data: Session
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ListAiAgentsQuery {
  /** The number of the page, from 1. */
  page?: number
  /** Records in a page, from 1 to 100. */
  limit?: number
  /** The cursor that the page before came with; it goes on after the last record of that page. With the same filters and order only; the number of the page does not count then. */
  cursor?: string
  /** Part of the name, without regard to case and accents. */
  search?: string
  /** Only those in use, or only those out of use; all if left out. */
  is_active?: boolean
}

/** What listAiAgents answers. */
export interface ListAiAgentsAnswer {
  success: true
  /** The agents of the page. */
  data: AiAgent[]
  /** Where the page stands in the list. */
  pagination: Pagination
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What getAiAgent answers. */
export interface GetAiAgentAnswer {
  success: true
  data: FullAiAgent
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What runAiAgentAction answers. */
export interface RunAiAgentActionAnswer {
  success: true
  data: AiAgentActionDone
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What chatWithAiAgent answers. */
export interface ChatWithAiAgentAnswer {
  success: true
  data: ChatAnswer
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface SearchAiAgentKnowledgeQuery {
  /** Words, as people type them into a search. */
  query: string
  /** How many articles at most, from 1 to 20. */
  limit?: number
}

/** What searchAiAgentKnowledge answers. */
export interface SearchAiAgentKnowledgeAnswer {
  success: true
  data: KnowledgeHit[]
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ListCampaignsQuery {
  /** The number of the page, from 1. */
  page?: number
  /** Records in a page, from 1 to 100. */
  limit?: number
  /** The cursor that the page before came with; it goes on after the last record of that page. With the same filters and order only; the number of the page does not count then. */
  cursor?: string
  /** How far they are, without regard to case; such as active. */
  status?: "draft" | "active" | "paused" | "completed"
}

/** What listCampaigns answers. */
export interface ListCampaignsAnswer {
  success: true
  /** The campaigns of the page. */
  data: Campaign[]
  /** Where the page stands in the list. */
  pagination: Pagination
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What addCampaignContact answers. */
export interface AddCampaignContactAnswer {
  success: true
  data: AddedCampaignContact
  message: string
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What createContact answers. */
export interface CreateContactAnswer {
  success: true
  data: Contact
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ListContactsQuery {
  /** The number of the page, from 1. */
  page?: number
  /** Records in a page, from 1 to 100. */
  limit?: number
  /** The cursor that the page before came with; it goes on after the last record of that page. With the same filters and order only; the number of the page does not count then. */
  cursor?: string
  /** Part of the name, email or company, without regard to case and accents. */
  search?: string
  /** Part of the company, without regard to case and accents. */
  company?: string
  /** Part of the email address, without regard to case. */
  email?: string
  /** Part of the phone number; only its digits count. */
  phone?: string
  /** The whole source, without regard to case. */
  source?: string
  /** Ids of tags of which the contact carries at least one. */
  tags?: string[]
  /** Created at this time or later. */
  created_after?: string | Date
  /** Created at this time or earlier. */
  created_before?: string | Date
  /** Last changed at this time or later. */
  updated_after?: string | Date
  /** Last changed at this time or earlier. */
  updated_before?: string | Date
  /** What to sort by; the creation if left out. */
  sort_by?: "created_at" | "updated_at" | "name" | "company" | "last_interaction"
  /** In which direction; descending if left out. */
  sort_order?: "asc" | "desc"
}

/** What listContacts answers. */
export interface ListContactsAnswer {
  success: true
  /** The contacts of the page. */
  data: Contact[]
  /** Where the page stands in the list. */
  pagination: Pagination
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What deleteContact answers. */
export interface DeleteContactAnswer {
  success: true
  data: DeletedRecord
  message: string
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What getContact answers. */
export interface GetContactAnswer {
  success: true
  data: FullContact
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What updateContact answers. */
export interface UpdateContactAnswer {
  success: true
  data: Contact
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What addContactTags answers. */
export interface AddContactTagsAnswer {
  success: true
  data: AddedTags
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ListConversationsQuery {
  /** The number of the page, from 1. */
  page?: number
  /** Records in a page, from 1 to 100. */
  limit?: number
  /** The cursor that the page before came with; it goes on after the last record of that page. With the same filters and order only; the number of the page does not count then. */
  cursor?: string
  /** The id of the contact. */
  contact_id?: string
  /** The id of the opportunity that they are about. */
  opportunity_id?: string
  /** Who answers: active, manual or closed, without regard to case; none has another. */
  status?: "active" | "manual" | "closed"
  /** Created at this time or later. */
  created_after?: string | Date
  /** Created at this time or earlier. */
  created_before?: string | Date
  /** Last changed at this time or later. */
  updated_after?: string | Date
  /** Last changed at this time or earlier. */
  updated_before?: string | Date
  /** With a latest message of this time or later. */
  last_message_after?: string | Date
  /** With a latest message of this time or earlier. */
  last_message_before?: string | Date
  /** What to sort by; if left out, the creation, or the latest message where only conversations with one of some time or later are asked for. */
  sort_by?: "created_at" | "updated_at" | "last_message_at"
  /** In which direction; if left out, descending, or ascending where the filter tells what to sort by. */
  sort_order?: "asc" | "desc"
}

/** What listConversations answers. */
export interface ListConversationsAnswer {
  success: true
  /** The conversations of the page. */
  data: ListedConversation[]
  /** Where the page stands in the list. */
  pagination: Pagination
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface GetConversationQuery {
  /** messages_limit */
  messages_limit?: number
}

/** What getConversation answers. */
export interface GetConversationAnswer {
  success: true
  data: FullConversation
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What handBackConversation answers. */
export interface HandBackConversationAnswer {
  success: true
  data: Conversation
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What sendMessage answers. */
export interface SendMessageAnswer {
  success: true
  data: MessageOutcome
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What addConversationNote answers. */
export interface AddConversationNoteAnswer {
  success: true
  data: ConversationNote
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What takeOverConversation answers. */
export interface TakeOverConversationAnswer {
  success: true
  data: Conversation
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ListDiscardReasonsQuery {
  /** The number of the page, from 1. */
  page?: number
  /** Records in a page, from 1 to 100. */
  limit?: number
  /** The cursor that the page before came with; it goes on after the last record of that page. With the same filters and order only; the number of the page does not count then. */
  cursor?: string
  /** Part of the name, without regard to case and accents. */
  search?: string
}

/** What listDiscardReasons answers. */
export interface ListDiscardReasonsAnswer {
  success: true
  /** The discard reasons of the page. */
  data: DiscardReason[]
  /** Where the page stands in the list. */
  pagination: Pagination
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ListInstagramAgentsQuery {
  /** The number of the page, from 1. */
  page?: number
  /** Records in a page, from 1 to 100. */
  limit?: number
  /** The cursor that the page before came with; it goes on after the last record of that page. With the same filters and order only; the number of the page does not count then. */
  cursor?: string
  /** What they are doing, without regard to case; such as active. */
  status?: "active" | "paused" | "completed" | "error"
}

/** What listInstagramAgents answers. */
export interface ListInstagramAgentsAnswer {
  success: true
  /** The agents of the page. */
  data: InstagramAgent[]
  /** Where the page stands in the list. */
  pagination: Pagination
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What addInstagramProfile answers. */
export interface AddInstagramProfileAnswer {
  success: true
  data: AddedInstagramProfile
  message: string
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What getMessage answers. */
export interface GetMessageAnswer {
  success: true
  data: MessageOutcome
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What createOpportunity answers. */
export interface CreateOpportunityAnswer {
  success: true
  /** The opportunity, as it was created. */
  data: WrittenOpportunity
  /** Null when no action was asked for. */
  actions?: OpportunityActions
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ListOpportunitiesQuery {
  /** The number of the page, from 1. */
  page?: number
  /** Records in a page, from 1 to 100. */
  limit?: number
  /** The cursor that the page before came with; it goes on after the last record of that page. With the same filters and order only; the number of the page does not count then. */
  cursor?: string
  /** Part of the title or of the contact's name or company, without regard to case and accents. */
  search?: string
  /** In this stage. */
  stage_id?: string
  /** In this pipeline. */
  pipeline_id?: string
  /** From this campaign. */
  campaign_id?: string
  /** Owned by this user. */
  owner_user_id?: string
  /** Part of the contact's company, without regard to case and accents. */
  company?: string
  /** Created at this time or later. */
  created_after?: string | Date
  /** Created at this time or earlier. */
  created_before?: string | Date
  /** Last changed at this time or later. */
  updated_after?: string | Date
  /** Last changed at this time or earlier. */
  updated_before?: string | Date
  /** What to sort by; the creation if left out. */
  sort_by?: "created_at" | "updated_at" | "title" | "value"
  /** In which direction; descending if left out. */
  sort_order?: "asc" | "desc"
}

/** What listOpportunities answers. */
export interface ListOpportunitiesAnswer {
  success: true
  /** The opportunities of the page. */
  data: ListedOpportunity[]
  /** Where the page stands in the list. */
  pagination: Pagination
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What deleteOpportunity answers. */
export interface DeleteOpportunityAnswer {
  success: true
  data: DeletedRecord
  message: string
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What getOpportunity answers. */
export interface GetOpportunityAnswer {
  success: true
  data: WholeOpportunity
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What updateOpportunity answers. */
export interface UpdateOpportunityAnswer {
  success: true
  data: WholeOpportunity
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ListOpportunityHistoryQuery {
  /** The number of the page, from 1. */
  page?: number
  /** Records in a page, from 1 to 100. */
  limit?: number
  /** The cursor that the page before came with; it goes on after the last record of that page. With the same filters and order only; the number of the page does not count then. */
  cursor?: string
}

/** What listOpportunityHistory answers. */
export interface ListOpportunityHistoryAnswer {
  success: true
  /** The steps of the page. */
  data: OpportunityHistory[]
  /** Where the page stands in the list. */
  pagination: Pagination
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What moveOpportunity answers. */
export interface MoveOpportunityAnswer {
  success: true
  /** The opportunity after it. */
  data: WholeOpportunity
  /** From where to where; the same stage twice when it stood there already. */
  stage_change: StageChange
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What listPipelines answers. */
export interface ListPipelinesAnswer {
  success: true
  data: Pipeline[]
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ListProductsQuery {
  /** The number of the page, from 1. */
  page?: number
  /** Records in a page, from 1 to 100. */
  limit?: number
  /** The cursor that the page before came with; it goes on after the last record of that page. With the same filters and order only; the number of the page does not count then. */
  cursor?: string
  /** Part of the name, without regard to case and accents. */
  search?: string
}

/** What listProducts answers. */
export interface ListProductsAnswer {
  success: true
  /** The products of the page. */
  data: Product[]
  /** Where the page stands in the list. */
  pagination: Pagination
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ReportFunnelQuery {
  /** The id of the one pipeline to report on. */
  pipeline_id?: string
  /** The id of the one sector whose opportunities count. */
  sector_id?: string
}

/** What reportFunnel answers. */
export interface ReportFunnelAnswer {
  success: true
  data: PipelineFunnel[]
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ReportSalesSummaryQuery {
  /** In this pipeline. */
  pipeline_id?: string
  /** Of this sector. */
  sector_id?: string
  /** Owned by this user. */
  owner_user_id?: string
  /** Created at this time or later. */
  from?: string | Date
  /** Created at this time or earlier. */
  to?: string | Date
}

/** What reportSalesSummary answers. */
export interface ReportSalesSummaryAnswer {
  success: true
  data: SalesSummary
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ReportSellersQuery {
  /** In this pipeline. */
  pipeline_id?: string
  /** Of this sector. */
  sector_id?: string
  /** Owned by this user. */
  owner_user_id?: string
  /** Created at this time or later. */
  from?: string | Date
  /** Created at this time or earlier. */
  to?: string | Date
}

/** What reportSellers answers. */
export interface ReportSellersAnswer {
  success: true
  data: SellerResult[]
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ReportSlaQuery {
  /** In this pipeline. */
  pipeline_id?: string
  /** Of this sector. */
  sector_id?: string
  /** Owned by this user. */
  owner_user_id?: string
  /** Created at this time or later. */
  from?: string | Date
  /** Created at this time or earlier. */
  to?: string | Date
}

/** What reportSla answers. */
export interface ReportSlaAnswer {
  success: true
  data: SlaReport
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ListSectorsQuery {
  /** The number of the page, from 1. */
  page?: number
  /** Records in a page, from 1 to 100. */
  limit?: number
  /** The cursor that the page before came with; it goes on after the last record of that page. With the same filters and order only; the number of the page does not count then. */
  cursor?: string
  /** Part of the name, without regard to case and accents. */
  search?: string
}

/** What listSectors answers. */
export interface ListSectorsAnswer {
  success: true
  /** The sectors of the page. */
  data: Sector[]
  /** Where the page stands in the list. */
  pagination: Pagination
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ListTagsQuery {
  /** The number of the page, from 1. */
  page?: number
  /** Records in a page, from 1 to 100. */
  limit?: number
  /** The cursor that the page before came with; it goes on after the last record of that page. With the same filters and order only; the number of the page does not count then. */
  cursor?: string
  /** Part of the name, without regard to case and accents. */
  search?: string
}

/** What listTags answers. */
export interface ListTagsAnswer {
  success: true
  /** The tags of the page. */
  data: Tag[]
  /** Where the page stands in the list. */
  pagination: Pagination
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

export interface ListUsersQuery {
  /** The number of the page, from 1. */
  page?: number
  /** Records in a page, from 1 to 100. */
  limit?: number
  /** The cursor that the page before came with; it goes on after the last record of that page. With the same filters and order only; the number of the page does not count then. */
  cursor?: string
  /** Part of the name or the email, without regard to case and accents. */
  search?: string
}

/** What listUsers answers. */
export interface ListUsersAnswer {
  success: true
  /** The users of the page. */
  data: User[]
  /** Where the page stands in the list. */
  pagination: Pagination
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}
