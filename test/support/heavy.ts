const MIB = 1_048_576
const many = (count: number, of: (i: number) => string, glue = ' ') =>
  Array.from({ length: count }, (_, i) => of(i)).join(glue)
const numbered = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]))

/** The largest number whose text still fits into a body. */
function fitting(build: (count: number) => string): string {
  let [low, high] = [1, MIB]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (build(middle).length < MIB - 200) low = middle
    else high = middle - 1
  }
  return build(low)
}

const CREATE = 'mutation ($input: CreateContactInput!) { createContact(input: $input) { id } }'
const created = (input: unknown) => JSON.stringify({ query: CREATE, variables: { input } })
const asked = (query: string) => JSON.stringify({ query })
const nested = (depth: number, open: string, inner: string, close: string) =>
  open.repeat(depth) + inner + close.repeat(depth)

/** Bodies for /graphql that are made to cost as much as they can, by what they do. */
export const HEAVY_QUERIES: Record<string, string> = {
  'unknown fields of a variable': created(numbered(100_000)),
  'as many unknown fields as variables may have': created(numbered(39_000)),
  'unknown fields with long names': created(
    Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`${i}${'x'.repeat(1000)}`, 1])),
  ),
  'an object where a text is wanted': created({ name: numbered(39_000), email: numbered(300), phone: numbered(300) }),
  'many wrong items': created({ name: 'A', tagIds: Array.from({ length: 39_000 }, () => 'x') }),
  'many items of a wrong type': created({ name: 'A', tagIds: Array.from({ length: 39_000 }, () => ({})) }),
  'a list in lists': created(JSON.parse(nested(70, '[', '1', ']'))),
  'deep variables': `{"query": ${JSON.stringify(CREATE)}, "variables": {"input": ${nested(500_000, '[', '1', ']')}}}`,
  'deep objects': `{"query": ${JSON.stringify(CREATE)}, "variables": {"input": ${nested(150_000, '{"a":', '1', '}')}}}`,
  'a large text': created({ name: 'x'.repeat(1_000_000) }),
  'free fields': created({ name: 'A', customFields: numbered(39_000) }),
  'free fields and nothing else': created({ customFields: numbered(39_000) }),
  'many variables': JSON.stringify({ query: '{ __typename }', variables: numbered(100_000) }),
  'a long query': asked(`{ __typename ${' '.repeat(MIB - 100)}}`),
  'a long comment': asked(`{ __typename #${'x'.repeat(130_000)}\n}`),
  'a long name': asked(`{ ${'x'.repeat(130_000)} }`),
  'a long unknown argument': asked(`{ contacts(${'x'.repeat(130_000)}: 1) { items { id } } }`),
  'a long block string': asked(`{ contacts(filter: {search: """${'\\n x'.repeat(40_000)}"""}) { items { id } } }`),
  'a long operation name': JSON.stringify({ query: '{ __typename }', operationName: 'x'.repeat(1_000_000) }),
  'many names': asked(`{ ${many(3900, (i) => `n${i}`)} }`),
  'many long names': asked(`{ ${many(120, (i) => `n${i}${'x'.repeat(1000)}`)} }`),
  'one field many times': asked(`{ contacts { items { ${'id '.repeat(3900)} } } }`),
  'one root many times': asked(`{ ${'contacts { items { id } } '.repeat(550)} }`),
  'one field in fragments': asked(`{ contacts { items { ${'... { id } '.repeat(900)} } } }`),
  'many spreads': asked(`{ contacts { items { ${'...A '.repeat(1900)} } } } fragment A on Contact { id name }`),
  'many fragments': asked(
    `{ contacts { items { ${many(400, (i) => `...F${i}`)} } } } ${many(400, (i) => `fragment F${i} on Contact { id }`)}`,
  ),
  'fragments that multiply': asked(
    `{ ...F0 } ${many(290, (i) => `fragment F${i} on Query { ${`...F${i + 1} `.repeat(3)} }`)} fragment F290 on Query { __typename }`,
  ),
  'a chain of fragments': asked(
    `{ ...F0 } ${many(490, (i) => `fragment F${i} on Query { ...F${i + 1} }`)} fragment F490 on Query { __typename }`,
  ),
  'directives without end': asked(`{ __typename ${'@include(if: true) '.repeat(550)} }`),
  'unknown directives': asked(`{ __typename ${'@nobody '.repeat(1900)} }`),
  'a deep value': asked(`{ contacts(filter: ${nested(900, '{ search: ', '1', '}')}) { items { id } } }`),
  'a deep list': asked(`{ contacts(filter: { tagIds: ${nested(1900, '[', '', ']')} }) { items { id } } }`),
  'a wide object': asked(`{ contacts(filter: {${many(1200, (i) => `a${i}: 1`)}}) { items { id } } }`),
  'many arguments': asked(`{ contacts(${many(1200, (i) => `a${i}: 1`)}) { items { id } } }`),
  'many variable definitions': asked(`query (${many(900, (i) => `$v${i}: Int`)}) { __typename }`),
  'many unknown variables': asked(
    `{ contacts(filter: { tagIds: [${many(1800, (i) => `$v${i}`)}] }) { items { id } } }`,
  ),
  'many operations': asked(many(900, (i) => `query Q${i} { __typename }`)),
  'many namesakes': asked(many(900, () => 'query Q { __typename }')),
  'deep selections': asked(nested(1200, '{ contact ', '', '}')),
  'a schema query that multiplies': asked(
    `{ __schema { types { ${nested(8, 'fields { type { ', 'name', ' } } ')} } } }`,
  ),
  'many tokens': asked(`{ ${'a '.repeat(60_000)} }`),
  aliases: asked(`{ ${many(1000, (i) => `a${i}: __typename`)} }`),
  'malformed JSON': `{"query": ${nested(400_000, '[', '', '')}`,
  'an array': `[${many(200_000, () => '{}', ',')}]`,
}

/** Bodies for POST /contacts likewise. */
export const HEAVY_BODIES: Record<string, string> = {
  'unknown fields': fitting((count) => JSON.stringify(numbered(Math.min(count, 90_000)))),
  'unknown fields and a name': JSON.stringify({ name: 'A', ...numbered(80_000) }),
  'unknown fields with long names': JSON.stringify(
    Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i}${'\u0001'.repeat(160)}`, 1])),
  ),
  'wrong tags': JSON.stringify({ name: 'A', tags: Array.from({ length: 250_000 }, () => 'x') }),
  'tags of a wrong type': JSON.stringify({ name: 'A', tags: Array.from({ length: 500_000 }, () => 1) }),
  'free fields': JSON.stringify({ name: 'A', custom_fields: numbered(90_000) }),
  'deep free fields': `{"name": "A", "custom_fields": ${nested(150_000, '{"a":', '1', '}')}}`,
  'lists in free fields': `{"name": "A", "custom_fields": {"a": ${nested(500_000, '[', '', ']')}}}`,
  'a long name': JSON.stringify({ name: 'x'.repeat(1_000_000) }),
  controls: JSON.stringify({ name: '\u0001'.repeat(170_000) }),
  'an array': `[${many(200_000, () => '{}', ',')}]`,
}
