import { Migration } from '@mikro-orm/migrations'
import { wall } from './parts.js'

const table = `
create table contact_seller (
  account_id uuid not null,
  user_id uuid not null,
  contact_id uuid not null,
  created boolean not null default false, -- whether the user created the contact
  opportunities int not null default 0, -- how many of its opportunities the user owns
  conversations int not null default 0, -- how many of its conversations the user looks after
  primary key (account_id, user_id, contact_id),
  foreign key (account_id, contact_id) references contact (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references app_user (account_id, id) on delete cascade
);
create index contact_seller_contact_idx on contact_seller (account_id, contact_id);
${wall('contact_seller')}`

/**
 * Keeps a reason of theirs: the records of a table that name a user and a contact. Whoever writes several of these rows
 * does so in the order of their keys, so that no two writers wait for each other.
 */
const reasonsOf = (records: string, user: string, count: string) => `
insert into contact_seller (account_id, user_id, contact_id, ${count})
  select account_id, ${user}, contact_id, count(*) from ${records}
  where ${user} is not null and contact_id is not null group by 1, 2, 3 order by 2, 3
  on conflict (account_id, user_id, contact_id) do update set ${count} = excluded.${count};

create function contact_seller_${records}_more() returns trigger language plpgsql as $$ begin
  insert into contact_seller as s (account_id, user_id, contact_id, ${count})
    select account_id, ${user}, contact_id, count(*) from new_rows
    where ${user} is not null and contact_id is not null group by 1, 2, 3 order by 2, 3
    on conflict (account_id, user_id, contact_id) do update set ${count} = s.${count} + excluded.${count};
  return null; end $$;
create trigger contact_seller_insert after insert on ${records} referencing new table as new_rows
  for each statement execute function contact_seller_${records}_more();

-- A row that has no reason left goes. Who waits for it here sees what another writer made of it, and who adds a reason
-- meanwhile makes it anew.
create function contact_seller_${records}_less() returns trigger language plpgsql as $$ begin
  perform from contact_seller s where (s.account_id, s.user_id, s.contact_id) in
      (select account_id, ${user}, contact_id from old_rows)
    order by s.user_id, s.contact_id for update;
  update contact_seller s set ${count} = s.${count} - d.n from (
      select account_id, ${user} as user_id, contact_id, count(*) as n from old_rows
      where ${user} is not null and contact_id is not null group by 1, 2, 3) d
    where s.account_id = d.account_id and s.user_id = d.user_id and s.contact_id = d.contact_id;
  delete from contact_seller s where (s.account_id, s.user_id, s.contact_id) in
      (select account_id, ${user}, contact_id from old_rows)
    and s.opportunities = 0 and s.conversations = 0 and not s.created;
  return null; end $$;
create trigger contact_seller_delete after delete on ${records} referencing old table as old_rows
  for each statement execute function contact_seller_${records}_less();

create function contact_seller_${records}_moved() returns trigger language plpgsql as $$
declare adding boolean; begin
  -- The lesser key first, be it the one that loses a reason or the one that gains it.
  foreach adding in array case when (old.${user}, old.contact_id) < (new.${user}, new.contact_id)
    then array[false, true] else array[true, false] end loop
    if adding and new.${user} is not null and new.contact_id is not null then
      insert into contact_seller as s (account_id, user_id, contact_id, ${count})
        values (new.account_id, new.${user}, new.contact_id, 1)
        on conflict (account_id, user_id, contact_id) do update set ${count} = s.${count} + 1;
    elsif not adding and old.${user} is not null and old.contact_id is not null then
      update contact_seller s set ${count} = s.${count} - 1
        where s.account_id = old.account_id and s.user_id = old.${user} and s.contact_id = old.contact_id;
      delete from contact_seller s
        where s.account_id = old.account_id and s.user_id = old.${user} and s.contact_id = old.contact_id
          and s.opportunities = 0 and s.conversations = 0 and not s.created;
    end if;
  end loop;
  return null; end $$;
create trigger contact_seller_update after update on ${records} for each row
  when ((old.${user}, old.contact_id) is distinct from (new.${user}, new.contact_id))
  execute function contact_seller_${records}_moved();`

export class M0024_sellers_of_contacts extends Migration {
  override up(): void {
    this.addSql(`${table}
${reasonsOf('opportunity', 'owner_user_id', 'opportunities')}
${reasonsOf('conversation', 'assigned_user_id', 'conversations')}
create index conversation_assigned_idx on conversation (account_id, assigned_user_id, created_at, id)
  where assigned_user_id is not null;`)
  }

  override down(): void {
    const undo = ['opportunity', 'conversation'].map(
      (records) => `drop trigger contact_seller_insert on ${records};
drop trigger contact_seller_delete on ${records};
drop trigger contact_seller_update on ${records};
drop function contact_seller_${records}_more, contact_seller_${records}_less, contact_seller_${records}_moved;`,
    )
    this.addSql(`${undo.join('\n')}
drop index conversation_assigned_idx;
drop table contact_seller;`)
  }
}
