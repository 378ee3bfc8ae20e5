import { Migration } from '@mikro-orm/migrations'

// The service keeps the keys of calls only as signatures from now on; what was kept of a key as it was sent goes.
export class M0014_keys_of_calls extends Migration {
  override up(): void {
    this.addSql('delete from idempotency_record')
  }

  override down(): void {
    this.addSql('delete from idempotency_record')
  }
}
