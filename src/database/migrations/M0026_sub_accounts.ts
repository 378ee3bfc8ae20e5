import { Migration } from '@mikro-orm/migrations'

// Of agencies and not of accounts: under row-level security, without a policy, no tenant sees them.
const subAccounts = `
create table sub_account (
  id uuid primary key references account on delete cascade,
  agency_id uuid not null references agency on delete cascade,
  status varchar(16) not null check (status in ('provisioning', 'active', 'deleted')),
  name varchar(255) not null,
  slug varchar(255) not null constraint sub_account_slug_key unique,
  external_ref varchar(120),
  admin_id uuid not null,
  linkedin int not null default 0 check (linkedin between 0 and 100),
  whatsapp int not null default 0 check (whatsapp between 0 and 100),
  instagram int not null default 0 check (instagram between 0 and 100),
  email_marketing int not null default 0 check (email_marketing between 0 and 100),
  trial_ends_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3) check ((deleted_at is not null) = (status = 'deleted'))
);
create unique index sub_account_external_ref_key on sub_account (agency_id, external_ref) where status <> 'deleted';
create index sub_account_created_idx on sub_account (agency_id, created_at);
create index sub_account_trial_idx on sub_account (trial_ends_at) where trial_ends_at is not null;
alter table sub_account enable row level security`

const events = `
create sequence agency_event_place;
create table agency_event (
  id uuid primary key,
  agency_id uuid not null references agency on delete cascade,
  action varchar(64) not null,
  status varchar(16) not null check (status in ('pending', 'processing', 'processed', 'failed', 'ignored')),
  attempts int not null default 0 check (attempts between 0 and 5),
  target_account_id uuid,
  place bigint,
  input jsonb,
  key bytea,
  request_hash bytea not null,
  deferred boolean not null default false,
  result jsonb,
  failure jsonb,
  failure_status int,
  error_code varchar(64),
  last_error text,
  due_at timestamptz(3),
  received_at timestamptz(3) not null default now(),
  last_attempt_at timestamptz(3),
  processed_at timestamptz(3)
);
create unique index agency_event_key on agency_event (agency_id, action, key) where key is not null;
create index agency_event_due_idx on agency_event (due_at) where status in ('pending', 'processing');
create index agency_event_target_idx on agency_event (target_account_id, place) where status in ('pending', 'processing');
create index agency_event_agency_idx on agency_event (agency_id, received_at, id);
alter table agency_event enable row level security`

export class M0026_sub_accounts extends Migration {
  override up(): void {
    for (const sql of [subAccounts, events]) this.addSql(sql)
  }

  override down(): void {
    this.addSql('drop table agency_event; drop sequence agency_event_place; drop table sub_account')
  }
}
