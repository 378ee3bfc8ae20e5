import { Migration } from '@mikro-orm/migrations'
import { wall } from './parts.js'

const table = `
create table sign_in_link (
  id uuid primary key,
  sign_in_id uuid not null references sign_in on delete cascade,
  account_id uuid references account on delete cascade,
  purpose varchar(16) not null check (purpose in ('reset', 'invitation')),
  email_key text not null,
  hash bytea not null unique,
  expires_at timestamptz(3) not null,
  unique (sign_in_id, purpose)
);
create index sign_in_link_account_idx on sign_in_link (account_id);
create index sign_in_link_expires_idx on sign_in_link (expires_at);
${wall('sign_in_link')}`

export class M0027_one_time_links extends Migration {
  override up(): void {
    this.addSql(table)
  }

  override down(): void {
    this.addSql('drop table sign_in_link')
  }
}
