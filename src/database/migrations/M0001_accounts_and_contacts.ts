import { Migration } from '@mikro-orm/migrations'

/** Text as it is compared in searches, filters and sorts: without case and accents. */
const functions = `
create extension if not exists pg_trgm;
create extension if not exists unaccent;
create extension if not exists btree_gin;

create function immutable_unaccent(t text) returns text language sql immutable strict parallel safe
  return public.unaccent('public.unaccent'::regdictionary, t);

-- Beside unaccent, which knows Latin letters, the marks of other scripts are taken off, compatibility forms (ﬁ, full
-- width) become plain, and the two small sigmas are one.
create function fold(t text) returns text language sql immutable strict parallel safe
  return replace(lower(regexp_replace(normalize(immutable_unaccent(t), NFKD), '[\u0300-\u036f]+', '', 'g')), 'ς', 'σ');

-- '%term%' for LIKE, folded, with the term's own wildcards taken literally. Folding comes first: it can yield a wildcard,
-- and nothing: then nothing matches.
create function like_pattern(t text) returns text language sql immutable strict parallel safe
  return '%' || replace(replace(replace(nullif(fold(t), ''), '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '%';

-- The lock comes before the clock: a reader that takes the oldest holder's start as its horizon misses no row (see
-- sync_horizon). 'infinity' is the default of created_at and means "now".
create function stamp() returns trigger language plpgsql as $$ begin
  perform pg_advisory_xact_lock_shared(4711, hashtext(new.account_id::text));
  new.updated_at := date_trunc('milliseconds', clock_timestamp());
  if new.created_at = 'infinity' then new.created_at := new.updated_at; end if;
  return new; end $$;
`

const accounts = `
create table account (
  id uuid primary key,
  name varchar(255) not null,
  country char(2) not null default 'BR',
  currency char(3) not null default 'BRL',
  is_demo boolean not null default false,
  created_at timestamptz(3) not null default now()
);
create unique index account_demo_key on account (is_demo) where is_demo;

create table api_key (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  name varchar(255) not null,
  prefix varchar(32) not null,
  hash bytea not null,
  permissions text[] not null,
  rate_limit int not null default 1000 check (rate_limit > 0),
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  unique (account_id, id)
);
create unique index api_key_hash_key on api_key (hash);
`

// A trigger's condition cannot compare whole rows where a table has generated columns. Setting updated_at itself counts
// as a change: that is how a contact whose tags changed is touched.
const row = (version: string) =>
  `name email phone company title location linkedin_profile_url headline about profile_picture extracted_contacts source
    source_channel custom_fields last_interaction updated_at`
    .split(/\s+/)
    .map((column) => `${version}.${column}`)
    .join()

const contacts = `
create table tag (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  name varchar(255) not null,
  color varchar(32) not null,
  created_at timestamptz(3) not null default now(),
  name_key text collate "C" not null generated always as (left(fold(name), 300)) stored,
  unique (account_id, id)
);
create index tag_name_idx on tag (account_id, name_key, id);
create unique index tag_unique_name on tag (account_id, lower(name));

create table contact (
  id uuid primary key,
  account_id uuid not null references account on delete cascade,
  name varchar(255) not null,
  email varchar(320),
  phone varchar(40),
  company varchar(255),
  title varchar(255),
  location varchar(255),
  linkedin_profile_url varchar(2048),
  headline varchar(255),
  about text,
  profile_picture varchar(2048),
  extracted_contacts jsonb,
  source varchar(255) not null default 'api',
  source_channel varchar(255),
  custom_fields jsonb,
  last_interaction timestamptz(3),
  created_at timestamptz(3) not null default 'infinity',
  updated_at timestamptz(3) not null default 'infinity',
  -- What lists are sorted by: cut, since folding can lengthen a text and an index row has a limit.
  name_key text collate "C" not null generated always as (left(fold(name), 300)) stored,
  company_key text collate "C" generated always as (left(fold(company), 300)) stored,
  phone_digits text generated always as (regexp_replace(phone, '[^0-9]', '', 'g')) stored,
  -- What search looks through; no text holds chr(1), so a term cannot match across two fields.
  folded text not null generated always as
    (fold(name || chr(1) || coalesce(email, '') || chr(1) || coalesce(company, ''))) stored,
  unique (account_id, id)
);
create unique index contact_email_key on contact (account_id, lower(email));
create index contact_created_idx on contact (account_id, created_at, id);
create index contact_updated_idx on contact (account_id, updated_at, id);
create index contact_name_idx on contact (account_id, name_key, id);
create index contact_company_idx on contact (account_id, company_key, id);
create index contact_company_desc_idx on contact (account_id, company_key desc nulls last, id desc);
create index contact_interaction_idx on contact (account_id, last_interaction, id);
create index contact_interaction_desc_idx on contact (account_id, last_interaction desc nulls last, id desc);
create index contact_source_idx on contact (account_id, lower(source), created_at, id);
create index contact_search_idx on contact using gin (account_id, folded gin_trgm_ops);
create index contact_phone_idx on contact using gin (account_id, phone_digits gin_trgm_ops)
  where phone_digits is not null;
create trigger contact_stamp_insert before insert on contact for each row execute function stamp();
create trigger contact_stamp_update before update on contact for each row
  when ((${row('old')}) is distinct from (${row('new')})) execute function stamp();

create table contact_tag (
  account_id uuid not null, -- exists, since the contact has it
  contact_id uuid not null,
  tag_id uuid not null,
  primary key (contact_id, tag_id),
  foreign key (account_id, contact_id) references contact (account_id, id) on delete cascade,
  foreign key (account_id, tag_id) references tag (account_id, id) on delete cascade
);
create index contact_tag_tag_idx on contact_tag (tag_id, contact_id);
-- One for each reference and for the cascade from the account.
create index contact_tag_account_idx on contact_tag (account_id, contact_id);

create table contact_note (
  id uuid primary key,
  account_id uuid not null, -- exists, since the contact has it
  contact_id uuid not null,
  note text not null,
  created_at timestamptz(3) not null default now(),
  unique (account_id, id),
  foreign key (account_id, contact_id) references contact (account_id, id) on delete cascade
);
create index contact_note_contact_idx on contact_note (account_id, contact_id, created_at, id);
`

export class M0001_accounts_and_contacts extends Migration {
  override up(): void {
    this.addSql(functions)
    this.addSql(accounts)
    this.addSql(contacts)
  }

  override down(): void {
    this.addSql('drop table contact_note, contact_tag, contact, tag, api_key, account')
    this.addSql('drop function stamp, like_pattern, fold, immutable_unaccent')
  }
}
