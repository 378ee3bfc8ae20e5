import type { EntityClass } from '@mikro-orm/postgresql'
import type { NonEmptyArray } from 'type-graphql'
import type { Tally } from '../database/index.js'
import { Account, ApiKey, SessionResolver, User, UserResolver } from './accounts/index.js'
import {
  Campaign,
  CampaignContact,
  CampaignContactResolver,
  CampaignResolver,
  campaignContactTally,
} from './campaigns/index.js'
import {
  Contact,
  ContactActivityResolver,
  ContactNote,
  ContactResolver,
  ContactTag,
  ContactTouch,
  contactTally,
} from './contacts/index.js'
import {
  AiAgent,
  Conversation,
  ConversationRelationsResolver,
  ConversationResolver,
  conversationTally,
  Message,
} from './conversations/index.js'
import { InstagramAgent, InstagramAgentResolver, InstagramProfile } from './instagram-agents/index.js'
import {
  Opportunity,
  OpportunityComment,
  OpportunityHistory,
  OpportunityPartsResolver,
  OpportunityProduct,
  OpportunityRelationsResolver,
  OpportunityResolver,
  opportunityDayTally,
  opportunityMonthTally,
  opportunityOwnerTally,
  opportunityTally,
} from './opportunities/index.js'
import {
  Pipeline,
  PipelineResolver,
  RoundRobinMember,
  RoundRobinResolver,
  RoundRobinRule,
  Stage,
  StageResolver,
} from './pipelines/index.js'
import {
  DiscardReason,
  DiscardReasonResolver,
  Product,
  ProductResolver,
  Sector,
  SectorResolver,
  Tag,
  TagResolver,
} from './reference/index.js'
import { ReportResolver } from './reports/index.js'

/** Every entity of the product. */
export const entities: EntityClass<unknown>[] = [
  Account,
  ApiKey,
  User,
  Sector,
  DiscardReason,
  Product,
  Tag,
  Contact,
  ContactTag,
  ContactNote,
  ContactTouch,
  Pipeline,
  Stage,
  RoundRobinRule,
  RoundRobinMember,
  Campaign,
  CampaignContact,
  Opportunity,
  OpportunityProduct,
  OpportunityComment,
  OpportunityHistory,
  AiAgent,
  Conversation,
  Message,
  InstagramAgent,
  InstagramProfile,
]

/** Every tally of the product. */
export const tallies: readonly Tally[] = [
  contactTally,
  campaignContactTally,
  opportunityTally,
  opportunityOwnerTally,
  opportunityDayTally,
  opportunityMonthTally,
  conversationTally,
]

/** Every resolver of the product. */
// biome-ignore lint/complexity/noBannedTypes: the type that type-graphql takes
export const resolvers: NonEmptyArray<Function> = [
  SessionResolver,
  ContactResolver,
  ContactActivityResolver,
  TagResolver,
  SectorResolver,
  DiscardReasonResolver,
  ProductResolver,
  UserResolver,
  PipelineResolver,
  StageResolver,
  RoundRobinResolver,
  CampaignResolver,
  CampaignContactResolver,
  InstagramAgentResolver,
  OpportunityResolver,
  OpportunityRelationsResolver,
  OpportunityPartsResolver,
  ReportResolver,
  ConversationResolver,
  ConversationRelationsResolver,
]
