import { Migration } from '@mikro-orm/migrations'
import { createTally } from '../tally/ddl.js'
import { changed, owned, STAMPS, stampTriggers, wall } from './parts.js'

const pipelines = `
create table pipeline (
  ${owned}
  name varchar(255) not null,
  description text,
  color varchar(32),
  icon varchar(64),
  is_default boolean not null default false,
  is_active boolean not null default true,
  display_order int not null default 0,
  ${STAMPS},
  unique (account_id, id)
);
create unique index pipeline_default_key on pipeline (account_id) where is_default;
create index pipeline_order_idx on pipeline (account_id, display_order, id);
${stampTriggers('pipeline', changed('name description color icon is_default is_active display_order'))}
${wall('pipeline')}

create table stage (
  id uuid primary key,
  account_id uuid not null, -- exists, since the pipeline has it
  pipeline_id uuid not null,
  name varchar(255) not null,
  color varchar(32),
  position int not null,
  is_win_stage boolean not null default false,
  is_loss_stage boolean not null default false,
  -- The timestamp of an opportunity that is set, when still empty, as it enters the stage.
  lifecycle varchar(32) check (lifecycle in
    ('sent', 'accepted', 'qualifying_started', 'qualified', 'scheduled', 'won', 'lost')),
  ${STAMPS},
  unique (account_id, id),
  unique (account_id, pipeline_id, id),
  unique (pipeline_id, position) deferrable initially deferred,
  check (not (is_win_stage and is_loss_stage)),
  foreign key (account_id, pipeline_id) references pipeline (account_id, id) on delete cascade
);
${stampTriggers('stage', changed('name color position is_win_stage is_loss_stage lifecycle'))}
${wall('stage')}

-- Who gets a new opportunity that names no owner: the members take turns. Of one sector, of one pipeline, or, with
-- neither, of the account.
create table round_robin_rule (
  ${owned}
  sector_id uuid,
  pipeline_id uuid,
  is_active boolean not null default true,
  -- How many opportunities the rule has given away.
  turn bigint not null default 0,
  ${STAMPS},
  unique (account_id, id),
  check (sector_id is null or pipeline_id is null),
  foreign key (account_id, sector_id) references sector (account_id, id) on delete cascade,
  foreign key (account_id, pipeline_id) references pipeline (account_id, id) on delete cascade
);
create unique index round_robin_rule_target_key on round_robin_rule
  (account_id, coalesce(sector_id, pipeline_id, account_id));
${stampTriggers('round_robin_rule', changed('is_active'))}
${wall('round_robin_rule')}

create table round_robin_member (
  account_id uuid not null, -- exists, since the rule has it
  rule_id uuid not null,
  user_id uuid not null,
  position int not null,
  primary key (rule_id, user_id),
  foreign key (account_id, rule_id) references round_robin_rule (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references app_user (account_id, id) on delete cascade
);
create index round_robin_member_user_idx on round_robin_member (account_id, user_id);
create index round_robin_member_rule_idx on round_robin_member (account_id, rule_id, position);
${wall('round_robin_member')}
`

const campaigns = `
create table campaign (
  ${owned}
  name varchar(255) not null,
  description text,
  status varchar(16) not null default 'draft' check (status in ('draft', 'active', 'paused', 'completed')),
  channel varchar(32),
  automation_active boolean not null default false,
  sector_id uuid,
  default_responsible_id uuid,
  ${STAMPS},
  deleted_at timestamptz(3),
  unique (account_id, id),
  foreign key (account_id, sector_id) references sector (account_id, id),
  foreign key (account_id, default_responsible_id) references app_user (account_id, id)
);
create index campaign_created_idx on campaign (account_id, created_at, id) where deleted_at is null;
create trigger campaign_stamp_insert before insert on campaign for each row execute function stamp();
create trigger campaign_stamp_update before update on campaign for each row
  when (old.* is distinct from new.*) execute function stamp();
${wall('campaign')}

create table campaign_contact (
  id uuid primary key,
  account_id uuid not null, -- exists, since the campaign has it
  campaign_id uuid not null,
  contact_id uuid not null,
  status varchar(32) not null default 'collected' check (status in ('collected', 'approved', 'rejected',
    'invite_queued', 'invite_sent', 'invite_accepted', 'invite_expired', 'conversation_started', 'conversation_ended')),
  ${STAMPS},
  unique (account_id, id),
  constraint campaign_contact_once unique (campaign_id, contact_id),
  foreign key (account_id, campaign_id) references campaign (account_id, id) on delete cascade,
  foreign key (account_id, contact_id) references contact (account_id, id) on delete cascade
);
create index campaign_contact_contact_idx on campaign_contact (account_id, contact_id);
create index campaign_contact_campaign_idx on campaign_contact (account_id, campaign_id);
create trigger campaign_contact_stamp_insert before insert on campaign_contact
  for each row execute function stamp();
create trigger campaign_contact_stamp_update before update on campaign_contact for each row
  when (old.* is distinct from new.*) execute function stamp();
${wall('campaign_contact')}

-- By what two spellings of a profile's address are compared: host and path, without case, query and trailing slash. A
-- hash of them, since an address can be longer than what an index takes; null where nothing is left.
create function linkedin_key(url text) returns text language sql immutable strict parallel safe
  return md5(nullif(rtrim(regexp_replace(lower(regexp_replace(url, '^[a-z]+://', '', 'i')), '[?#].*$', ''), '/'), ''));
create index contact_linkedin_idx on contact (account_id, linkedin_key(linkedin_profile_url), created_at, id)
  where linkedin_profile_url is not null;
`

// Every account has had its default pipeline and owner since then; those that are older get them here.
const existing = `
insert into pipeline (id, account_id, name, is_default) select gen_random_uuid(), id, 'Sales', true from account;
insert into stage (id, account_id, pipeline_id, name, color, position, is_win_stage, is_loss_stage, lifecycle)
  select gen_random_uuid(), p.account_id, p.id, s.name, s.color, s.position, s.lifecycle = 'won', s.lifecycle = 'lost',
    nullif(s.lifecycle, '')
  from pipeline p, (values ('New', '#64748b', 1, ''), ('Contacted', '#2563eb', 2, 'sent'),
    ('Qualified', '#7c3aed', 3, 'qualified'), ('Proposal', '#d97706', 4, ''), ('Won', '#16a34a', 5, 'won'),
    ('Lost', '#dc2626', 6, 'lost')) s (name, color, position, lifecycle);
insert into app_user (id, account_id, name, email, role)
  select gen_random_uuid(), id, 'Owner', 'owner@' || id || '.invalid', 'owner' from account;
`

export class M0006_pipelines_and_campaigns extends Migration {
  override up(): void {
    this.addSql(pipelines)
    this.addSql(campaigns)
    this.addSql(
      createTally({
        name: 'campaign_contact',
        table: 'campaign_contact',
        dimensions: [{ name: 'campaign_id', type: 'uuid' }],
        sums: [],
      }),
    )
    this.addSql(wall('campaign_contact_tally'))
    this.addSql(existing)
  }

  override down(): void {
    this.addSql('drop index contact_linkedin_idx')
    this.addSql(`drop table campaign_contact_tally, campaign_contact, campaign, round_robin_member, round_robin_rule,
      stage, pipeline`)
    this.addSql(`drop function linkedin_key, campaign_contact_tally_insert, campaign_contact_tally_update,
      campaign_contact_tally_delete`)
  }
}
