import { Migration } from '@mikro-orm/migrations'

/**
 * What a provider told of a person, and nobody has recorded yet, goes with the person. Tenants do not see notices, so
 * functions reach them: one for a contact of the account, one to ask whether a notice is still there.
 */
export class M0040_erased_notices extends Migration {
  override up(): void {
    // In the order of their ids, as whoever takes recorded ones away. Receipts have no text: they lose whom they are of.
    this.addSql(`create function erase_notices(of_account uuid, of_contact uuid) returns void language sql security definer
  set search_path = pg_catalog, public as $$
  with held as (
    select n.id, n.what ->> 'about' as about from channel_notice n
    where exists (
      select from channel_account a join contact c on c.account_id = a.account_id and c.id = of_contact
      where a.account_id = of_account and a.kind = n.kind and a.external_id = n.number_id
        and (phone_key(c.phone_digits) = phone_key(coalesce(n.what -> 'from', n.what -> 'recipient') ->> 'phone')
          or exists (select from channel_identity i
            where i.account_id = of_account and i.contact_id = of_contact and i.kind = n.kind
              and i.portfolio_id = coalesce(a.portfolio_id, '')
              and i.user_id = coalesce(n.what -> 'from', n.what -> 'recipient') ->> 'userId')))
    order by n.id for update of n),
  emptied as (
    update channel_notice n set what = jsonb_set(n.what, '{recipient}', '{}')
    from held where n.id = held.id and held.about = 'receipt')
  delete from channel_notice n using held where n.id = held.id and held.about = 'message' $$;
create function notice_waits(of_account uuid, notice bigint) returns boolean language sql stable security definer
  set search_path = pg_catalog, public as $$
  select exists (select from channel_notice n
    join channel_account a on a.account_id = of_account and a.kind = n.kind and a.external_id = n.number_id
    where n.id = notice) $$;`)
  }

  override down(): void {
    this.addSql('drop function notice_waits; drop function erase_notices')
  }
}
