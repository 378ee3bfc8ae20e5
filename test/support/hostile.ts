import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { hasFixture } from './fixtures.js'
import { type Json, type Operation, resolved } from './openapi.js'

/** A request as it goes over the wire; ids of records are still tokens. */
export interface HostileRequest {
  /** Below the base address, with the query string. */
  url: string
  headers: Record<string, string>
  /** JSON text, or something that is not quite. */
  body?: string
  /** Whether everything in it is as the document wants it. */
  valid: boolean
}

/** Stands for the id of a record of this kind until the request is sent to an account that has one. */
export const idToken = (key: string): string => `@id(${key})`

/** Stands for a text that no request before had; fast-check likes to come back to values. */
const NEW = '@new()'

/** Fills in the ids, and what is new. */
export async function withIds(text: string, idOf: (key: string) => Promise<string>): Promise<string> {
  let filled = text.replaceAll(NEW, () => randomUUID())
  for (const [token, key] of text.matchAll(/@id\(([^)]*)\)/g)) filled = filled.replaceAll(token, await idOf(key!))
  return filled
}

const NASTY = [
  ...['', ' ', '\t\n ', '\u0000', 'a\u0000b', '\u0001', '\u001b[31m', '\u007f', '\u0085', 'a\rb', 'a\r\nb', '\r\n'],
  ...[
    '\ud800',
    'x\udc00',
    '\udc00\ud800',
    '\ufeff',
    '\u2028',
    '\u202eabc',
    '\u200d',
    'e\u0301',
    'İ',
    'ß',
    'ﷺ',
    '👩‍👩‍👧',
    '𝒳',
  ],
  ...[
    "'",
    "' or 1=1 --",
    "'; drop table contact; --",
    '%',
    '_',
    '\\',
    '\\\\%',
    '%_%',
    '$1',
    '$$',
    '?',
    ':id',
    '{{7*7}}',
  ],
  ...[
    'null',
    'undefined',
    'NaN',
    'true',
    '__proto__',
    'constructor',
    'toString',
    '../../etc/passwd',
    '<script>',
    '@',
    'a@b',
  ],
  ...[
    '1e400',
    '-1',
    '0',
    '2147483648',
    '1.5',
    '0x10',
    '١٢',
    '2024-02-30',
    '2024-13-01T00:00:00Z',
    '0000-00-00',
    '275761-01-01',
  ],
  ...[
    'x'.repeat(256),
    'x'.repeat(2049),
    'é'.repeat(20_001),
    '😀'.repeat(255),
    '%'.repeat(300),
    `${'x'.repeat(400)}@x.test`,
  ],
  ...[randomUUID(), '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '{}', '[]'],
]

const nastyText = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'binary-ascii', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', 'a', '\u0000', '%', '\\', '\r', '\n'), maxLength: 8 }),
)

const NUMBERS = [
  '1e400',
  '-1e400',
  '1e-400',
  '-0',
  '0.0',
  '9007199254740993',
  '123456789012345678901234567890',
  '5e-324',
]
const nested = (open: string, close: string) =>
  fc.constantFrom(3, 63, 64, 65, 200, 4000).map((depth) => `${open.repeat(depth)}1${close.repeat(depth)}`)

/** The text of a JSON value. */
const nastyValue: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: nastyText.map((text) => JSON.stringify(text)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('null', 'true', 'false', '[]', '{}', '[null]', '[[]]', '[{}]', '""', '[""]', '1'),
  },
  { weight: 2, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' }).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.oneof(nested('[', ']'), nested('{"a":', '}')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('{"a":1,"a":2}', '{"__proto__":{"x":1}}', '{"constructor":{"prototype":1}}'),
  },
  { weight: 1, arbitrary: fc.array(nastyText, { maxLength: 5 }).map((list) => JSON.stringify(list)) },
)

/** The same, or one inside of an object or a list. */
const nastyJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: nastyValue },
  { weight: 2, arbitrary: nastyValue.map((json) => `{"a":${json}}`) },
  { weight: 1, arbitrary: nastyValue.map((json) => `[${json}]`) },
  { weight: 1, arbitrary: nastyText.map((text) => `{${JSON.stringify(text)}:1}`) },
)

/** What has the type that a property wants, and something nasty inside. */
function nastyOf(schema: Json): fc.Arbitrary<string> {
  const type: unknown[] = [schema.type, schema.anyOf?.[0].type].flat()
  const inside = fc.oneof(fc.constantFrom(...NUMBERS), nastyValue)
  if (type.includes('object')) {
    const name = fc.oneof(fc.constant('a'), nastyText)
    return fc.tuple(name, inside).map(([key, json]) => `{${JSON.stringify(key)}:${json}}`)
  }
  if (type.includes('array')) return inside.map((json) => `[${json}]`)
  if (type.includes('string')) return nastyText.map((text) => JSON.stringify(text))
  return fc.constantFrom(...NUMBERS, '-1', '2147483648', '0.5')
}

/** Texts that a field takes, some of which the service tidies. */
function niceText(maxLength: number): fc.Arbitrary<string> {
  const longest = Math.min(maxLength, 30) - 1
  const plain = fc
    .string({ unit: 'binary', maxLength: longest })
    .map((text) => `v${text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, 'x')}`)
  const padded = fc.tuple(fc.constantFrom('', '  ', '\r\n'), plain).map(([edge, text]) => `${edge}${text}${edge}`)
  return fc.oneof(
    plain,
    padded,
    fc.constantFrom('v\r\nw', '%_\\', '👩‍👩‍👧', "O'Neil", '\u202ev'),
    fc.constant('v'.repeat(maxLength)),
  )
}

const freeMember = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'binary', maxLength: 10 }).map((text) => text.replaceAll('\0', '')),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Number.isInteger(number)),
    fc.constantFrom(null, true, false, '', 0, Number.MAX_SAFE_INTEGER),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', '', '__proto__', 'constructor', 'ç'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value

/** Values that a property takes. `name` finds the record of whose kind an id is. */
function nice(name: string, schema: Json): fc.Arbitrary<unknown> {
  if (schema.anyOf?.some((one: Json) => one.type === 'null')) {
    return fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 4, arbitrary: nice(name, schema.anyOf[0]) })
  }
  if (Array.isArray(schema.type)) {
    const [type] = schema.type.filter((one: string) => one !== 'null')
    return fc.oneof(
      { weight: 1, arbitrary: fc.constant(null) },
      { weight: 4, arbitrary: nice(name, { ...schema, type }) },
    )
  }
  if (hasFixture(name)) {
    const id = fc.constant(idToken(name))
    return schema.type === 'array' ? fc.array(id, { maxLength: 2 }) : id
  }
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.type === 'array') return fc.array(nice('', schema.items), { maxLength: 4 })
  if (schema.type === 'integer') return fc.integer({ min: schema.minimum, max: schema.maximum })
  if (schema.type === 'number')
    return fc.integer({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6 }).map((n) => n / 4)
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.properties) return niceObject(schema)
  if (schema.type === 'object') {
    return fc.dictionary(fc.constantFrom('a', 'b', '', '__proto__', 'é'), freeMember, {
      maxKeys: 4,
      noNullPrototype: true,
    })
  }
  return niceString(schema)
}

function niceString({ format, examples, maxLength = 2048 }: Json): fc.Arbitrary<string> {
  if (format === 'email') return fc.constant(`${NEW}@example.com`)
  if (format === 'uuid') return fc.uuid()
  // A bound of a span of time has two forms, so it has no format, but its examples tell.
  const isBound = examples?.some((one: unknown) => /^\d{4}-\d\d-\d\d/.test(String(one)))
  if (format === 'date' || isBound) return fc.constantFrom('2026-01-31', '2024-02-29')
  if (format === 'date-time') return fc.constantFrom('2026-01-31T09:30:00.000Z', '2026-01-31T09:30:00-03:00')
  return niceText(maxLength)
}

/** Objects with all required members and some of the others. */
function niceObject({ properties, required = [] }: Json): fc.Arbitrary<Json> {
  const members = Object.entries<Json>(properties).map(([name, schema]) => [name, nice(name, schema)])
  return fc.record(Object.fromEntries(members), { requiredKeys: required })
}

type Member = readonly [name: string, json: string]

const written = (members: readonly Member[]) =>
  `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`

const membersOf = (value: Json): Member[] => Object.entries(value).map(([name, inner]) => [name, JSON.stringify(inner)])

const NO_OBJECTS = [
  '',
  ' ',
  '{',
  '}',
  'null',
  '[]',
  '"x"',
  '1',
  '{"a":1,}',
  "{'a':1}",
  '{a:1}',
  '\ufeff{}',
  'NaN',
  '{"a":\u0001}',
]

interface Body {
  text: string
  valid: boolean
}

/** Bodies for a schema: as it wants them, with a little wrong, and with everything wrong. */
function bodies(schema: Json): fc.Arbitrary<Body> {
  const names = [...Object.keys(schema.properties), '__proto__', 'constructor', 'unknown', '', 'id', 'account_id']
  const anything: fc.Arbitrary<Member> = fc.tuple(fc.constantFrom(...names), nastyJson)
  const shaped = Object.entries<Json>(schema.properties).map(([name, of]) => fc.tuple(fc.constant(name), nastyOf(of)))
  const nasty: fc.Arbitrary<Member> = fc.oneof(anything, fc.oneof(...shaped))
  const good = niceObject(schema).map(membersOf)
  const spoilt = fc
    .tuple(good, fc.array(nasty, { minLength: 1, maxLength: 2 }))
    .map(([members, more]) => [...members, ...more])
  return fc.oneof(
    { weight: 4, arbitrary: good.map((members) => ({ text: written(members), valid: true })) },
    { weight: 4, arbitrary: spoilt.map((members) => ({ text: written(members), valid: false })) },
    {
      weight: 2,
      arbitrary: fc.array(nasty, { maxLength: 8 }).map((members) => ({ text: written(members), valid: false })),
    },
    { weight: 1, arbitrary: fc.constantFrom(...NO_OBJECTS).map((text) => ({ text, valid: false })) },
    { weight: 1, arbitrary: nastyJson.map((text) => ({ text, valid: false })) },
  )
}

const RAW = [
  '%',
  '%z',
  '%zz',
  '%00',
  '%C0%80',
  '%ED%A0%80',
  '%FF',
  '+',
  '%2B',
  '%25',
  '%2e%2e',
  '.',
  '..',
  '%2F',
  '%5C',
  ';',
  '=',
  '[]',
]

/** Percent-encoded, half a surrogate pair as the bytes that it would have. */
const encoded = (text: string): string =>
  [...text].map((one) => (one.isWellFormed() ? encodeURIComponent(one) : '%ED%A0%80')).join('')

const nastyEncoded = fc.oneof(nastyText.map(encoded), fc.constantFrom(...RAW)).filter((text) => text.length < 8000)

interface Query {
  text: string
  valid: boolean
}

function queries(parameters: readonly Json[]): fc.Arbitrary<Query> {
  const known = parameters.filter((one) => one.in === 'query')
  const names = [...known.map(({ name }) => name), 'unknown', '__proto__', 'page[]', '', '%zz', 'api_key']
  const nasty = fc.tuple(fc.constantFrom(...names), nastyEncoded).map(([name, value]) => `${name}=${value}`)
  // Nobody but the service makes a cursor.
  const good = known
    .filter(({ name }) => name !== 'cursor')
    .map(({ name, schema }) =>
      nice(name, schema).map((value) => `${name}=${encoded(String(value)).replaceAll('%40id(', '@id(')}`),
    )
  const some = good.length > 0 ? fc.subarray(good).chain((chosen) => fc.tuple(...chosen)) : fc.constant([])
  const join = (parts: readonly string[]) => (parts.length > 0 ? `?${parts.join('&')}` : '')
  return fc.oneof(
    { weight: 3, arbitrary: some.map((parts) => ({ text: join(parts), valid: true })) },
    {
      weight: 2,
      arbitrary: fc.tuple(some, nasty).map(([parts, more]) => ({ text: join([...parts, more]), valid: false })),
    },
    { weight: 1, arbitrary: fc.array(nasty, { maxLength: 4 }).map((parts) => ({ text: join(parts), valid: false })) },
    { weight: 1, arbitrary: fc.constantFrom('?', '?&&', '?=', '?a', '?%').map((text) => ({ text, valid: false })) },
  )
}

interface Path {
  text: string
  valid: boolean
}

/** Paths of an operation; the segment before a parameter says of whose kind the id is. */
function paths(template: string): fc.Arbitrary<Path> {
  const parts = template.split('/').map((segment, i, all) => {
    if (!segment.startsWith('{')) return fc.constant({ text: segment, valid: true })
    const id = fc.constant({ text: idToken(`${all[i - 1]}/${segment.slice(1, -1)}`), valid: true })
    const nasty = nastyEncoded.map((text) => ({ text, valid: false }))
    return fc.oneof({ weight: 4, arbitrary: id }, { weight: 1, arbitrary: nasty })
  })
  const whole = fc.tuple(...parts).map((all) => ({
    text: all.map(({ text }) => text).join('/'),
    valid: all.every(({ valid }) => valid),
  }))
  const slashed = whole.map(({ text, valid }) => ({ text: text.endsWith('/') ? text : `${text}/`, valid }))
  return fc.oneof({ weight: 9, arbitrary: whole }, { weight: 1, arbitrary: slashed })
}

// Node sends no others.
const headerText = fc.string({ unit: fc.constantFrom(...' !"#%,;=?@[]^_`{|}~azAZ09.-é\u00ff'), maxLength: 20 })

const perhaps = (value: fc.Arbitrary<string>) => fc.option(value, { nil: undefined, freq: 2 })

const headers = fc
  .record({
    prefer: perhaps(
      fc.oneof(fc.constantFrom('handling=strict', 'handling=lenient', 'handling', 'x=1, handling=strict'), headerText),
    ),
    'idempotency-key': perhaps(
      fc.oneof(fc.uuid(), fc.constantFrom('same', '', ' ', 'a b', 'x'.repeat(256)), headerText),
    ),
    'x-request-id': perhaps(fc.oneof(fc.uuid(), fc.constantFrom('', 'x'.repeat(129), 'a\tb'), headerText)),
  })
  .map(
    (given) =>
      Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Record<string, string>,
  )

const contentTypes = fc.oneof(
  { weight: 12, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('application/json; charset=utf-8', 'application/merge-patch+json', 'APPLICATION/JSON'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('text/plain', '', 'application/json; charset=latin1', 'multipart/form-data', 'json'),
  },
)

/** Requests to an operation: as the document wants them, nearly so, and hostile. */
export function requestsTo({ path, object }: Operation, document: Json): fc.Arbitrary<HostileRequest> {
  const schema = object.requestBody && resolved(object.requestBody.content['application/json'].schema, document)
  const body: fc.Arbitrary<Body | undefined> = schema
    ? fc.option(bodies(schema), { nil: undefined, freq: 20 })
    : fc.constant(undefined)
  const needed = (object.parameters ?? []).filter((one: Json) => one.in === 'query' && one.required)
  const least = needed.map(({ name, example }: Json) => `${name}=${encodeURIComponent(example ?? 'x')}`).join('&')
  const hasNeeded = (text: string) =>
    needed.every(({ name }: Json) => /[^&\s%+]/.test(new URLSearchParams(text).get(name)?.trim() ?? ''))
  const tame = fc.tuple(
    paths(path),
    fc.constant({ text: least && `?${least}`, valid: true }),
    body,
    fc.constant({}),
    fc.constant('application/json'),
  )
  const wild = fc.tuple(paths(path), queries(object.parameters ?? []), body, headers, contentTypes)
  return fc.oneof(tame, wild).map(([at, query, sent, more, contentType]): HostileRequest => {
    const extra: Record<string, string> = more
    const plain = Object.keys(extra).length === 0 && contentType === 'application/json'
    return {
      url: at.text + query.text,
      headers: { ...extra, ...(sent && { 'content-type': contentType }) },
      ...(sent && { body: sent.text }),
      valid:
        at.valid && query.valid && hasNeeded(query.text) && plain && (schema === undefined || sent?.valid === true),
    }
  })
}
