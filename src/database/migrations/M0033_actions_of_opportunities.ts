import { Migration } from '@mikro-orm/migrations'
import { owned, wall } from './parts.js'

// What is to happen with an opportunity once its creation is committed: one row from the asking to the outcome.
const actions = `
create table opportunity_action (
  ${owned}
  opportunity_id uuid not null,
  name varchar(32) not null,
  input jsonb not null,
  claimed_at timestamptz(3),
  result jsonb,
  created_at timestamptz(3) not null default now(),
  unique (account_id, id),
  foreign key (account_id, opportunity_id) references opportunity (account_id, id) on delete cascade
);
create index opportunity_action_opportunity_idx on opportunity_action (account_id, opportunity_id);`

export class M0033_actions_of_opportunities extends Migration {
  override up(): void {
    this.addSql(actions)
    this.addSql(wall('opportunity_action'))
  }

  override down(): void {
    this.addSql('drop table opportunity_action')
  }
}
