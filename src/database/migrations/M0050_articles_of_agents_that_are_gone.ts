import { Migration } from '@mikro-orm/migrations'

/** Articles of agents that were deleted are gone, as they go from now on when one is deleted. */
export class M0050_articles_of_agents_that_are_gone extends Migration {
  override up(): void {
    this.addSql(`delete from knowledge_article k using ai_agent a
where a.account_id = k.account_id and a.id = k.ai_agent_id and a.deleted_at is not null;`)
  }

  override down(): void {
    // What they said is nowhere else.
  }
}
