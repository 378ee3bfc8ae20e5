import { Migration } from '@mikro-orm/migrations'
import { wall } from './parts.js'

const tables = `
create table operator (
  id uuid primary key,
  name varchar(255) not null,
  email varchar(320) not null,
  created_at timestamptz(3) not null default now()
);

create table sign_in (
  -- That of the user or the operator.
  id uuid primary key check (id = coalesce(user_id, operator_id)),
  account_id uuid references account on delete cascade,
  user_id uuid references app_user on delete cascade,
  operator_id uuid references operator on delete cascade,
  email_key text not null,
  password_hash varchar(255),
  is_temporary boolean not null default false,
  changed_at timestamptz(3),
  check ((user_id is null) <> (operator_id is null) and (user_id is null) = (account_id is null))
);
-- An email belongs to one person of the whole service, user or operator.
create unique index sign_in_email_key on sign_in (email_key);
create index sign_in_account_idx on sign_in (account_id);
create index sign_in_user_idx on sign_in (user_id);
create index sign_in_operator_idx on sign_in (operator_id);
${wall('sign_in')}

create table sign_in_session (
  id uuid primary key,
  sign_in_id uuid not null references sign_in on delete cascade,
  account_id uuid references account on delete cascade,
  hash bytea not null unique,
  device varchar(255) not null,
  address varchar(64) not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create index sign_in_session_person_idx on sign_in_session (sign_in_id, last_used_at);
create index sign_in_session_account_idx on sign_in_session (account_id);
${wall('sign_in_session')}

-- Lost with a crash of the server, and written at every attempt.
create unlogged table sign_in_attempt (
  key bytea primary key,
  failures int not null,
  wait_until timestamptz not null,
  last_at timestamptz not null
);
create index sign_in_attempt_last_idx on sign_in_attempt (last_at);
`

const triggers = `
create function keep_sign_in_of_user() returns trigger language plpgsql as $$
begin
  if new.deleted_at is not null then
    delete from sign_in where id = new.id;
  elsif tg_op = 'INSERT' or old.deleted_at is not null then
    insert into sign_in (id, account_id, user_id, email_key)
      values (new.id, new.account_id, new.id, lower(new.email));
  else
    update sign_in set email_key = lower(new.email) where id = new.id;
  end if;
  return null;
end $$;
create trigger app_user_sign_in_insert after insert on app_user for each row execute function keep_sign_in_of_user();
create trigger app_user_sign_in_update after update on app_user for each row
  when ((old.email, old.deleted_at) is distinct from (new.email, new.deleted_at))
  execute function keep_sign_in_of_user();

create function keep_sign_in_of_operator() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into sign_in (id, operator_id, email_key) values (new.id, new.id, lower(new.email));
  else
    update sign_in set email_key = lower(new.email) where id = new.id;
  end if;
  return null;
end $$;
create trigger operator_sign_in after insert or update of email on operator for each row
  execute function keep_sign_in_of_operator();

insert into sign_in (id, account_id, user_id, email_key)
  select id, account_id, id, lower(email) from app_user where deleted_at is null;
`

export class M0022_sign_in extends Migration {
  override up(): void {
    this.addSql(tables)
    this.addSql(triggers)
  }

  override down(): void {
    this.addSql(`drop trigger app_user_sign_in_insert on app_user;
drop trigger app_user_sign_in_update on app_user;
drop table sign_in_attempt, sign_in_session, sign_in, operator;
drop function keep_sign_in_of_user, keep_sign_in_of_operator;`)
  }
}
