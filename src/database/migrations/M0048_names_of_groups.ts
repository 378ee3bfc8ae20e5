import { Migration } from '@mikro-orm/migrations'

/** Since when groups are called as they are, and what takes names away that nobody has recorded when one is erased. */
export class M0048_names_of_groups extends Migration {
  override up(): void {
    this.addSql(`alter table conversation add group_named_at timestamptz(3);
create function erase_group_names(of_account uuid, of_channel_account uuid, of_group text) returns void
  language sql security definer set search_path = pg_catalog, public as $$
  with held as (
    select n.id from channel_notice n
      join channel_account a on a.kind = n.kind and a.external_id = n.number_id and n.lane = a.external_id || ' ' || of_group
    where a.account_id = of_account and a.id = of_channel_account and n.what ->> 'about' = 'group'
    order by n.id for update of n)
  delete from channel_notice n using held where n.id = held.id $$;`)
  }

  override down(): void {
    this.addSql('drop function erase_group_names; alter table conversation drop group_named_at')
  }
}
