import { Migration } from '@mikro-orm/migrations'
import { owned, wall } from './parts.js'

/** What accounts use of a model's tokens, a row for each day (UTC), and how often a run of an agent has failed. */
export class M0043_ai_usage extends Migration {
  override up(): void {
    this.addSql(`create table ai_usage (
  ${owned}
  day date not null,
  tokens bigint not null check (tokens >= 0),
  requests int not null check (requests > 0),
  constraint ai_usage_key unique (account_id, day)
);
${wall('ai_usage')}
alter table agent_run add failures int not null default 0`)
  }

  override down(): void {
    this.addSql('alter table agent_run drop failures; drop table ai_usage')
  }
}
