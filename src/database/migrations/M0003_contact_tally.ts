import { Migration } from '@mikro-orm/migrations'
import { createTally } from '../tally/ddl.js'

export class M0003_contact_tally extends Migration {
  override up(): void {
    this.addSql(createTally({ name: 'contact', table: 'contact', dimensions: [], sums: [] }))
  }

  override down(): void {
    this.addSql('drop trigger contact_tally_insert on contact; drop trigger contact_tally_delete on contact')
    this.addSql('drop function contact_tally_insert, contact_tally_delete; drop table contact_tally')
  }
}
