import { Migration } from '@mikro-orm/migrations'
import { changed, NAME_KEY, owned, STAMPS, stampTriggers, wall } from './parts.js'

// What an account no longer offers is marked, not removed: records that refer to it must stay readable.
const DELETED = 'deleted_at timestamptz(3)'

const sectors = `
create table sector (
  ${owned}
  name varchar(255) not null,
  description text,
  color varchar(32),
  is_active boolean not null default true,
  ${STAMPS},
  ${DELETED},
  ${NAME_KEY},
  unique (account_id, id)
);
create unique index sector_unique_name on sector (account_id, lower(name)) where deleted_at is null;
create index sector_name_idx on sector (account_id, name_key, id) where deleted_at is null;
${stampTriggers('sector', changed('name description color is_active deleted_at'))}
${wall('sector')}

create table discard_reason (
  ${owned}
  name varchar(255) not null,
  description text,
  is_active boolean not null default true,
  display_order int not null default 0,
  created_at timestamptz(3) not null default now(),
  ${DELETED},
  ${NAME_KEY},
  unique (account_id, id)
);
create unique index discard_reason_unique_name on discard_reason (account_id, lower(name)) where deleted_at is null;
create index discard_reason_order_idx on discard_reason (account_id, display_order, id) where deleted_at is null;
${wall('discard_reason')}

create table product (
  ${owned}
  name varchar(255) not null,
  description text,
  default_price numeric(14, 2) not null default 0 check (default_price >= 0),
  currency char(3) not null,
  -- What the price is for, such as month or hour; null when it is paid once.
  time_unit varchar(32),
  is_active boolean not null default true,
  ${STAMPS},
  ${DELETED},
  ${NAME_KEY},
  unique (account_id, id)
);
create index product_name_idx on product (account_id, name_key, id) where deleted_at is null;
${stampTriggers('product', changed('name description default_price currency time_unit is_active deleted_at'))}
${wall('product')}
`

// An email address signs in, so it belongs to one user of the whole service.
const users = `
create table app_user (
  ${owned}
  name varchar(255) not null,
  email varchar(320) not null,
  role varchar(16) not null default 'seller' check (role in ('owner', 'admin', 'seller')),
  sector_id uuid,
  is_active boolean not null default true,
  created_at timestamptz(3) not null default now(),
  ${DELETED},
  ${NAME_KEY},
  unique (account_id, id),
  foreign key (account_id, sector_id) references sector (account_id, id)
);
create unique index app_user_email_key on app_user (lower(email)) where deleted_at is null;
create index app_user_name_idx on app_user (account_id, name_key, id) where deleted_at is null;
${wall('app_user')}
`

export class M0005_reference_and_users extends Migration {
  override up(): void {
    this.addSql(sectors)
    this.addSql(users)
  }

  override down(): void {
    this.addSql('drop table app_user, product, discard_reason, sector')
  }
}
