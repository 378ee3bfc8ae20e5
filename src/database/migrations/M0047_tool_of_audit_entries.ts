import { Migration } from '@mikro-orm/migrations'

/** By which tool an AI assistant did what an entry tells of. */
export class M0047_tool_of_audit_entries extends Migration {
  override up(): void {
    this.addSql('alter table audit_entry add tool varchar(64)')
  }

  override down(): void {
    this.addSql('alter table audit_entry drop tool')
  }
}
