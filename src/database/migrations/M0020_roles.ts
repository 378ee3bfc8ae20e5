import { Migration } from '@mikro-orm/migrations'

export class M0020_roles extends Migration {
  override up(): void {
    this.addSql(`alter table app_user drop constraint app_user_role_check;
update app_user set role = 'admin' where role = 'owner';
alter table app_user add check (role in ('admin', 'manager', 'seller'));
-- The key itself goes on as it could before: managing users was a part of managing settings.
update api_key set permissions = array_append(permissions, 'users:write')
  where permissions && array['settings:write', 'settings:*'] and not permissions && array['*', 'users:*', 'users:write'];`)
  }

  override down(): void {
    this.addSql(`alter table app_user drop constraint app_user_role_check;
update app_user set role = case role when 'admin' then 'owner' when 'manager' then 'admin' else role end;
alter table app_user add check (role in ('owner', 'admin', 'seller'));`)
  }
}
