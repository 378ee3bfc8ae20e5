import { Migration } from '@mikro-orm/migrations'
import { owned, wall } from './parts.js'

// Rows come and go, so the queue is kept small by frequent vacuums.
const jobs = `
create table job (
  ${owned}
  name text not null,
  ids jsonb not null,
  attempts int not null default 0,
  due_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index job_due_idx on job (account_id, due_at);
create table failed_job (
  ${owned}
  name text not null,
  ids jsonb not null,
  attempts int not null,
  error text not null,
  failed_at timestamptz(3) not null default clock_timestamp(),
  created_at timestamptz(3) not null
);
create index failed_job_failed_idx on failed_job (account_id, failed_at, id);`

export class M0037_one_off_jobs extends Migration {
  override up(): void {
    this.addSql(jobs)
    this.addSql(wall('job'))
    this.addSql(wall('failed_job'))
  }

  override down(): void {
    this.addSql('drop table failed_job; drop table job')
  }
}
