import { Migration } from '@mikro-orm/migrations'

// Those that wait are few, and looked for each minute.
export class M0038_actions_left extends Migration {
  override up(): void {
    this.addSql('create index opportunity_action_left_idx on opportunity_action (created_at) where result is null')
  }

  override down(): void {
    this.addSql('drop index opportunity_action_left_idx')
  }
}
