import { Migration } from '@mikro-orm/migrations'
import { createTally } from '../tally/ddl.js'
import { changed, owned, STAMPS, stampTriggers, wall } from './parts.js'

const opportunities = `
create table opportunity (
  ${owned}
  title varchar(255) not null,
  value numeric(14, 2) not null default 0,
  currency char(3) not null,
  probability smallint check (probability between 0 and 100),
  expected_close_date date,
  pipeline_id uuid not null,
  stage_id uuid not null,
  campaign_id uuid,
  owner_user_id uuid,
  sector_id uuid,
  discard_reason_id uuid,
  contact_id uuid,
  score int not null default 0,
  source varchar(32) not null default 'other',
  notes text,
  sent_at timestamptz(3),
  accepted_at timestamptz(3),
  qualifying_started_at timestamptz(3),
  qualified_at timestamptz(3),
  scheduled_at timestamptz(3),
  won_at timestamptz(3),
  lost_at timestamptz(3),
  loss_reason text,
  discarded_at timestamptz(3),
  ${STAMPS},
  -- Copies of the contact's, so that a list and a search read one table; triggers keep them.
  contact_name varchar(255),
  contact_company varchar(255),
  contact_email varchar(320),
  contact_phone varchar(40),
  contact_title varchar(255),
  contact_location varchar(255),
  contact_profile_url varchar(2048),
  contact_profile_picture varchar(2048),
  title_key text collate "C" not null generated always as (left(fold(title), 300)) stored,
  folded text not null generated always as
    (fold(title || chr(1) || coalesce(contact_name, '') || chr(1) || coalesce(contact_company, ''))) stored,
  -- Lost beats won; what is neither is open.
  outcome text collate "C" not null generated always as (case when lost_at is not null or discarded_at is not null
    then 'lost' when won_at is not null then 'won' else 'open' end) stored,
  unique (account_id, id),
  foreign key (account_id, pipeline_id, stage_id) references stage (account_id, pipeline_id, id),
  foreign key (account_id, campaign_id) references campaign (account_id, id),
  foreign key (account_id, owner_user_id) references app_user (account_id, id),
  foreign key (account_id, sector_id) references sector (account_id, id),
  foreign key (account_id, discard_reason_id) references discard_reason (account_id, id),
  foreign key (account_id, contact_id) references contact (account_id, id)
);
create index opportunity_created_idx on opportunity (account_id, created_at, id);
create index opportunity_updated_idx on opportunity (account_id, updated_at, id);
create index opportunity_title_idx on opportunity (account_id, title_key, id);
create index opportunity_value_idx on opportunity (account_id, value, id);
create index opportunity_stage_idx on opportunity (account_id, stage_id, created_at, id);
create index opportunity_pipeline_idx on opportunity (account_id, pipeline_id, created_at, id);
create index opportunity_owner_idx on opportunity (account_id, owner_user_id, created_at, id);
create index opportunity_campaign_idx on opportunity (account_id, campaign_id, created_at, id)
  where campaign_id is not null;
create index opportunity_contact_idx on opportunity (account_id, contact_id) where contact_id is not null;
create index opportunity_search_idx on opportunity using gin (account_id, folded gin_trgm_ops);
${stampTriggers(
  'opportunity',
  changed(`title value currency probability expected_close_date pipeline_id stage_id campaign_id owner_user_id sector_id
    discard_reason_id contact_id score source notes sent_at accepted_at qualifying_started_at qualified_at scheduled_at
    won_at lost_at loss_reason discarded_at contact_name contact_company contact_email contact_phone contact_title
    contact_location contact_profile_url contact_profile_picture`),
)}

-- The lock makes a change of the contact that runs beside wait, so that one of the two sees the other.
create function opportunity_copy_contact() returns trigger language plpgsql as $$
declare c contact; begin
  if new.contact_id is not null then
    select * into c from contact where account_id = new.account_id and id = new.contact_id for share;
  end if;
  new.contact_name := c.name;
  new.contact_company := c.company;
  new.contact_email := c.email;
  new.contact_phone := c.phone;
  new.contact_title := c.title;
  new.contact_location := c.location;
  new.contact_profile_url := c.linkedin_profile_url;
  new.contact_profile_picture := c.profile_picture;
  return new; end $$;
create trigger opportunity_contact_insert before insert on opportunity for each row
  execute function opportunity_copy_contact();
create trigger opportunity_contact_update before update of contact_id on opportunity for each row
  when (old.contact_id is distinct from new.contact_id) execute function opportunity_copy_contact();

-- What an opportunity shows of its contact has changed, so the opportunity has.
create function contact_opportunities_follow() returns trigger language plpgsql as $$ begin
  update opportunity set contact_name = new.name, contact_company = new.company, contact_email = new.email,
    contact_phone = new.phone, contact_title = new.title, contact_location = new.location,
    contact_profile_url = new.linkedin_profile_url, contact_profile_picture = new.profile_picture,
    updated_at = clock_timestamp()
  where account_id = new.account_id and contact_id = new.id;
  return null; end $$;
create trigger contact_opportunities_follow after update on contact for each row
  when (${changed('name email phone company title location linkedin_profile_url profile_picture')})
  execute function contact_opportunities_follow();
${wall('opportunity')}

create table opportunity_product (
  id uuid primary key,
  account_id uuid not null, -- exists, since the opportunity has it
  opportunity_id uuid not null,
  product_id uuid,
  name varchar(255) not null, -- as it was called when it was added
  quantity numeric(12, 3) not null default 1 check (quantity > 0),
  unit_price numeric(14, 2) not null check (unit_price >= 0),
  discount_percent numeric(5, 2) check (discount_percent between 0 and 100),
  discount_value numeric(14, 2) check (discount_value >= 0),
  -- The percentage comes off first, then the value.
  total_price numeric(14, 2) not null generated always as (greatest(0,
    round(quantity * unit_price * (1 - coalesce(discount_percent, 0) / 100) - coalesce(discount_value, 0), 2))) stored,
  created_at timestamptz(3) not null default clock_timestamp(),
  unique (account_id, id),
  foreign key (account_id, opportunity_id) references opportunity (account_id, id) on delete cascade,
  -- Looked at last: when an account is deleted, its products go before the lines of its opportunities do.
  foreign key (account_id, product_id) references product (account_id, id) deferrable initially deferred
);
create index opportunity_product_opportunity_idx on opportunity_product (account_id, opportunity_id, created_at, id);
${wall('opportunity_product')}

create table opportunity_comment (
  id uuid primary key,
  account_id uuid not null, -- exists, since the opportunity has it
  opportunity_id uuid not null,
  content text not null,
  user_name varchar(255), -- as the author was called
  created_at timestamptz(3) not null default clock_timestamp(),
  unique (account_id, id),
  foreign key (account_id, opportunity_id) references opportunity (account_id, id) on delete cascade
);
create index opportunity_comment_opportunity_idx on opportunity_comment (account_id, opportunity_id, created_at, id);
${wall('opportunity_comment')}

-- Names are kept as they were: stages and users may be renamed and go.
create table opportunity_history (
  id uuid primary key,
  account_id uuid not null, -- exists, since the opportunity has it
  opportunity_id uuid not null,
  action varchar(32) not null check (action in ('created', 'stage_changed', 'value_changed')),
  from_stage_id uuid,
  from_stage_name varchar(255),
  to_stage_id uuid,
  to_stage_name varchar(255),
  from_value numeric(14, 2),
  to_value numeric(14, 2),
  notes text,
  user_name varchar(255),
  created_at timestamptz(3) not null default clock_timestamp(),
  unique (account_id, id),
  foreign key (account_id, opportunity_id) references opportunity (account_id, id) on delete cascade
);
create index opportunity_history_opportunity_idx on opportunity_history (account_id, opportunity_id, created_at, id);
${wall('opportunity_history')}
`

export class M0007_opportunities extends Migration {
  override up(): void {
    this.addSql(opportunities)
    this.addSql(
      createTally({
        name: 'opportunity',
        table: 'opportunity',
        dimensions: [
          { name: 'pipeline_id', type: 'uuid' },
          { name: 'stage_id', type: 'uuid' },
          { name: 'sector_id', type: 'uuid' },
          { name: 'outcome', type: 'text' },
        ],
        sums: [{ name: 'value', type: 'numeric' }],
      }),
    )
    this.addSql(wall('opportunity_tally'))
  }

  override down(): void {
    this.addSql('drop trigger contact_opportunities_follow on contact')
    this.addSql(
      'drop table opportunity_tally, opportunity_history, opportunity_comment, opportunity_product, opportunity',
    )
    this.addSql(`drop function contact_opportunities_follow, opportunity_copy_contact,
      opportunity_tally_insert, opportunity_tally_update, opportunity_tally_delete`)
  }
}
