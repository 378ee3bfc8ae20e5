import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { assembly } from '../../../src/assembly.js'
import { createSchema } from '../../../src/graphql/index.js'
import type { Stock } from '../stock.js'
import { ROOT_FIELDS, TYPES, type Word } from './access-table.js'
import { words } from './holders.js'

export const schema = createSchema(assembly)
type Field = GraphQLField<unknown, unknown>

/** One field that a caller asks for. */
export interface Question {
  /** `contact.tags: Tag.name` */
  name: string
  root: string
  verb: 'query' | 'mutation'
  query: string
  /** What the table demands of whoever asks, in the order in which it is looked at. */
  demanded: Word[]
}

/** A way to a type: the fields from a root field on. */
interface Way {
  verb: Question['verb']
  fields: readonly Field[]
  type: GraphQLObjectType
}

/** An id that no record has. */
const UNKNOWN = '0190163d-8694-739b-aea5-966c26f8ad91'

/** Arguments without which a mutation would do more than the matrix wants. */
const HARMLESS: Readonly<Record<string, string>> = {
  revokeSessions: '(keepThis: true)',
  searchKnowledge: '(aiAgentId: "$id", query: "costs")',
}

/** The record of the stock that a query asks for, where it is not called like the query. */
const ASKED_FOR: Readonly<Record<string, keyof Stock>> = {
  campaignContacts: 'campaign',
  discardReason: 'reason',
  instagramAgent: 'agent',
  opportunityHistory: 'opportunity',
  previewEmailTemplate: 'emailTemplate',
  searchKnowledge: 'aiAgent',
}

const WORD_OF_ROOT = new Map(Object.entries(ROOT_FIELDS).flatMap(([word, names]) => words(names).map((n) => [n, word])))
const ROOTS: Way[] = (['query', 'mutation'] as const).flatMap((verb) => {
  const type = verb === 'query' ? schema.getQueryType()! : schema.getMutationType()!
  return Object.values(type.getFields()).map((field) => ({ verb, fields: [field], type }))
})

/** Required arguments with which a query finds a record of the stock, and a mutation finds nothing to do. */
function literal(type: GraphQLInputType, id: string): string {
  if (isNonNullType(type)) return literal(type.ofType, id)
  if (isListType(type)) return `[${literal(type.ofType, id)}]`
  if (isEnumType(type)) return type.getValues()[0]!.name
  if (isInputObjectType(type)) {
    const needed = Object.values(type.getFields()).filter((field) => isNonNullType(field.type))
    return `{${needed.map((field) => `${field.name}: ${literal(field.type, id)}`).join(', ')}}`
  }
  const samples: Record<string, string> = {
    ID: `"${id}"`,
    Boolean: 'true',
    Int: '1',
    Float: '1',
    String: '""',
    DateTime: '"2026-01-31T00:00:00Z"',
  }
  return samples[type.name] ?? '"2026-01-31"'
}

function spelled({ name, args }: { name: string; args: readonly GraphQLArgument[] }, id: string): string {
  const needed = args.filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined)
  if (HARMLESS[name]) return name + HARMLESS[name].replace('$id', id)
  return needed.length === 0 ? name : `${name}(${needed.map((arg) => `${arg.name}: ${literal(arg.type, id)}`)})`
}

const typeOf = (field: Field): GraphQLObjectType | undefined => {
  const type = getNamedType(field.type)
  return isObjectType(type) ? type : undefined
}

const wordOfType = ({ name }: GraphQLObjectType): Word => TYPES[name]?.[0] ?? `no entry of ${name}`

/** What the table demands for the last of these fields; a type of which any may read the fields demands nothing more. */
function demandedOf(fields: readonly Field[]): Word[] {
  const [root] = fields
  const types = fields.slice(0, -1).map((field) => wordOfType(typeOf(field)!))
  return [WORD_OF_ROOT.get(root!.name) ?? `no entry of ${root!.name}`, ...types.filter((word) => word !== 'any')]
}

/** The shortest ways from root fields to types, those of queries first; what `passes` refuses is not gone through. */
function waysTo(passes: (word: Word) => boolean): Map<string, Way> {
  const found = new Map<string, Way>()
  for (const verb of ['query', 'mutation'] as const) {
    const open = ROOTS.filter((way) => way.verb === verb && passes(demandedOf(way.fields)[0]!)).map(
      ({ fields }) => fields,
    )
    for (const fields of open) {
      const type = typeOf(fields.at(-1)!)
      if (!type || found.has(type.name)) continue
      found.set(type.name, { verb, fields, type })
      if (passes(wordOfType(type))) open.push(...Object.values(type.getFields()).map((field) => [...fields, field]))
    }
  }
  return found
}

function question(verb: Question['verb'], fields: readonly Field[], stock: Stock): Question {
  const root = fields[0]!.name
  const id = verb === 'mutation' ? UNKNOWN : ((stock[ASKED_FOR[root] ?? (root as keyof Stock)] as string) ?? UNKNOWN)
  const leaf = typeOf(fields.at(-1)!) ? ' { __typename }' : ''
  const query = `${verb} { ${fields.map((field) => spelled(field, id)).join(' { ')}${leaf}${' }'.repeat(fields.length)}`
  const owner = fields.length > 1 ? `: ${typeOf(fields.at(-2)!)!.name}.${fields.at(-1)!.name}` : ''
  const way = fields.slice(0, Math.max(1, fields.length - 1)).map(({ name }) => name)
  return { name: way.join('.') + owner, root, verb, query, demanded: demandedOf(fields) }
}

const each = ({ verb, fields, type }: Way, stock: Stock) =>
  Object.values(type.getFields()).map((field) => question(verb, [...fields, field], stock))

/** Every root field; `logout` is the last one, since it ends the session that asks. */
export function rootQuestions(stock: Stock): Question[] {
  const all = ROOTS.map(({ verb, fields }) => question(verb, fields, stock))
  return [...all.filter(({ name }) => name !== 'logout'), ...all.filter(({ name }) => name === 'logout')]
}

/** Every field of every object type, on the shortest way from a root field. */
export function fieldQuestions(stock: Stock): Question[] {
  return [...waysTo(() => true).values()].flatMap((way) => each(way, stock))
}

/** Every field of the types that take the permission, where they are reached without it otherwise: the type guards itself. */
export function questionsInside(permission: Word, stock: Stock): Question[] {
  const ways = waysTo((word) => word !== permission).values()
  return [...ways].filter(({ type }) => wordOfType(type) === permission).flatMap((way) => each(way, stock))
}

/** The types that a table must name, each with its fields; root types aside. */
export const typesOfSchema = (): GraphQLObjectType[] =>
  Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType =>
      isObjectType(type) && !type.name.startsWith('__') && !['Query', 'Mutation'].includes(type.name),
  )

/** The names of all root fields. */
export const rootsOfSchema = (): string[] => ROOTS.map(({ fields }) => fields[0]!.name)
