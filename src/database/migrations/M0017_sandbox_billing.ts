import { Migration } from '@mikro-orm/migrations'

// What the sandbox keeps in the place of a provider of billing. It is nobody's tenant: under row-level security, without a
// policy, nobody sees it.
const tables = {
  sandbox_customer: `id text primary key, name text not null, metadata jsonb not null, payment_method text,
    created_at timestamptz(3) not null`,
  sandbox_invoice: `id text primary key, customer text not null references sandbox_customer,
    cents bigint not null check (cents > 0), currency char(3) not null, lines jsonb not null, metadata jsonb not null,
    status text not null check (status in ('paid', 'void')), decline text,
    payment text check ((payment is not null) = (status = 'paid')), created_at timestamptz(3) not null`,
  sandbox_refund: `id text primary key, invoice text not null unique references sandbox_invoice,
    cents bigint not null check (cents > 0), created_at timestamptz(3) not null`,
  sandbox_subscription: `customer text primary key references sandbox_customer, seats int not null check (seats >= 0),
    seat_price_cents int not null, currency char(3) not null, anchor timestamptz(3) not null`,
  sandbox_call: `key text primary key, method text not null, request jsonb not null, answer jsonb not null,
    created_at timestamptz(3) not null`,
  sandbox_fault: `id bigint generated always as identity primary key, kind text not null, method text, customer text,
    delay_ms int not null, left_over int not null`,
}

export class M0017_sandbox_billing extends Migration {
  override up(): void {
    for (const [name, columns] of Object.entries(tables)) {
      this.addSql(`create table ${name} (${columns}); alter table ${name} enable row level security`)
    }
    this.addSql('create index sandbox_invoice_customer_idx on sandbox_invoice (customer, created_at)')
    this.addSql('create index sandbox_call_created_idx on sandbox_call (created_at)')
  }

  override down(): void {
    this.addSql(`drop table ${Object.keys(tables).reverse().join(', ')}`)
  }
}
