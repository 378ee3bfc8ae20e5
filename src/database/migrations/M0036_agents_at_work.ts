import { Migration } from '@mikro-orm/migrations'
import { changed, NAME_KEY, owned, STAMPS, stampTriggers, wall } from './parts.js'

// Credentials are sealed with the service's ENCRYPTION_KEY. Whose a number is must be clear in the whole service: what
// comes in says nothing but the number.
const channels = `
create table channel_account (
  ${owned}
  name varchar(255) not null,
  ${NAME_KEY},
  kind varchar(16) not null check (kind in ('whatsapp', 'instagram', 'linkedin')),
  external_id varchar(128) not null,
  address varchar(255),
  portfolio_id varchar(128),
  status varchar(16) not null check (status in ('connected', 'disconnected')),
  credentials bytea check ((credentials is not null) = (status = 'connected')),
  connected_at timestamptz(3),
  disconnected_at timestamptz(3),
  ${STAMPS},
  unique (account_id, id),
  constraint channel_account_key unique (account_id, kind, external_id)
);
create unique index channel_account_connected_key on channel_account (kind, external_id) where status = 'connected';
create index channel_account_name_idx on channel_account (account_id, name_key, id);
${stampTriggers(
  'channel_account',
  changed('name kind external_id address portfolio_id status credentials connected_at disconnected_at'),
)}
-- How many a sub-account's agency has paid for: tenants do not see the tables of agencies. Null where there is no limit.
create function channel_limit(account uuid, kind text) returns int language sql stable security definer
  set search_path = pg_catalog, public as $$
  select case when status <> 'active' then 0 when kind = 'whatsapp' then whatsapp when kind = 'instagram' then instagram
    else linkedin end from sub_account where id = account $$`

const agents = `
drop trigger ai_agent_stamp_insert on ai_agent;
drop trigger ai_agent_stamp_update on ai_agent;
alter table ai_agent add status varchar(16) not null default 'active' check (status in ('active', 'paused'));
update ai_agent set status = 'paused' where not is_active;
alter table ai_agent drop is_active;
alter table ai_agent
  add is_active boolean not null generated always as (status = 'active') stored,
  add ${NAME_KEY},
  add channel_account_id uuid,
  add persona text,
  add opening text,
  add opening_template jsonb,
  add scripts jsonb not null default '[]',
  add fallback text,
  add criteria jsonb not null default '[]',
  add deleted_at timestamptz(3),
  add foreign key (account_id, channel_account_id) references channel_account (account_id, id);
create index ai_agent_name_idx on ai_agent (account_id, name_key, id) where deleted_at is null;
${stampTriggers(
  'ai_agent',
  changed('name type status channel_account_id persona opening opening_template scripts fallback criteria deleted_at'),
)}

create table knowledge_article (
  ${owned}
  ai_agent_id uuid not null,
  name varchar(255) not null,
  ${NAME_KEY},
  content text not null check (length(content) <= 20000),
  language regconfig not null,
  -- With the words as the language bends them, and as they stand, without accents.
  words tsvector not null generated always as (
    setweight(to_tsvector(language, name), 'A') || setweight(to_tsvector('simple', fold(name)), 'A')
    || to_tsvector(language, content) || to_tsvector('simple', fold(content))) stored,
  ${STAMPS},
  unique (account_id, id),
  foreign key (account_id, ai_agent_id) references ai_agent (account_id, id) on delete cascade
);
create index knowledge_article_name_idx on knowledge_article (account_id, name_key, id);
create index knowledge_article_agent_idx on knowledge_article (account_id, ai_agent_id, name_key, id);
${stampTriggers('knowledge_article', changed('ai_agent_id name content language'))}

drop trigger pipeline_stamp_insert on pipeline;
drop trigger pipeline_stamp_update on pipeline;
alter table pipeline add entry_agent_id uuid,
  add foreign key (account_id, entry_agent_id) references ai_agent (account_id, id);
${stampTriggers('pipeline', changed('name description color icon is_default is_active display_order entry_agent_id'))}`

// Brazil's mobile numbers got a ninth digit, and some services still tell them without: both are one number. Landlines
// begin with 2 to 5 and never had one.
const phones = `
create function phone_key(digits text) returns text language sql immutable strict parallel safe as $$
  select case when digits ~ '^55[1-9][0-9][6-9][0-9]{7}$' then left(digits, 4) || '9' || substr(digits, 5) else digits end $$;
create index contact_phone_key_idx on contact (account_id, phone_key(phone_digits)) where phone_digits is not null`

// last_message_at, too, is taken after the lock that comes before the clock: lists are kept up to date by it. 'infinity'
// means "now". The trigger runs after the one that stamps, in the order of their names.
const conversations = `
create function stamp_message() returns trigger language plpgsql as $$ begin
  new.last_message_at := new.updated_at;
  return new; end $$;
alter table conversation
  add channel_account_id uuid,
  add group_id varchar(255),
  add last_inbound_at timestamptz(3),
  add foreign key (account_id, channel_account_id) references channel_account (account_id, id);
create trigger conversation_stamp_z_insert before insert on conversation for each row
  when (new.last_message_at = 'infinity') execute function stamp_message();
create trigger conversation_stamp_z_update before update on conversation for each row
  when (new.last_message_at = 'infinity') execute function stamp_message();
create unique index conversation_person_key on conversation (account_id, channel_account_id, contact_id)
  where channel_account_id is not null and contact_id is not null and group_id is null;
create unique index conversation_group_key on conversation (account_id, channel_account_id, group_id)
  where group_id is not null;

-- The provider's ids may hold a phone number: what is known by them stays as an HMAC.
alter table message
  add kind varchar(16) not null default 'text',
  add status varchar(16) check (status in ('queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'unknown')),
  add error text,
  add user_id uuid,
  add ai_agent_id uuid,
  add author_name varchar(255),
  add channel_account_id uuid,
  add provider_id text,
  add provider_key bytea,
  add refers_to text,
  add template jsonb,
  add attempts int not null default 0,
  add due_at timestamptz(3),
  add delivered_at timestamptz(3),
  add check ((due_at is not null) = coalesce(status in ('queued', 'sending'), false)),
  add foreign key (account_id, user_id) references app_user (account_id, id),
  add foreign key (account_id, ai_agent_id) references ai_agent (account_id, id),
  add foreign key (account_id, channel_account_id) references channel_account (account_id, id);
create unique index message_provider_key on message (account_id, channel_account_id, provider_key)
  where provider_key is not null;
create index message_due_idx on message (due_at) where due_at is not null;
create index message_waiting_idx on message (account_id, conversation_id, sent_at, id) where due_at is not null;

create table conversation_note (
  ${owned}
  conversation_id uuid not null,
  user_id uuid,
  content text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  unique (account_id, id),
  foreign key (account_id, conversation_id) references conversation (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references app_user (account_id, id)
);
create index conversation_note_idx on conversation_note (account_id, conversation_id, created_at, id);
${wall('conversation_note')}

-- A user id means somebody within the business portfolio of the number alone.
create table channel_identity (
  ${owned}
  contact_id uuid not null,
  kind varchar(16) not null,
  portfolio_id varchar(128) not null,
  user_id varchar(255) not null,
  unique (account_id, id),
  constraint channel_identity_key unique (account_id, kind, portfolio_id, user_id),
  foreign key (account_id, contact_id) references contact (account_id, id) on delete cascade
);
create index channel_identity_contact_idx on channel_identity (account_id, contact_id);
${wall('channel_identity')}

-- What was told of messages before it was known which they are.
create table message_receipt (
  ${owned}
  channel_account_id uuid not null,
  provider_key bytea not null,
  status varchar(16) not null check (status in ('sent', 'delivered', 'read', 'failed')),
  at timestamptz(3) not null,
  reason text,
  created_at timestamptz(3) not null default now(),
  constraint message_receipt_key unique (account_id, channel_account_id, provider_key, status),
  foreign key (account_id, channel_account_id) references channel_account (account_id, id) on delete cascade
);
create index message_receipt_created_idx on message_receipt (created_at);
${wall('message_receipt')}`

const runs = `
create table agent_run (
  ${owned}
  conversation_id uuid not null,
  ai_agent_id uuid not null,
  kind varchar(16) not null check (kind in ('opening', 'reply')),
  state varchar(16) not null check (state in ('due', 'done', 'dropped', 'failed')),
  message_id uuid,
  attempts int not null default 0,
  due_at timestamptz(3) check ((due_at is not null) = (state = 'due')),
  error text,
  created_at timestamptz(3) not null default clock_timestamp(),
  unique (account_id, id),
  foreign key (account_id, conversation_id) references conversation (account_id, id) on delete cascade,
  foreign key (account_id, ai_agent_id) references ai_agent (account_id, id),
  foreign key (account_id, message_id) references message (account_id, id)
);
create index agent_run_due_idx on agent_run (due_at) where due_at is not null;
create unique index agent_run_waiting_key on agent_run (account_id, conversation_id, kind) where due_at is not null;
create index agent_run_conversation_idx on agent_run (account_id, conversation_id, created_at);
${wall('agent_run')}`

export class M0036_agents_at_work extends Migration {
  override up(): void {
    for (const sql of [channels, agents, phones, conversations, runs]) this.addSql(sql)
    for (const table of ['channel_account', 'knowledge_article']) this.addSql(wall(table))
  }

  override down(): void {
    this.addSql('drop table agent_run, message_receipt, channel_identity, conversation_note, knowledge_article')
    this.addSql(`drop trigger conversation_stamp_z_insert on conversation;
drop trigger conversation_stamp_z_update on conversation;
drop function stamp_message;
alter table message drop kind, drop status, drop error, drop user_id, drop ai_agent_id, drop author_name,
  drop channel_account_id, drop provider_id, drop provider_key, drop refers_to, drop template, drop attempts,
  drop due_at, drop delivered_at;
alter table conversation drop channel_account_id, drop group_id, drop last_inbound_at;
drop index contact_phone_key_idx;
drop function phone_key;
drop trigger pipeline_stamp_insert on pipeline;
drop trigger pipeline_stamp_update on pipeline;
alter table pipeline drop entry_agent_id;
${stampTriggers('pipeline', changed('name description color icon is_default is_active display_order'))}
drop trigger ai_agent_stamp_insert on ai_agent;
drop trigger ai_agent_stamp_update on ai_agent;
alter table ai_agent add was_active boolean not null default true;
update ai_agent set was_active = is_active;
alter table ai_agent drop is_active, drop status, drop name_key, drop channel_account_id, drop persona, drop opening,
  drop opening_template, drop scripts, drop fallback, drop criteria, drop deleted_at;
alter table ai_agent rename was_active to is_active;
create trigger ai_agent_stamp_insert before insert on ai_agent for each row execute function stamp();
create trigger ai_agent_stamp_update before update on ai_agent for each row
  when (old.* is distinct from new.*) execute function stamp();
drop table channel_account;
drop function channel_limit`)
  }
}
