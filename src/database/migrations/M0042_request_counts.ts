import { Migration } from '@mikro-orm/migrations'

/**
 * How many requests each key, person or address has made in its running window, where processes count together. After a
 * crash of the database everybody begins anew. Half of each page is left free, so that an update needs no other page and no
 * index; nothing else is indexed for the same reason.
 */
export class M0042_request_counts extends Migration {
  override up(): void {
    this.addSql(`create unlogged table request_count (
  who text primary key,
  used integer not null,
  until timestamptz not null
) with (fillfactor = 50)`)
  }

  override down(): void {
    this.addSql('drop table request_count')
  }
}
