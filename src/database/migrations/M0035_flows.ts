import { Migration } from '@mikro-orm/migrations'
import { createTally, markFresh, type Tally } from '../tally/index.js'
import { changed, NAME_KEY, owned, STAMPS, stampTriggers, wall } from './parts.js'

const TALLY: Tally = {
  name: 'flow_enrollment',
  table: 'flow_enrollment',
  dimensions: [
    { name: 'flow_id', type: 'uuid' },
    { name: 'state', type: 'varchar(16)' },
  ],
  sums: [],
}

const flows = `
create table flow (
  ${owned}
  name varchar(255) not null,
  ${NAME_KEY},
  status varchar(16) not null default 'draft' check (status in ('draft', 'active', 'paused', 'archived')),
  version int not null default 1,
  ${STAMPS},
  unique (account_id, id)
);
create index flow_name_idx on flow (account_id, name_key, id);
create index flow_created_idx on flow (account_id, created_at, id);
${stampTriggers('flow', changed('name status version'))}`

// What somebody has begun must not change under them: a version is written once. Its steps name records that may go.
const versions = `
create table flow_version (
  ${owned}
  flow_id uuid not null,
  number int not null,
  steps jsonb not null,
  send_window jsonb,
  created_at timestamptz(3) not null default clock_timestamp(),
  unique (account_id, flow_id, number),
  foreign key (account_id, flow_id) references flow (account_id, id) on delete cascade
);
create function refuse_rewrite() returns trigger language plpgsql as $$ begin
  raise exception 'a row of % is written once', tg_table_name; end $$;
create trigger flow_version_kept before update on flow_version for each row execute function refuse_rewrite();`

// claimed_until is a worker's alone: that it changes is no change of the enrollment.
const enrollments = `
create table flow_enrollment (
  ${owned}
  flow_id uuid not null,
  version int not null,
  contact_id uuid,
  opportunity_id uuid,
  state varchar(16) not null check (state in ('active', 'paused', 'completed', 'stopped', 'failed')),
  step int not null default 0,
  due_at timestamptz(3),
  mail_id uuid,
  end_reason varchar(32),
  error text,
  ended_at timestamptz(3),
  attempts int not null default 0,
  claimed_until timestamptz(3),
  ${STAMPS},
  unique (account_id, id),
  constraint flow_enrollment_key unique (account_id, flow_id, contact_id),
  check ((due_at is not null) = (state in ('active', 'paused'))),
  check ((ended_at is null) = (state in ('active', 'paused'))),
  check (contact_id is not null or state not in ('active', 'paused')),
  foreign key (account_id, flow_id, version) references flow_version (account_id, flow_id, number),
  foreign key (account_id, contact_id) references contact (account_id, id),
  foreign key (account_id, opportunity_id) references opportunity (account_id, id),
  foreign key (account_id, mail_id) references mail (account_id, id)
);
create index flow_enrollment_due_idx on flow_enrollment (account_id, due_at) where state = 'active';
create index flow_enrollment_created_idx on flow_enrollment (account_id, created_at, id);
create index flow_enrollment_flow_idx on flow_enrollment (account_id, flow_id, state);
create index flow_enrollment_contact_idx on flow_enrollment (account_id, contact_id) where contact_id is not null;
create index flow_enrollment_opportunity_idx on flow_enrollment (account_id, opportunity_id)
  where opportunity_id is not null;
${stampTriggers(
  'flow_enrollment',
  changed('flow_id version contact_id opportunity_id state step due_at mail_id end_reason error ended_at'),
)}`

export class M0035_flows extends Migration {
  override up(): void {
    this.addSql(`alter table account add time_zone varchar(64) not null default 'America/Sao_Paulo'`)
    for (const sql of [flows, versions, enrollments, createTally(TALLY), markFresh(TALLY)]) this.addSql(sql)
    for (const table of ['flow', 'flow_version', 'flow_enrollment', 'flow_enrollment_tally']) this.addSql(wall(table))
  }

  override down(): void {
    this.addSql('drop table flow_enrollment_tally, flow_enrollment, flow_version, flow')
    for (const event of ['insert', 'update', 'delete']) this.addSql(`drop function flow_enrollment_tally_${event}()`)
    this.addSql('drop function refuse_rewrite')
    this.addSql('alter table account drop time_zone')
  }
}
