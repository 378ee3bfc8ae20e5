import { assembly } from '../../src/assembly.js'
import { type Database, OWN_TENANT_TABLES, tableOf, tenantTables } from '../../src/database/index.js'

/** The tables whose rows belong to one account each, as the domains and the database layer declare them. */
export const tenantTablesOf = ({ orm }: Database): string[] => [
  ...tenantTables(orm),
  ...assembly.tallies.map(tableOf),
  ...OWN_TENANT_TABLES,
]
