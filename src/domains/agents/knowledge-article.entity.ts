import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'
import { AiAgent } from './ai-agent.entity.js'

/** Something that an agent knows, and finds by its words. */
@Entity()
@TenantOwned()
export class KnowledgeArticle {
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @ManyToOne(() => AiAgent, { mapToPk: true, fieldName: 'ai_agent_id', deleteRule: 'cascade' })
  aiAgentId!: string

  @Property({ type: 'string', length: 255 })
  name!: string

  @Property({ type: 'text' })
  content!: string

  /** The configuration of PostgreSQL's full text search that knows its language. */
  @Property({ type: 'string', columnType: 'regconfig' })
  language!: string

  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}
