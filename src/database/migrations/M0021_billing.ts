import { Migration } from '@mikro-orm/migrations'

const tables = `
create table seat_charge (
  id uuid primary key,
  agency_id uuid not null references agency on delete cascade,
  key varchar(100) not null,
  kind varchar(16) not null check (kind in ('raise', 'trial_end', 'renewal')),
  sub_account_id uuid,
  description varchar(500) not null,
  seats int not null check (seats >= 0),
  seat_price_cents int not null check (seat_price_cents >= 0),
  currency char(3) not null,
  at timestamptz(0) not null,
  period_start timestamptz(0) not null,
  period_end timestamptz(0) not null check (at >= period_start and at < period_end),
  cents bigint not null check (cents >= 0),
  carried_cents bigint not null default 0 check (carried_cents >= 0),
  state varchar(16) not null check (state in
    ('pending', 'paid', 'carried', 'applied', 'declined', 'abandoned', 'refunded', 'dropped', 'unpaid')),
  decline varchar(32),
  call_number int not null default 1,
  called_at timestamptz(3),
  key_spent boolean not null default false,
  invoice_id varchar(255),
  payment_id varchar(255),
  retry_at timestamptz(3),
  declines int not null default 0,
  created_at timestamptz(3) not null,
  unique (agency_id, id),
  constraint seat_charge_key unique (agency_id, key)
);
-- What jobs look for, of all agencies; the settled ones, which are nearly all, are not in it.
create index seat_charge_unsettled_idx on seat_charge (state, agency_id)
  where state in ('pending', 'paid', 'carried', 'abandoned', 'unpaid');

create table seat_change (
  id uuid primary key,
  agency_id uuid not null references agency on delete cascade,
  sub_account_id uuid not null,
  charge_id uuid unique,
  seats int not null check (seats <> 0),
  at timestamptz(0) not null,
  foreign key (agency_id, charge_id) references seat_charge (agency_id, id) on delete cascade
);
create index seat_change_agency_idx on seat_change (agency_id, sub_account_id);
create index seat_change_charge_idx on seat_change (agency_id, charge_id);

create table ledger_entry (
  id uuid primary key,
  agency_id uuid not null references agency on delete cascade,
  charge_id uuid,
  source_id uuid not null,
  kind varchar(16) not null check (kind in ('seats', 'renewal', 'payment', 'refund', 'carried')),
  cents bigint not null check (cents <> 0),
  at timestamptz(0) not null,
  foreign key (agency_id, charge_id) references seat_charge (agency_id, id) on delete cascade,
  foreign key (agency_id, source_id) references seat_charge (agency_id, id) on delete cascade
);
create index ledger_entry_charge_idx on ledger_entry (agency_id, charge_id);
create index ledger_entry_source_idx on ledger_entry (agency_id, source_id);

create table billing_standing (
  id uuid primary key,
  agency_id uuid not null constraint billing_standing_agency unique references agency on delete cascade,
  cycle int not null check (cycle >= 0),
  renews_at timestamptz(0) not null,
  seats_told int not null default 0,
  turn_holder uuid,
  turn_until timestamptz(3)
);
create index billing_standing_renews_idx on billing_standing (renews_at);
alter table seat_charge enable row level security;
alter table seat_change enable row level security;
alter table ledger_entry enable row level security;
alter table billing_standing enable row level security;`

// What was written stays; only with its agency it goes.
const appendOnly = `
create function refuse_change() returns trigger language plpgsql as $$ begin
  if tg_op = 'DELETE' and not exists (select from agency where id = old.agency_id) then return old; end if;
  raise exception '% is only added to', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;
create trigger ledger_entry_stays before update or delete on ledger_entry for each row execute function refuse_change();
create trigger seat_change_stays before update or delete on seat_change for each row execute function refuse_change();`

export class M0021_billing extends Migration {
  override up(): void {
    this.addSql(tables)
    this.addSql(appendOnly)
  }

  override down(): void {
    this.addSql('drop table billing_standing, ledger_entry, seat_change, seat_charge; drop function refuse_change')
  }
}
