import { Migration } from '@mikro-orm/migrations'
import { changed, NAME_KEY, owned, STAMPS, stampTriggers, wall } from './parts.js'

const templates = `
create table email_template (
  ${owned}
  name varchar(255) not null,
  ${NAME_KEY},
  subject varchar(255) not null,
  html text not null check (length(html) <= 200000),
  "text" text check (length("text") <= 100000),
  ${STAMPS},
  deleted_at timestamptz(3),
  unique (account_id, id)
);
create index email_template_name_idx on email_template (account_id, name_key, id) where deleted_at is null;
${stampTriggers('email_template', changed('name subject html "text" deleted_at'))}`

// The private key is sealed with the service's ENCRYPTION_KEY.
const senders = `
create table email_sender (
  ${owned}
  name varchar(255) not null,
  ${NAME_KEY},
  address varchar(320) not null,
  is_default boolean not null default false,
  verified_at timestamptz(3),
  dkim_selector varchar(63) not null,
  dns_name varchar(400) not null,
  dns_value text not null,
  dkim_private_key bytea not null,
  ${STAMPS},
  deleted_at timestamptz(3),
  unique (account_id, id)
);
create unique index email_sender_address_key on email_sender (account_id, lower(address)) where deleted_at is null;
create unique index email_sender_default_key on email_sender (account_id) where is_default and deleted_at is null;
create index email_sender_name_idx on email_sender (account_id, name_key, id) where deleted_at is null;
${stampTriggers(
  'email_sender',
  changed('name address is_default verified_at dkim_selector dns_name dns_value dkim_private_key deleted_at'),
)}`

// How many senders a sub-account has paid for: tenants do not see the tables of agencies. Null where there is no limit.
const quota = `
create function email_sender_limit(account uuid) returns int language sql stable security definer
  set search_path = pg_catalog, public as $$
  select case when status = 'active' then email_marketing else 0 end from sub_account where id = account $$`

// address_key is an HMAC: with it, whoever left stays left when the address itself is erased.
const mails = `
create table mail (
  ${owned}
  contact_id uuid,
  template_id uuid not null,
  sender_id uuid not null,
  status varchar(16) not null check (status in ('queued', 'sending', 'sent', 'failed', 'unknown', 'suppressed')),
  recipient varchar(320),
  subject text,
  html text,
  "text" text,
  error text,
  address_key bytea not null,
  attempts int not null default 0,
  due_at timestamptz(3),
  sent_at timestamptz(3),
  ${STAMPS},
  unique (account_id, id),
  check ((due_at is not null) = (status in ('queued', 'sending'))),
  foreign key (account_id, contact_id) references contact (account_id, id),
  foreign key (account_id, template_id) references email_template (account_id, id),
  foreign key (account_id, sender_id) references email_sender (account_id, id)
);
create index mail_due_idx on mail (due_at) where due_at is not null;
create index mail_created_idx on mail (account_id, created_at, id);
create index mail_contact_idx on mail (account_id, contact_id) where contact_id is not null;
${stampTriggers(
  'mail',
  changed(
    `contact_id template_id sender_id status recipient subject html "text" error address_key attempts due_at sent_at`,
  ),
)}`

const suppressions = `
create table mail_suppression (
  ${owned}
  address_key bytea not null,
  contact_id uuid,
  reason varchar(16) not null check (reason in ('unsubscribed', 'added')),
  created_at timestamptz(3) not null default clock_timestamp(),
  constraint mail_suppression_key unique (account_id, address_key),
  foreign key (account_id, contact_id) references contact (account_id, id)
);
create index mail_suppression_created_idx on mail_suppression (account_id, created_at, id);
create index mail_suppression_contact_idx on mail_suppression (account_id, contact_id) where contact_id is not null;`

export class M0032_mail extends Migration {
  override up(): void {
    for (const sql of [templates, senders, quota, mails, suppressions]) this.addSql(sql)
    for (const table of ['email_template', 'email_sender', 'mail', 'mail_suppression']) this.addSql(wall(table))
  }

  override down(): void {
    this.addSql('drop table mail_suppression, mail, email_sender, email_template')
    this.addSql('drop function email_sender_limit')
  }
}
