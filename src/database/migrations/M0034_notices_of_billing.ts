import { Migration } from '@mikro-orm/migrations'

/**
 * What the provider of billing tells of its own accord: each of its notices once, the state of invoices, the card on file.
 * And the key under which it was last told a number of seats, which is there before the call.
 */
export class M0034_notices_of_billing extends Migration {
  override up(): void {
    this.addSql(`alter table seat_charge add invoice_status varchar(16) check (invoice_status in
  ('draft', 'open', 'paid', 'uncollectible', 'void'));
create index seat_charge_invoice_idx on seat_charge (agency_id, invoice_id) where invoice_id is not null;
alter table billing_standing add seats_asked int, add seats_key uuid;
alter table agency add card jsonb, add card_as_of timestamptz(3);
create index agency_customer_idx on agency (billing_customer);
create table billing_notice (
  id varchar(255) primary key,
  about varchar(16) not null,
  agency_id uuid references agency on delete cascade,
  received_at timestamptz(3) not null default now()
);
create index billing_notice_received_idx on billing_notice (received_at);
create index billing_notice_agency_idx on billing_notice (agency_id);
alter table billing_notice enable row level security;`)
  }

  override down(): void {
    this.addSql(`drop table billing_notice;
alter table agency drop card, drop card_as_of;
alter table billing_standing drop seats_asked, drop seats_key;
alter table seat_charge drop invoice_status;
drop index agency_customer_idx;`)
  }
}
