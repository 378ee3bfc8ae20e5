import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ExtractedContacts } from '../../kit/extracted-contacts.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

/** What a collection agent is doing. */
export enum InstagramAgentStatus {
  ACTIVE = 'active',
  PAUSED = 'paused',
  COMPLETED = 'completed',
  ERROR = 'error',
}
registerEnumType(InstagramAgentStatus, {
  name: 'InstagramAgentStatus',
  description: 'What a collection agent is doing.',
  valuesConfig: {
    ACTIVE: { description: 'It looks for profiles.' },
    PAUSED: { description: 'It was stopped for a time.' },
    COMPLETED: { description: 'It is done.' },
    ERROR: { description: 'It cannot go on.' },
  },
})

@ObjectType({ description: 'A search for profiles on Instagram.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('instagram_agents:read')
export class InstagramAgent {
  @Field(() => ID, { description: 'The unique id of the agent.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'The name.' })
  @Property({ type: 'string', length: 255 })
  @Example('Architects in Rio')
  name!: string

  @Field(() => String, { nullable: true, description: 'What the agent is for.' })
  @Property({ type: 'text', nullable: true })
  @Example('Studios with more than five people.')
  description?: string | null

  @Field(() => String, { nullable: true, description: 'What it looks for.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('architecture')
  searchNiche?: string | null

  @Field(() => String, { nullable: true, description: 'Where it looks.' })
  @Property({ type: 'string', length: 255, nullable: true })
  @Example('Rio de Janeiro')
  searchLocation?: string | null

  @Field(() => InstagramAgentStatus, { description: 'What it is doing.' })
  @Property({ type: 'string', length: 16, default: InstagramAgentStatus.ACTIVE })
  status: InstagramAgentStatus & Opt = InstagramAgentStatus.ACTIVE

  @Field(() => Int, { description: 'How many profiles it holds.' })
  @Property({ type: 'integer', default: 0 })
  @Example(12)
  totalProfilesFound: number & Opt = 0

  @Field(() => Int, { nullable: true, description: 'How many profiles it takes at most; null when there is no limit.' })
  @Property({ type: 'integer', nullable: true })
  @Example(500)
  totalLimit?: number | null

  @Field(() => DateTime, { description: 'When the agent was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the agent last changed; how many profiles it holds does not count.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}

@ObjectType({ description: 'A profile that was found on Instagram.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('instagram_agents:read')
export class InstagramProfile {
  @Field(() => ID, { description: 'The unique id of the profile.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @Property({ type: 'uuid' })
  accountId!: string

  @ManyToOne(() => InstagramAgent, { mapToPk: true, fieldName: 'agent_id', deleteRule: 'cascade' })
  agentId!: string

  @Field(() => String, { description: 'The name of the profile, in lower case and without @; unique in the agent.' })
  @Property({ type: 'string', length: 255 })
  @Example('atelier.rio')
  username!: string

  @Field(() => String, { description: 'The name that the profile shows.' })
  @Property({ type: 'string', length: 255 })
  @Example('Atelier Rio')
  displayName!: string

  @Field(() => String, { description: 'The address of the profile.' })
  @Property({ type: 'string', length: 2048 })
  @Example('https://www.instagram.com/atelier.rio/')
  profileUrl!: string

  @Field(() => String, { description: 'What the profile says of itself; empty when nothing is known.' })
  @Property({ type: 'text' })
  @Example('Architecture and interiors.')
  bio!: string

  @Field(() => Int, { nullable: true, description: 'How many follow it.' })
  @Property({ type: 'integer', nullable: true })
  @Example(5400)
  followersCount?: number | null

  @Field(() => Int, { nullable: true, description: 'How many it follows.' })
  @Property({ type: 'integer', nullable: true })
  @Example(310)
  followingCount?: number | null

  @Field(() => Int, { nullable: true, description: 'How many posts it has.' })
  @Property({ type: 'integer', nullable: true })
  @Example(220)
  postsCount?: number | null

  @Field(() => String, { description: 'The address that the profile links to; empty when there is none.' })
  @Property({ type: 'string', length: 2048 })
  @Example('https://atelier-rio.example')
  externalUrl!: string

  @Field(() => ExtractedContacts, { description: 'Addresses and numbers found in the profile.' })
  @Property({ type: 'json' })
  extractedContacts!: ExtractedContacts

  @Field(() => String, { description: 'Who added it: `api`, or the collection itself.' })
  @Property({ type: 'string', length: 255, default: 'api' })
  @Example('api')
  source: string & Opt = 'api'

  @Field(() => DateTime, { description: 'When it was added.' })
  @Property({ ...timestamp, defaultRaw: 'clock_timestamp()' })
  addedAt!: Date & Opt
}
