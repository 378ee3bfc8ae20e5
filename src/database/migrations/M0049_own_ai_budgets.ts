import { Migration } from '@mikro-orm/migrations'
import { owned, wall } from './parts.js'

/** What accounts themselves let their agents use of a model in a day. */
export class M0049_own_ai_budgets extends Migration {
  override up(): void {
    this.addSql(`create table own_ai_budget (
  ${owned}
  daily_tokens bigint check (daily_tokens >= 0),
  constraint own_ai_budget_key unique (account_id)
);
${wall('own_ai_budget')}`)
  }

  override down(): void {
    this.addSql('drop table own_ai_budget')
  }
}
