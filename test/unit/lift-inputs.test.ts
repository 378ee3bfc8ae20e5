import {
  buildSchema,
  type ExecutionResult,
  execute,
  GraphQLEnumType,
  type GraphQLScalarType,
  NoUnusedVariablesRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import type { Context } from '../../src/database/index.js'
import { compileOperation } from '../../src/graphql/execute.js'
import { liftInputs } from '../../src/graphql/lift-inputs.js'

const schema = buildSchema(/* GraphQL */ `
  enum Colour { RED GREEN }
  scalar Doubled
  scalar Free
  input Inner { a: String b: Int! = 7 list: [String] colour: Colour doubled: Doubled }
  input Outer { a: String b: String = "fallback" inner: Inner inners: [Inner!] free: Free flag: Boolean n: Float }
  type Query {
    echo(input: Outer, plain: String, limit: Int! = 50, list: [Outer!], ids: [ID!], colour: Colour = GREEN): String
    other(input: Inner!): String
    nested: Nested
  }
  type Nested { echo(input: Outer): String }
  type Mutation { change(id: ID!, input: Outer!): String }
`)

/** Shows the arguments that a resolver got, in the order of their names, with absent and null told apart. */
const show = (args: unknown) =>
  JSON.stringify(args, (_, value) => {
    if (value === undefined) return 'undefined'
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
for (const [type, names] of [
  ['Query', ['echo', 'other']],
  ['Nested', ['echo']],
  ['Mutation', ['change']],
] as const) {
  const fields = (schema.getType(type) as unknown as { getFields(): Record<string, { resolve?: unknown }> }).getFields()
  for (const name of names) fields[name]!.resolve = (_: unknown, args: unknown) => show(args)
  if (type === 'Query') fields.nested!.resolve = () => ({})
}
const colour = schema.getType('Colour') as GraphQLEnumType
Object.assign(
  colour,
  new GraphQLEnumType({ name: 'Colour', values: { RED: { value: 'red' }, GREEN: { value: 'green' } } }),
)
const doubled = schema.getType('Doubled') as GraphQLScalarType
doubled.parseValue = (value) => 2 * (value as number)
doubled.parseLiteral = (node) => 2 * Number((node as { value: string }).value)

/** Where a null is refused differs: with the variables, or at the field. */
const outcome = ({ data, errors = [] }: ExecutionResult) => (errors.length > 0 ? 'failed' : data)

/** What the resolvers get from the compiled operation, and from graphql-js. */
async function both(text: string, variables: Record<string, unknown>) {
  const document = parse(text.replace(/^(query|mutation)?/, (kind) => `${kind || 'query'} Tested`))
  const rules = specifiedRules.filter((rule) => rule !== NoUnusedVariablesRule)
  expect(validate(schema, document, rules)).toEqual([])
  const compiled = await compileOperation(schema, document, 'Tested')({} as Context, variables)
  const plain = await execute({ schema, document, variableValues: variables })
  return { compiled: outcome(compiled), plain: outcome(plain) }
}

const INPUT = 'query ($a: String, $b: String, $x: String, $f: Boolean)'

test.each<[string, string, Record<string, unknown>[]]>([
  [
    'fields that are absent, null or given',
    `${INPUT} { echo(input: {a: $a, b: $b, flag: $f}) }`,
    [{}, { a: null }, { a: 'x' }, { a: '', b: null, f: false }, { b: 'y' }],
  ],
  ['constants beside variables', `${INPUT} { echo(input: {a: "k", b: $b, n: 1.5, flag: true}) }`, [{}, { b: null }]],
  ['null as a constant', `${INPUT} { echo(input: {a: null, b: $b}) }`, [{}, { b: 'y' }]],
  [
    'defaults of variables',
    'query ($a: String = "d", $b: String = null, $i: Int = 3) { echo(input: {a: $a, b: $b, inner: {b: $i}}) }',
    [{}, { a: null }, { a: 'x', b: 'y', i: 4 }],
  ],
  [
    'defaults of input fields',
    'query ($i: Int, $x: String) { echo(input: {inner: {b: $i, a: $x}}) }',
    [{}, { i: 1 }, { i: null }],
  ],
  [
    'objects in objects',
    `${INPUT} { echo(input: {a: $a, inner: {a: $b, list: [$x, "k", $a]}}) }`,
    [{}, { a: 'x' }, { b: null }, { a: null, b: 'y', x: 'z' }],
  ],
  [
    'lists of objects',
    `${INPUT} { echo(input: {inners: [{a: $a}, {a: $b, list: [$x]}, {a: "k"}]}) }`,
    [{}, { a: null }, { b: 'y', x: null }],
  ],
  ['an argument that is a list of objects', `${INPUT} { echo(list: [{a: $a}, {b: $b}]) }`, [{}, { a: null, b: 'y' }]],
  [
    'an argument that is a list of variables',
    'query ($i: ID!, $j: ID!) { echo(ids: [$i, "k", $j]) }',
    [{ i: '1', j: '2' }],
  ],
  [
    'whole variables',
    'query ($o: Outer, $i: Inner!) { echo(input: $o) other(input: $i) }',
    [{ i: { a: null } }, { o: null, i: {} }, { o: { a: 'x', inner: { list: [null] } }, i: { a: 'x', b: 2 } }],
  ],
  [
    'a whole variable inside of an object',
    'query ($i: Inner, $is: [Inner!], $free: Free) { echo(input: {inner: $i, inners: $is, free: $free}) }',
    [{}, { i: null, is: null, free: null }, { i: {}, is: [{}, { a: null }], free: { x: [null] } }],
  ],
  [
    'arguments beside the object',
    'query ($p: String, $l: Int = 50, $a: String, $c: Colour) { echo(plain: $p, limit: $l, colour: $c, input: {a: $a}) }',
    [{}, { p: null, l: 3 }, { a: 'x', c: 'RED' }, { c: null }],
  ],
  [
    'arguments whose own default counts',
    'query ($l: Int, $c: Colour) { echo(limit: $l, colour: $c) }',
    [{}, { l: 3 }, { c: null }],
  ],
  [
    'enums and scalars of their own, once',
    'query ($c: Colour = RED, $d: Doubled) { other(input: {colour: $c, doubled: $d}) }',
    [{}, { c: 'GREEN', d: 4 }, { c: null, d: null }],
  ],
  [
    'enums and scalars as constants',
    'query ($a: String) { other(input: {a: $a, colour: GREEN, doubled: 5}) }',
    [{}, { a: 'x' }],
  ],
  [
    'several root fields that share variables',
    `${INPUT} { one: echo(input: {a: $a}) two: echo(input: {b: $a, inner: {a: $x}}) three: echo(plain: $a) other(input: {a: $b}) }`,
    [{}, { a: 'x' }, { a: null, b: 'y' }],
  ],
  [
    'fields below the root and in fragments',
    `${INPUT} { nested { ...F again: echo(input: {b: $b}) } } fragment F on Nested { echo(input: {a: $a}) }`,
    [{}, { a: null }, { a: 'x', b: 'y' }],
  ],
  [
    'mutations',
    'mutation ($id: ID!, $a: String) { change(id: $id, input: {a: $a}) }',
    [{ id: '1' }, { id: '1', a: null }],
  ],
  ['no variables at all', '{ echo(input: {a: "k", inner: {list: ["x"]}}) other(input: {}) }', [{}]],
])('%s reach the resolver as graphql-js passes them', async (_, text, several) => {
  for (const variables of several) {
    const { compiled, plain } = await both(text, variables)
    expect({ variables, outcome: compiled }).toEqual({ variables, outcome: plain })
  }
})

test('variables that nobody uses any more are dropped, and the others keep their definitions', () => {
  const document = parse('query ($a: String, $p: String = "d") { echo(plain: $p, input: {a: $a, b: $p}) }')
  const { document: lifted, variables } = liftInputs(schema, document)
  expect(validate(schema, lifted)).toEqual([])
  expect(variables({ a: 'x' })).toEqual({ p: 'd', _0: { a: 'x', b: 'd' } })
  expect(variables({ p: null })).toEqual({ p: null, _0: { b: null } })
})

test('a variable that is undefined counts as absent', () => {
  const { variables } = liftInputs(schema, parse('query ($a: String, $p: String) { echo(plain: $p, input: {a: $a}) }'))
  expect(variables({ a: undefined, p: undefined })).toStrictEqual({ _0: {} })
})

test('the variables that are given stay as they are', () => {
  const { variables } = liftInputs(schema, parse('query ($i: Inner) { echo(input: {inner: $i}) }'))
  const given = { i: { a: 'x' } }
  variables(given)
  expect(given).toEqual({ i: { a: 'x' } })
})
