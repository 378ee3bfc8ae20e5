import { Migration } from '@mikro-orm/migrations'

export class M0025_keys_that_end extends Migration {
  override up(): void {
    // Who made the key, as text: it stays readable when that key or user is gone.
    this.addSql(`alter table api_key add expires_at timestamptz(3), add created_by_kind varchar(16),
      add created_by_id uuid, add created_by_name varchar(255)`)
    this.addSql('create index api_key_account_idx on api_key (account_id, created_at, id)')
  }

  override down(): void {
    this.addSql('drop index api_key_account_idx')
    this.addSql(`alter table api_key drop expires_at, drop created_by_kind, drop created_by_id, drop created_by_name`)
  }
}
