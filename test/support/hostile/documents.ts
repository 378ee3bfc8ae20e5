import fc, { type GeneratorValue } from 'fast-check'
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'

/** What is sent to /graphql. */
export interface HostileDocument {
  query: string
  variables: Record<string, unknown>
  operationName?: string
}

const DATES = ['2024-01-01', '2024-05-06T07:08:09Z']
const TEXTS = [
  ...[
    '',
    ' ',
    'ana',
    '%',
    '\u0000',
    '\ud800',
    '\u202e',
    "'; drop table contact; --",
    'x'.repeat(300),
    '😀'.repeat(300),
  ],
  ...[
    'a@b.test',
    '2024-02-30',
    '2024-01-01T00:00:00Z',
    '0000-00-00',
    '1e400',
    'null',
    '__proto__',
    '{"a":1}',
    '+5511987654321',
  ],
  ...['00000000-0000-0000-0000-000000000000', '0190b3b2-7c1e-7000-8000-000000000000', 'CONTACT', 'https://x.test/é'],
]
const NUMBERS = [
  '0',
  '-1',
  '1',
  '100',
  '2147483647',
  '2147483648',
  '-2147483649',
  '9007199254740993',
  '1.5',
  '1e308',
  '1e400',
  '-0',
]
const MOST_DEEP = 4

/** Writes one document: what it selects, with which arguments, is drawn. */
class Writer {
  readonly variables: Record<string, unknown> = {}
  private readonly declared: string[] = []
  private readonly fragments: string[] = []
  private names = 0
  /** Whether nothing in it is at odds with the schema, so that it is carried out as far as its values allow. */
  private readonly tidy: boolean

  constructor(
    private readonly draw: GeneratorValue,
    private readonly schema: GraphQLSchema,
  ) {
    this.tidy = this.chance(65)
  }

  document(): HostileDocument {
    const mutates = this.chance(20)
    const root = mutates ? this.schema.getMutationType()! : this.schema.getQueryType()!
    const selected = this.selection(root, this.odd(4) ? 12 : MOST_DEEP)
    const name = this.chance(30) ? `Op${this.number(3)}` : ''
    const variables = this.declared.length > 0 ? `(${this.declared.join(', ')})` : ''
    const operation = `${mutates ? 'mutation' : 'query'} ${name}${variables}${this.directive()} ${selected}`
    const second = this.odd(3) ? ' query Other { session { account { id } } }' : ''
    return {
      query: `${operation}${second} ${this.fragments.join(' ')}`,
      variables: this.odd(5) ? {} : this.variables,
      ...(this.odd(8) && { operationName: this.pick([name, 'Nobody', '']) }),
    }
  }

  private selection(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields())
    const parts: string[] = []
    const count = 1 + this.number(depth === MOST_DEEP ? 2 : 4)
    for (let i = 0; i < count; i++) parts.push(this.part(type, fields, depth))
    return `{ ${parts.join(' ')} }`
  }

  private part(type: GraphQLObjectType, fields: readonly GraphQLField<unknown, unknown>[], depth: number): string {
    if (this.odd(3)) return this.pick(['__typename', 'nothing', '__schema { types { name } }', '...Missing', '_x'])
    if (this.chance(6) && depth > 0) {
      const inner = this.selection(type, depth - 1)
      if (this.chance(50)) return `... ${!this.odd(30) ? `on ${type.name}` : 'on Contact'}${this.directive()} ${inner}`
      const name = `F${++this.names}`
      this.fragments.push(`fragment ${name} on ${type.name} ${this.odd(3) ? `{ ...${name} }` : inner}`)
      return `...${name}${this.directive()}`
    }
    const field = this.pick(fields)
    const own = field.args.length > 0 ? `n${++this.names}: ` : ''
    const alias = this.tidy ? own : this.chance(15) ? `${this.pick(['a', 'b', 'id', '__x'])}: ` : ''
    const named = getNamedType(field.type)
    const below = isObjectType(named) ? this.below(named, depth) : this.odd(2) ? '{ id }' : ''
    return `${alias}${field.name}${this.given(field.args)}${this.directive()} ${below}`
  }

  private below(type: GraphQLObjectType, depth: number): string {
    if (depth > 0) return this.selection(type, depth - 1)
    const leaves = Object.values(type.getFields()).filter(
      ({ args, type: own }) => !isObjectType(getNamedType(own)) && args.length === 0,
    )
    return `{ ${leaves.length > 0 ? this.pick(leaves).name : '__typename'} }`
  }

  private given(args: readonly GraphQLArgument[]): string {
    const given = args.filter(({ type }) => this.isGiven(type, 35))
    const texts = given.map(({ name, type }) => `${name}: ${this.value(type, 3)}`)
    if (this.odd(2)) texts.push('unknown: 1')
    return texts.length > 0 ? `(${texts.join(', ')})` : ''
  }

  /** A value as it stands in a document; what stands for it, if it is a variable. */
  private value(type: GraphQLInputType, depth: number): string {
    if (this.chance(25)) return this.variable(type, depth)
    return this.literal(type, depth)
  }

  private variable(type: GraphQLInputType, depth: number): string {
    const name = `v${++this.names}`
    const declared = this.odd(5) ? this.pick(['Int', 'String!', '[ID!]', 'ContactInput', 'Boolean']) : String(type)
    const fallback = this.chance(8) && !isNonNullType(type) ? ` = ${this.literal(type, depth)}` : ''
    if (!this.odd(2)) this.declared.push(`$${name}: ${declared}${fallback}`)
    if (!this.chance(8))
      this.variables[name] = this.chance(15) ? this.draw(fc.jsonValue, { maxDepth: 2 }) : this.json(type, 3)
    return `$${name}`
  }

  private literal(type: GraphQLInputType, depth: number): string {
    if (this.chance(3))
      return this.pick(['null', '[]', '{}', '1', '"x"', 'true', 'ENUM', '[[1]]', '{a: 1}', '$missing'])
    if (isNonNullType(type)) return this.literal(type.ofType, depth)
    if (isListType(type)) return `[${this.times(3, () => this.literal(type.ofType, depth - 1)).join(', ')}]`
    if (isInputObjectType(type)) {
      if (depth <= 0 && !this.tidy) return '{}'
      const fields = Object.values(type.getFields()).filter((one) => this.isGiven(one.type, 30))
      return `{${fields.map((one) => `${one.name}: ${this.value(one.type, depth - 1)}`).join(', ')}}`
    }
    if (isEnumType(type)) return this.pick(type.getValues()).name
    return this.scalar(type.name)
  }

  private scalar(name: string): string {
    if (name === 'Int' || name === 'Float') return this.tidy ? this.pick(['0', '1', '7', '-1']) : this.pick(NUMBERS)
    if (name === 'Boolean') return this.pick(['true', 'false'])
    if (name === 'JSONObject') return this.pick(['{}', '{a: {b: [1, null, "x"]}}', '{a: "\\u0000"}', '{__proto__: 1}'])
    if (this.tidy && /^Date/.test(name)) return JSON.stringify(this.pick(DATES))
    if (this.chance(5)) return `"""${this.pick(['a\n  b', '\\"""', ''])}"""`
    return JSON.stringify(this.text())
  }

  private json(type: GraphQLInputType, depth: number): unknown {
    if (this.odd(3)) return this.pick([null, [], {}, 1, 'x', true])
    if (isNonNullType(type)) return this.json(type.ofType, depth)
    if (isListType(type)) return this.times(3, () => this.json(type.ofType, depth - 1))
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((one) => this.isGiven(one.type, 30))
      return depth <= 0 && !this.tidy
        ? {}
        : Object.fromEntries(fields.map((one) => [one.name, this.json(one.type, depth - 1)]))
    }
    if (isEnumType(type)) return this.pick(type.getValues()).name
    if (type.name === 'Int' || type.name === 'Float') return this.tidy ? this.number(9) : Number(this.pick(NUMBERS))
    if (type.name === 'Boolean') return this.chance(50)
    return type.name === 'JSONObject'
      ? this.draw(fc.jsonValue, { maxDepth: 2 })
      : this.tidy && /^Date/.test(type.name)
        ? this.pick(DATES)
        : this.text()
  }

  private text(): string {
    return this.chance(70) ? this.pick(TEXTS) : this.draw(fc.string, { unit: 'binary', maxLength: 20 })
  }

  private directive(): string {
    if (!this.chance(6)) return ''
    if (this.tidy) return ' @include(if: true)'
    return ` ${this.pick(['@include(if: true)', '@skip(if: false)', '@skip(if: true)', '@include(if: "x")', '@skip', '@unknown', '@deprecated'])}`
  }

  private times<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.number(most) }, make)
  }

  /** Whether something is given: what must be there nearly always is. */
  private isGiven(type: GraphQLInputType, percent: number): boolean {
    return isNonNullType(type) ? !this.odd(5) : this.chance(percent)
  }

  private odd(percent: number): boolean {
    return !this.tidy && this.chance(percent)
  }

  private chance(percent: number): boolean {
    return this.number(99) < percent
  }

  private number(most: number): number {
    return this.draw(fc.nat, most)
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.number(list.length - 1)]!
  }
}

/** Documents of everything that a schema has, with arguments of any value; most of them are right. */
export const documentsOf = (schema: GraphQLSchema): fc.Arbitrary<HostileDocument> =>
  fc.gen().map((draw) => new Writer(draw, schema).document())
