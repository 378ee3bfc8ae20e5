import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy'
import { Migrator } from '@mikro-orm/migrations'
import { defineConfig, type EntityClass, UnderscoreNamingStrategy } from '@mikro-orm/postgresql'
import { migrations } from './migrations/index.js'
import { TenantGuard } from './tenant.js'

/** The ORM's settings that need no database: shared by the server, the tests and the command line of MikroORM. */
export function ormOptions(entities: readonly EntityClass<unknown>[]) {
  return defineConfig({
    entities: [...entities],
    metadataProvider: ReflectMetadataProvider,
    namingStrategy: UnderscoreNamingStrategy,
    extensions: [Migrator],
    subscribers: [new TenantGuard()],
    forceUtcTimezone: true,
    colors: false,
    discovery: { warnWhenNoEntities: false },
    migrations: {
      migrationsList: migrations,
      path: 'dist/database/migrations',
      pathTs: 'src/database/migrations',
      snapshotName: '.snapshot',
      snapshotOnMigrate: false,
      tableName: 'migration',
    },
  })
}
