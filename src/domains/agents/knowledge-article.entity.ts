import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { AiAgent } from './ai-agent.entity.js'

@ObjectType({ description: 'Something that an agent knows, and finds by its words.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('knowledge:read')
export class KnowledgeArticle {
  @Field(() => ID, { description: 'The unique id of the article.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => ID, { description: 'The id of the agent that knows it.' })
  @ManyToOne(() => AiAgent, { mapToPk: true, fieldName: 'ai_agent_id', deleteRule: 'cascade' })
  aiAgentId!: string

  @Field(() => String, { description: 'The title.' })
  @Property({ type: 'string', length: 255 })
  name!: string

  @Field(() => String, { description: 'The text.' })
  @Property({ type: 'text' })
  content!: string

  /** The configuration of PostgreSQL's full text search that knows its language. */
  @Property({ type: 'string', columnType: 'regconfig' })
  language!: string

  @Field(() => DateTime, { description: 'When it was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When it last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}
