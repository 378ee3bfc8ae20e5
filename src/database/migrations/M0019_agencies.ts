import { Migration } from '@mikro-orm/migrations'

// Agencies stand beside the accounts. Under row level security, without a policy, no tenant sees anything of theirs.
const agencies = `
create table agency (
  id uuid primary key,
  name varchar(255) not null,
  agency_key varchar(64) not null unique,
  seat_price_cents int not null check (seat_price_cents >= 0),
  currency char(3) not null,
  anchor timestamptz(0) not null,
  billable_channels text[] not null,
  billing_customer varchar(255),
  payment_method varchar(255),
  is_demo boolean not null default false,
  created_at timestamptz(3) not null default now()
);
create unique index agency_demo_key on agency (is_demo) where is_demo;
alter table agency enable row level security;

create table agency_token (
  id uuid primary key,
  agency_id uuid not null references agency on delete cascade,
  prefix varchar(32) not null,
  hash bytea not null,
  scopes text[] not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  unique (agency_id, id)
);
create unique index agency_token_hash_key on agency_token (hash);
alter table agency_token enable row level security;`

export class M0019_agencies extends Migration {
  override up(): void {
    this.addSql(agencies)
  }

  override down(): void {
    this.addSql('drop table agency_token, agency')
  }
}
