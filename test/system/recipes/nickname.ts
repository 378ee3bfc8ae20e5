import type { Scratch } from './scratch.js'

const NICKNAMES = `import { Migration } from '@mikro-orm/migrations'
import { changed } from './parts.js'

export class M9000_nicknames extends Migration {
  override up(): void {
    this.addSql(\`alter table contact add column nickname varchar(255);
create trigger contact_stamp_nickname before update on contact for each row
  when (\${changed('nickname')}) execute function stamp();\`)
  }

  override down(): void {
    this.addSql('drop trigger contact_stamp_nickname on contact; alter table contact drop column nickname')
  }
}
`

/** Follows the recipe for a field of a record: contacts get a `nickname`. */
export function addNickname(scratch: Scratch): void {
  const field = (decorators: string) => `@Field(() => String, { nullable: true, description: 'What friends call it.' })
  ${decorators}
  nickname?: string | null

  `
  scratch.insert(
    'src/domains/contacts/contact.entity.ts',
    "@Field(() => String, { nullable: true, description: 'The job title.' })",
    field("@Property({ type: 'string', length: 255, nullable: true })\n  @Example('Aninha')"),
  )
  scratch.insert(
    'src/domains/contacts/contact.inputs.ts',
    "@Field(() => String, { nullable: true, description: 'The job title.' })",
    field('@MaxLength(255)'),
  )
  scratch.insert('schema/operations/fragments/contact.graphql', '  title\n', '  nickname\n')
  scratch.write('src/database/migrations/M9000_nicknames.ts', NICKNAMES)
}
