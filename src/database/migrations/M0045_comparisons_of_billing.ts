import { Migration } from '@mikro-orm/migrations'

// What comparing billing has found the last time, so that any process can tell it among its figures.
const table = `
create table billing_comparison (
  days int primary key,
  differences int not null,
  troubled int not null,
  compared_at timestamptz(3) not null,
  since timestamptz(3)
);
alter table billing_comparison enable row level security`

export class M0045_comparisons_of_billing extends Migration {
  override up(): void {
    this.addSql(table)
  }

  override down(): void {
    this.addSql('drop table billing_comparison')
  }
}
