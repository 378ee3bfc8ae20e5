import { Migration } from '@mikro-orm/migrations'

const idempotency = `
create table idempotency_record (
  account_id uuid not null references account on delete cascade,
  operation varchar(255) not null,
  key varchar(255) not null,
  request_hash bytea not null,
  state varchar(16) not null default 'done',
  status int,
  body text,
  -- The records that the call wrote: when one of them is erased, so is the kept answer.
  written uuid[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  primary key (account_id, operation, key)
);
-- Rows come in the order of time, which is what the sweeper asks for.
create index idempotency_record_created_idx on idempotency_record using brin (created_at);
create index idempotency_record_written_idx on idempotency_record using gin (written);

-- Takes the key for the running transaction and returns what is known of it, in one round trip. Volatile, so the look
-- happens with a snapshot that is taken after the lock. Not locked means that another transaction has it.
create function claim_idempotency_key(in_account uuid, in_operation text, in_key text, ttl interval)
  returns table (locked boolean, request_hash bytea, state varchar, status int, body text) language plpgsql as $$ begin
  if not pg_try_advisory_xact_lock(hashtextextended(in_account::text || in_operation || chr(1) || in_key, 4712)) then
    return query select false, null::bytea, null::varchar, null::int, null::text;
    return;
  end if;
  return query select true, r.request_hash, r.state, r.status, r.body from (select) one left join idempotency_record r
    on r.account_id = in_account and r.operation = in_operation and r.key = in_key and r.created_at >= now() - ttl;
end $$;
`

const touches = `
create table contact_touch (
  id uuid primary key,
  account_id uuid not null, -- exists, since the contact has it
  contact_id uuid not null,
  occurred_at timestamptz(3) not null default now(),
  channel varchar(255),
  landing_url varchar(2048),
  utm_source varchar(255),
  utm_medium varchar(255),
  utm_campaign varchar(255),
  raw jsonb not null,
  unique (account_id, id),
  foreign key (account_id, contact_id) references contact (account_id, id) on delete cascade
);
create index contact_touch_contact_idx on contact_touch (account_id, contact_id, occurred_at, id);
`

export class M0002_idempotency_and_touches extends Migration {
  override up(): void {
    this.addSql(idempotency)
    this.addSql(touches)
  }

  override down(): void {
    this.addSql('drop table contact_touch, idempotency_record')
    this.addSql('drop function claim_idempotency_key')
  }
}
