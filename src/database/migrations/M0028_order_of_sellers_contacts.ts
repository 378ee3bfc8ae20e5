import { Migration } from '@mikro-orm/migrations'

/**
 * A seller's contacts in the usual order of contacts: a page is read off an index, however many there are. When a contact
 * was created never changes, so that its copy needs no keeping.
 */
export class M0028_order_of_sellers_contacts extends Migration {
  override up(): void {
    this.addSql(`alter table contact_seller add contact_created_at timestamptz(3);
update contact_seller s set contact_created_at = c.created_at from contact c
  where c.account_id = s.account_id and c.id = s.contact_id;
alter table contact_seller alter contact_created_at set not null;
create index contact_seller_created_idx on contact_seller (account_id, user_id, contact_created_at, contact_id);

create function contact_seller_order() returns trigger language plpgsql as $$ begin
  select c.created_at into new.contact_created_at from contact c
    where c.account_id = new.account_id and c.id = new.contact_id;
  return new; end $$;
create trigger contact_seller_order before insert on contact_seller
  for each row execute function contact_seller_order();`)
  }

  override down(): void {
    this.addSql(`drop trigger contact_seller_order on contact_seller;
drop function contact_seller_order;
alter table contact_seller drop contact_created_at;`)
  }
}
