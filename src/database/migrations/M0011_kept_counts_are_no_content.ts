import { Migration } from '@mikro-orm/migrations'
import { changed, stampTriggers } from './parts.js'

const before = `
create trigger instagram_agent_stamp_insert before insert on instagram_agent for each row execute function stamp();
create trigger instagram_agent_stamp_update before update on instagram_agent for each row
  when (old.* is distinct from new.*) execute function stamp();`

const insteadOf = `
drop trigger instagram_agent_stamp_insert on instagram_agent;
drop trigger instagram_agent_stamp_update on instagram_agent;`

/** How many profiles an agent holds is a kept count: it is no content of the agent, which does not change with it. */
export class M0011_kept_counts_are_no_content extends Migration {
  override up(): void {
    const content = 'name description search_niche search_location status total_limit'
    this.addSql(insteadOf)
    this.addSql(stampTriggers('instagram_agent', changed(content)))
  }

  override down(): void {
    this.addSql(insteadOf)
    this.addSql(before)
  }
}
