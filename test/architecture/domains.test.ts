import 'reflect-metadata'
import { MikroORM } from '@mikro-orm/postgresql'
import { assembly } from '../../src/assembly.js'
import { ormOptions } from '../../src/database/options.js'
import { tableOf } from '../../src/database/tally/index.js'
import { domains } from '../../src/domains/index.js'
import type { Domain } from '../../src/kit/domain.js'
import { domainFolders, importsOf, type SourceFile, sourceFiles } from './sources.js'
import { tableUse } from './tables.js'

const orm = new MikroORM({ ...ormOptions(assembly.entities), dbName: 'none' })
const metadata = [...orm.getMetadata().getAll().values()]

const withUsed = ({ name, uses }: Domain): Set<string> =>
  new Set([name, ...uses.flatMap((used) => [...withUsed(used)])])

/** By name: what a domain and all that it uses, and through them, are called. */
const reach = new Map(domains.map((domain) => [domain.name, withUsed(domain)]))

const ownerOfEntity = new Map(domains.flatMap(({ name, entities }) => entities.map((entity) => [entity.name, name])))
const ownerOfTable = new Map([
  ...metadata.map(({ className, tableName }) => [tableName, ownerOfEntity.get(className)!] as const),
  ...domains.flatMap(({ name, tallies }) => tallies.map((tally) => [tableOf(tally), name] as const)),
])
const tables = new Set(ownerOfTable.keys())

const domainOf = (path: string) => /^domains\/([\w-]+)\//.exec(path)?.[1]
const files = sourceFiles().filter(({ path }) => domainOf(path))

/** The imports of a file that lead to a domain which its own does not use, or to another one's demo data. */
function wrongImports({ path, imports }: Omit<SourceFile, 'text'>): string[] {
  const own = domainOf(path)!
  const used = domains.find(({ name }) => name === own)!.uses.map(({ name }) => name)
  return imports
    .filter((target) => domainOf(target) && domainOf(target) !== own && !used.includes(domainOf(target)!))
    .map((target) => `${path} imports ${target}`)
}

/** What a file of a domain writes of others' tables, and reads of those it does not use. */
function wrongTables({ path, text }: Omit<SourceFile, 'imports'>): string[] {
  const own = domainOf(path)!
  const { reads, writes, entities } = tableUse(text, tables)
  return [
    ...[...writes].filter((name) => ownerOfTable.get(name) !== own).map((name) => `${path} writes ${name}`),
    ...[...entities]
      .filter((name) => ownerOfEntity.has(name) && ownerOfEntity.get(name) !== own)
      .map((name) => `${path} writes ${name}`),
    ...[...reads]
      .filter((name) => !reach.get(own)!.has(ownerOfTable.get(name)!))
      .map((name) => `${path} reads ${name}`),
  ]
}

test('each folder is one domain of the list, under its name', () => {
  expect(domains.map(({ name }) => name).sort()).toEqual(domainFolders().sort())
})

test('every entity and every table belongs to one domain', () => {
  expect(metadata.filter(({ className }) => !ownerOfEntity.has(className))).toEqual([])
  expect([...ownerOfTable.values()].filter((name) => !name)).toEqual([])
})

test('a domain imports only from those that it uses, be it only a type', () => {
  expect(files.flatMap(wrongImports)).toEqual([])
})

test('relations lead only to what the domain uses', () => {
  const wrong = metadata.flatMap(({ className, relations }) =>
    relations
      .filter(
        ({ targetMeta }) => !reach.get(ownerOfEntity.get(className)!)!.has(ownerOfEntity.get(targetMeta!.className)!),
      )
      .map(({ name, targetMeta }) => `${className}.${name} leads to ${targetMeta!.className}`),
  )
  expect(wrong).toEqual([])
})

test('a domain writes only its own tables, and reads only those of what it uses', () => {
  expect(files.flatMap(wrongTables)).toEqual([])
})

describe('the check sees', () => {
  const path = 'domains/contacts/planted.service.ts'

  test.each([
    ["import { Conversation } from '../conversations/index.js'", 'conversations/index.ts'],
    [
      "import type { Opportunity } from '../opportunities/opportunity.entity.js'",
      'opportunities/opportunity.entity.ts',
    ],
    ["export { Stage } from '../pipelines/index.js'", 'pipelines/index.ts'],
    ["const late = await import('../reports/index.js')", 'reports/index.ts'],
  ])('the import in: %s', (text, target) => {
    expect(wrongImports({ path, imports: importsOf(path, text) })).toEqual([`${path} imports domains/${target}`])
  })

  test.each([
    ['sql`update conversation set contact_id = null`', 'writes conversation'],
    ['sql`update "conversation" c set contact_id = null`', 'writes conversation'],
    ['sql`with gone as (delete from message where true) select 1`', 'writes message'],
    ['sql`insert into tag (id) values (1)`', 'writes tag'],
    ["builder().updateTable('tag')", 'writes tag'],
    ['await em.nativeDelete(Opportunity, { id })', 'writes Opportunity'],
    ['em.create(Tag, { name })', 'writes Tag'],
    ['(await em.findOneOrFail(Tag, id)).name = name', 'writes Tag'],
    ['sql`select 1 from contact c left join message m on true`', 'reads message'],
    ['sql`select 1 from contact c, message m`', 'reads message'],
    ['sql`select 1 from contact, stage`', 'reads stage'],
    ['sql`select sum(n) from opportunity_tally`', 'reads opportunity_tally'],
    ["new PageReader({ table: 'campaign', alias: 'c' })", 'reads campaign'],
    ["builder().selectFrom('campaign as c')", 'reads campaign'],
  ])('what is wrong with: %s', (text, fault) => {
    expect(wrongTables({ path, text })).toContain(`${path} ${fault}`)
  })

  test('nothing wrong with what is allowed', () => {
    const text = `import { Message } from '../message'
      // delete from message
      sql\`update contact c set updated_at = now() from contact_tag ct join tag t on true for update of c skip locked\`
      sql\`select from account a, contact_tally\`
      em.create(Contact, { name })`
    expect(wrongTables({ path, text })).toEqual([])
  })
})
