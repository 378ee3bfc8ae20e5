import { Migration } from '@mikro-orm/migrations'

// The rule is locked before its members are looked at, and each statement of a function sees what was committed before it
// began: so each turn is given away once, and one that was rolled back is given to the next.
const takeTurn = `
create function take_turn(in_account uuid, in_sector uuid, in_campaign_sector uuid, in_pipeline uuid)
  returns table (rule uuid, owner uuid) language plpgsql as $$ begin
  select r.id into rule from round_robin_rule r
    where r.account_id = in_account and r.is_active
      and (r.sector_id = in_sector or r.sector_id = in_campaign_sector or r.pipeline_id = in_pipeline
        or (r.sector_id is null and r.pipeline_id is null))
      and exists (select from round_robin_member m join app_user u on u.account_id = m.account_id and u.id = m.user_id
        where m.account_id = r.account_id and m.rule_id = r.id and u.is_active and u.deleted_at is null)
    order by case when r.sector_id = in_sector then 1 when r.sector_id = in_campaign_sector then 2
      when r.pipeline_id = in_pipeline then 3 else 4 end
    limit 1 for no key update of r;
  if rule is null then return; end if;
  update round_robin_member taker set turns = taker.turns + 1, last_turn = 1 + (
      select max(m.last_turn) from round_robin_member m where m.account_id = in_account and m.rule_id = rule)
    where taker.account_id = in_account and taker.rule_id = rule and taker.user_id = (
      select m.user_id from round_robin_member m join app_user u on u.account_id = m.account_id and u.id = m.user_id
      where m.account_id = in_account and m.rule_id = rule and u.is_active and u.deleted_at is null
      order by m.turns, m.last_turn, m.position, m.user_id limit 1)
    returning taker.user_id into owner;
  return next;
end $$;`

/** Each member of a rule has a count of its turns, so that one who comes back neither catches up nor is passed over. */
export class M0018_turns_of_members extends Migration {
  override up(): void {
    this.addSql(
      'alter table round_robin_member add turns int not null default 0, add last_turn bigint not null default 0',
    )
    this.addSql(`update round_robin_member m set turns = 1, last_turn = had.place + 1 from (
        select m.rule_id, m.user_id, r.turn % count(*) over (partition by m.rule_id) as next,
          row_number() over (partition by m.rule_id order by m.position, m.user_id) - 1 as place
        from round_robin_member m join round_robin_rule r on r.account_id = m.account_id and r.id = m.rule_id
        join app_user u on u.account_id = m.account_id and u.id = m.user_id and u.is_active and u.deleted_at is null) had
      where m.rule_id = had.rule_id and m.user_id = had.user_id and had.place < had.next`)
    this.addSql('alter table round_robin_rule drop turn')
    this.addSql(takeTurn)
  }

  override down(): void {
    this.addSql('drop function take_turn')
    this.addSql('alter table round_robin_rule add turn bigint not null default 0')
    this.addSql('alter table round_robin_member drop turns, drop last_turn')
  }
}
