import { buildSchema, GraphQLEnumType, type GraphQLObjectType, parse } from 'graphql'
import type { Context } from '../../src/database/index.js'
import { compileOperation } from '../../src/graphql/execute.js'

/** A schema whose one field resolves to a value. */
function schemaOf(
  type: string,
  value: unknown,
  colours: Record<string, string> = { RED: 'red', DARK_BLUE: 'dark_blue' },
) {
  const schema = buildSchema(`enum Colour { RED DARK_BLUE } type Query { field: ${type} }`)
  const values = Object.fromEntries(Object.entries(colours).map(([name, value]) => [name, { value }]))
  Object.assign(schema.getType('Colour')!, new GraphQLEnumType({ name: 'Colour', values }))
  ;(schema.getType('Query') as GraphQLObjectType).getFields().field!.resolve = () => value
  return schema
}

const run = (schema: ReturnType<typeof schemaOf>) =>
  compileOperation(schema, parse('query Tested { field }'), 'Tested')({} as Context, {})

test.each([
  ['String', 'text'],
  ['Int', 7],
  ['Float', 0.5],
  ['Boolean', false],
  ['ID', 'id'],
  ['Colour', 'dark_blue'],
  ['[Colour!]!', ['red', 'dark_blue']],
  ['String', null],
])('%s: %j goes out as it is', async (type, value) => {
  expect(await run(schemaOf(type, value))).toEqual({ data: { field: value } })
})

test('what is undefined is null', async () => {
  expect(await run(schemaOf('String', undefined))).toEqual({ data: { field: null } })
})

test('null where there must be a value is an error, and so is an error', async () => {
  expect((await run(schemaOf('String!', null))).errors).toHaveLength(1)
  expect((await run(schemaOf('String', new Error('no')))).errors).toHaveLength(1)
})

test('an enum whose values are not spelled as REST spells them is refused', () => {
  expect(() => run(schemaOf('Colour', 'r', { RED: 'r', DARK_BLUE: 'dark_blue' }))).toThrow(
    "Colour.RED must have the value 'red'",
  )
})
