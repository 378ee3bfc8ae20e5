import { Migration } from '@mikro-orm/migrations'
import { createTally } from '../tally/ddl.js'
import { owned, STAMPS, wall } from './parts.js'

const stamped = (table: string) => `
create trigger ${table}_stamp_insert before insert on ${table} for each row execute function stamp();
create trigger ${table}_stamp_update before update on ${table} for each row
  when (old.* is distinct from new.*) execute function stamp();`

const conversations = `
create table ai_agent (
  ${owned}
  name varchar(255) not null,
  type varchar(32) not null,
  is_active boolean not null default true,
  ${STAMPS},
  unique (account_id, id)
);
${stamped('ai_agent')}
${wall('ai_agent')}

create table conversation (
  ${owned}
  status varchar(16) not null default 'active' check (status in ('active', 'manual', 'closed')),
  channel varchar(32) not null,
  is_group boolean not null default false,
  group_name varchar(255),
  contact_id uuid,
  opportunity_id uuid,
  campaign_id uuid,
  ai_agent_id uuid,
  assigned_user_id uuid,
  sector_id uuid,
  qualification_score int,
  qualification_stage varchar(255),
  qualification_reasons jsonb,
  objections_history jsonb,
  last_message_at timestamptz(3),
  ${STAMPS},
  unique (account_id, id),
  foreign key (account_id, contact_id) references contact (account_id, id),
  foreign key (account_id, opportunity_id) references opportunity (account_id, id),
  foreign key (account_id, campaign_id) references campaign (account_id, id),
  foreign key (account_id, ai_agent_id) references ai_agent (account_id, id),
  foreign key (account_id, assigned_user_id) references app_user (account_id, id),
  foreign key (account_id, sector_id) references sector (account_id, id)
);
create index conversation_created_idx on conversation (account_id, created_at, id);
create index conversation_updated_idx on conversation (account_id, updated_at, id);
create index conversation_last_message_idx on conversation (account_id, last_message_at, id);
create index conversation_status_idx on conversation (account_id, status, created_at, id);
create index conversation_contact_idx on conversation (account_id, contact_id) where contact_id is not null;
create index conversation_opportunity_idx on conversation (account_id, opportunity_id)
  where opportunity_id is not null;
${stamped('conversation')}
${wall('conversation')}

create table message (
  id uuid primary key,
  account_id uuid not null, -- exists, since the conversation has it
  conversation_id uuid not null,
  sender_type varchar(8) not null check (sender_type in ('lead', 'ai', 'user')),
  content text not null,
  channel varchar(32) not null,
  sent_at timestamptz(3) not null,
  read_at timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp(),
  unique (account_id, id),
  foreign key (account_id, conversation_id) references conversation (account_id, id) on delete cascade
);
create index message_conversation_idx on message (account_id, conversation_id, sent_at, id);
${wall('message')}
`

const collection = `
create table instagram_agent (
  ${owned}
  name varchar(255) not null,
  description text,
  search_niche varchar(255),
  search_location varchar(255),
  status varchar(16) not null default 'active' check (status in ('active', 'paused', 'completed', 'error')),
  total_profiles_found int not null default 0,
  -- How many profiles the agent takes at most; null when there is no limit.
  total_limit int check (total_limit > 0),
  ${STAMPS},
  unique (account_id, id)
);
create index instagram_agent_created_idx on instagram_agent (account_id, created_at, id);
${stamped('instagram_agent')}
${wall('instagram_agent')}

create table instagram_profile (
  id uuid primary key,
  account_id uuid not null, -- exists, since the agent has it
  agent_id uuid not null,
  username varchar(255) not null, -- without @, lower case
  display_name varchar(255) not null,
  profile_url varchar(2048) not null,
  bio text not null default '',
  followers_count int,
  following_count int,
  posts_count int,
  external_url varchar(2048) not null default '',
  extracted_contacts jsonb not null,
  source varchar(255) not null default 'api',
  added_at timestamptz(3) not null default clock_timestamp(),
  unique (account_id, id),
  constraint instagram_profile_once unique (agent_id, username),
  foreign key (account_id, agent_id) references instagram_agent (account_id, id) on delete cascade
);
create index instagram_profile_agent_idx on instagram_profile (account_id, agent_id, added_at, id);
${wall('instagram_profile')}
`

export class M0008_conversations_and_agents extends Migration {
  override up(): void {
    this.addSql(conversations)
    this.addSql(createTally({ name: 'conversation', table: 'conversation', dimensions: [], sums: [] }))
    this.addSql(wall('conversation_tally'))
    this.addSql(collection)
  }

  override down(): void {
    this.addSql('drop table instagram_profile, instagram_agent, message, conversation_tally, conversation, ai_agent')
    this.addSql('drop function conversation_tally_insert, conversation_tally_delete')
  }
}
