import { Migration } from '@mikro-orm/migrations'

/**
 * A seller's contacts by name, read off an index as they are in the order of their creation. The copy of the name follows
 * the contact's, and by the order of locks no rename is missed: who gives a conversation to a seller holds its contact, and
 * who gives an opportunity to one holds the opportunity, for which a rename waits before it comes here – its trigger runs
 * after that of the opportunities' copies, as its name is behind theirs.
 */
export class M0044_names_of_sellers_contacts extends Migration {
  override up(): void {
    this.addSql(`alter table contact_seller add contact_name_key text collate "C";
update contact_seller s set contact_name_key = c.name_key from contact c
  where c.account_id = s.account_id and c.id = s.contact_id;
alter table contact_seller alter contact_name_key set not null;
create index contact_seller_name_idx on contact_seller (account_id, user_id, contact_name_key, contact_id);

create or replace function contact_seller_order() returns trigger language plpgsql as $$ begin
  select c.created_at, c.name_key into new.contact_created_at, new.contact_name_key from contact c
    where c.account_id = new.account_id and c.id = new.contact_id;
  return new; end $$;

create function contact_sellers_follow() returns trigger language plpgsql as $$ begin
  perform from contact_seller s where s.account_id = new.account_id and s.contact_id = new.id
    order by s.user_id for no key update;
  update contact_seller s set contact_name_key = new.name_key
    where s.account_id = new.account_id and s.contact_id = new.id;
  return null; end $$;
create trigger contact_sellers_follow after update on contact for each row
  when (old.name_key is distinct from new.name_key) execute function contact_sellers_follow();`)
  }

  override down(): void {
    this.addSql(`drop trigger contact_sellers_follow on contact;
drop function contact_sellers_follow;
create or replace function contact_seller_order() returns trigger language plpgsql as $$ begin
  select c.created_at into new.contact_created_at from contact c
    where c.account_id = new.account_id and c.id = new.contact_id;
  return new; end $$;
alter table contact_seller drop contact_name_key;`)
  }
}
