import { Migration } from '@mikro-orm/migrations'

/** Pipelines whose entry agent was deleted have none, as they are left from now on when one is deleted. */
export class M0046_entry_agents_that_are_gone extends Migration {
  override up(): void {
    this.addSql(`update pipeline p set entry_agent_id = null from ai_agent a
where a.account_id = p.account_id and a.id = p.entry_agent_id and a.deleted_at is not null;`)
  }

  override down(): void {
    // Nothing needs which agent that was.
  }
}
