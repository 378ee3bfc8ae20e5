/** What a source text does with tables and entities. */
export interface TableUse {
  reads: Set<string>
  writes: Set<string>
  /** The classes of entities that it creates, changes, deletes or loads to change them. */
  entities: Set<string>
}

const KEYWORDS = 'where|join|left|right|inner|cross|full|lateral|on|group|order|limit|set|using|for|union|select|values'
const ITEM = String.raw`"?\w+"?(?:\s+(?:as\s+)?(?!(?:${KEYWORDS})\b)\w+)?`
const LIST = String.raw`((?:only\s+)?${ITEM}(?:\s*,\s*${ITEM})*)`
const READ = new RegExp(String.raw`\b(?:from|join|using)\s+${LIST}`, 'gi')
const WRITE = new RegExp(
  String.raw`\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+${LIST}`,
  'gi',
)
const BUILT = /\.(insertInto|updateTable|deleteFrom|mergeInto)\(\s*['"](\w+)/g
const LITERAL = /['"](\w+)(?:\s+as\s+\w+)?['"]/g
const ORM =
  /\bem\.(?:create|assign|insert|insertMany|upsert|upsertMany|nativeInsert|nativeUpdate|nativeDelete|remove|find\w*|getReference|refresh)\(\s*(\w+)/g

/**
 * What a source text does with tables: the tables that its SQL names, a table's name as a literal (it is handed to what
 * builds the SQL), and what it does through the unit of work, whose loaded records are there to be changed.
 */
export function tableUse(text: string, tables: ReadonlySet<string>): TableUse {
  const code = text
    .replace(/\/\*[\s\S]*?\*\/|(?<!['":])\/\/.*/g, '')
    .replace(/^(?:import|export) .*? from '.*?'$/gms, '')
  const known = (names: Iterable<string>) => new Set([...names].filter((name) => tables.has(name)))
  const listed = (pattern: RegExp) =>
    [...code.matchAll(pattern)].flatMap((match) => match[1]!.split(',').map(firstName))
  const literals = [...code.matchAll(LITERAL)].map((match) => match[1]!)
  return {
    reads: known([...listed(READ), ...literals]),
    writes: known([...listed(WRITE), ...[...code.matchAll(BUILT)].map((match) => match[2]!)]),
    entities: new Set([...code.matchAll(ORM)].map((match) => match[1]!)),
  }
}

const firstName = (item: string): string => /^\s*(?:only\s+)?"?(\w+)/i.exec(item)![1]!
