import { Migration } from '@mikro-orm/migrations'

export class M0016_partly_erased_answers extends Migration {
  override up(): void {
    // What the answer's data has once somebody whom it tells of is erased; null where the whole answer goes then.
    this.addSql('alter table idempotency_record add column erased jsonb')
  }

  override down(): void {
    this.addSql('alter table idempotency_record drop column erased')
  }
}
