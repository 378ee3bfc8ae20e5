const entity = `import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import type { Opt } from '@mikro-orm/postgresql'
import { Field, ID, ObjectType } from 'type-graphql'
import { TenantOwned, timestamp } from '../../database/index.js'
import { Example } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import { newId } from '../../shared/ids.js'
import { Account } from '../accounts/account.entity.js'

@ObjectType({ description: 'A region in which somebody sells.', simpleResolvers: true })
@Entity()
@TenantOwned()
@ReadWith('territories:read')
export class Territory {
  @Field(() => ID, { description: 'The unique id of the territory.' })
  @PrimaryKey({ type: 'uuid' })
  id: string & Opt = newId()

  @ManyToOne(() => Account, { mapToPk: true, fieldName: 'account_id', deleteRule: 'cascade' })
  accountId!: string

  @Field(() => String, { description: 'The name, unique in the account without regard to case.' })
  @Property({ type: 'string', length: 255 })
  @Example('South')
  name!: string

  @Field(() => String, { nullable: true, description: 'A short name for reports.' })
  @Property({ type: 'string', length: 16, nullable: true })
  @Example('S1')
  code?: string | null

  @Field(() => DateTime, { description: 'When the territory was created.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  createdAt!: Date & Opt

  @Field(() => DateTime, { description: 'When the territory last changed.' })
  @Property({ ...timestamp, defaultRaw: "'infinity'" })
  updatedAt!: Date & Opt
}
`

const inputs = `import { Field, InputType } from 'type-graphql'
import { MaxLength, NotNull } from '../../kit/constraints.js'

/** What a new territory and a change of one have in common. */
@InputType()
abstract class TerritoryFields {
  @Field(() => String, { nullable: true, description: 'A short name for reports.' })
  @MaxLength(16)
  code?: string | null
}

@InputType({ description: 'A new territory.' })
export class CreateTerritoryInput extends TerritoryFields {
  @Field(() => String, { description: 'The name; no other territory of the account may have it.' })
  @MaxLength(255)
  name!: string
}

@InputType({ description: 'What to change of a territory: a field left out stays.' })
export class UpdateTerritoryInput extends TerritoryFields {
  @Field(() => String, { nullable: true, description: 'The name; it cannot be emptied.' })
  @MaxLength(255)
  @NotNull()
  name?: string
}
`

const resolver = `import { ReferenceWrites, referenceReads, referenceResolver } from '../../kit/reference/index.js'
import { Territory } from './territory.entity.js'
import { CreateTerritoryInput, UpdateTerritoryInput } from './territory.inputs.js'

const reads = referenceReads(Territory)
const table = 'territory'

/** Lists and manages territories. */
export const TerritoryResolver = referenceResolver({
  entity: Territory,
  inputs: { create: CreateTerritoryInput, update: UpdateTerritoryInput },
  reads,
  writes: new ReferenceWrites<Territory>({ entity: Territory, reads, what: 'territory', table, uniqueName: 'territory_unique_name' }),
  fields: { one: 'territory', many: 'territories' },
  words: { one: 'territory', many: 'territories' },
  permissions: { read: 'territories:read' },
  uniqueName: true,
  says: { delete: '.' },
})
`

const migration = `import { Migration } from '@mikro-orm/migrations'
import { changed, NAME_KEY, owned, STAMPS, stampTriggers, wall } from './parts.js'

export class M9000_territories extends Migration {
  override up(): void {
    this.addSql(\`
create table territory (
  \${owned}
  name varchar(255) not null,
  code varchar(16),
  \${STAMPS},
  \${NAME_KEY},
  unique (account_id, id)
);
create unique index territory_unique_name on territory (account_id, lower(name));
create index territory_name_idx on territory (account_id, name_key, id);
\${stampTriggers('territory', changed('name code'))}
\${wall('territory')}\`)
  }

  override down(): void {
    this.addSql('drop table territory')
  }
}
`

const operations = `# Lists the account's territories by name.
query ListTerritories($search: String, $page: Int, $limit: Int)
@rest(method: GET, path: "/territories", envelope: PAGE) {
  territories(search: $search, page: $page, limit: $limit) {
    items { ...TerritoryFields }
    pagination { ...Pagination }
  }
}

# Returns one territory.
query GetTerritory($id: ID!) @rest(method: GET, path: "/territories/:id") {
  territory(id: $id) { ...TerritoryFields }
}

# Creates a territory.
mutation CreateTerritory($name: String!, $code: String) @rest(method: POST, path: "/territories", status: 201, needs: ["territories:read"]) {
  createTerritory(input: { name: $name, code: $code }) { ...TerritoryFields }
}

# Changes the given fields of a territory.
mutation UpdateTerritory($id: ID!, $name: String, $code: String) 
@rest(method: PUT, path: "/territories/:id", needs: ["territories:read"]) {
  updateTerritory(id: $id, input: { name: $name, code: $code }) { ...TerritoryFields }
}

# Deletes a territory.
mutation DeleteTerritory($id: ID!)
@rest(method: DELETE, path: "/territories/:id", message: "The territory was deleted.") {
  deleteTerritory(id: $id) { id deleted }
}

fragment TerritoryFields on Territory {
  id
  name
  code
  created_at: createdAt
  updated_at: updatedAt
}
`

const IMPORTS = `import { Territory } from './territory.entity.js'
import { TerritoryResolver } from './territory.resolver.js'
`

/** All that a small record takes: its files, and what goes before which line of its domain's manifest. */
export const TERRITORY = {
  files: {
    'src/domains/reference/territory.entity.ts': entity,
    'src/domains/reference/territory.inputs.ts': inputs,
    'src/domains/reference/territory.resolver.ts': resolver,
    'src/database/migrations/M9000_territories.ts': migration,
    'schema/operations/external/territories.graphql': operations,
  },
  manifest: [
    ["import { Tag } from './tag.entity.js'", IMPORTS],
    ['Sector, DiscardReason, Product, Tag]', 'Territory, '],
    ['TagResolver, SectorResolver', 'TerritoryResolver, '],
    ["'sectors:read': 'list sectors',", "'territories:read': 'list territories',\n    "],
  ] as const,
}
