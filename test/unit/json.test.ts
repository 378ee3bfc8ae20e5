import { jsonFault, MAX_JSON_BYTES } from '../../src/shared/json.js'

const nested = (depth: number): unknown => (depth === 0 ? 1 : { x: nested(depth - 1) })
const withBytes = (bytes: number) => ({ x: 'a'.repeat(bytes - '{"x":""}'.length) })

test.each([
  ['an empty object', {}],
  ['values of every kind', { a: [1, -2.5, 'x', true, false, null, {}], b: { c: [] } }],
  ['the largest exact integers', { a: Number.MAX_SAFE_INTEGER, b: Number.MIN_SAFE_INTEGER }],
  ['very small and large fractions', { a: 5e-324, b: 0.1 }],
  ['any Unicode', { '👩‍🚀': 'שלום\u202e', 'e\u0301': '\x01\r\n\u2028' }],
  ['a key named __proto__', JSON.parse('{"__proto__": {"x": 1}}')],
  ['the deepest nesting', nested(64)],
  ['the last byte', withBytes(MAX_JSON_BYTES)],
])('%s may be stored', (_what, value) => {
  expect(jsonFault(value)).toBeUndefined()
})

test.each([
  ['a NUL character', { a: 'x\0' }, /NUL/],
  ['a NUL character deep inside', { a: [{ b: ['\0'] }] }, /NUL/],
  ['a NUL character in a key', { a: { 'x\0': 1 } }, /NUL/],
  ['half a surrogate pair deep inside', { a: [[['\ud800']]] }, /surrogate/],
  ['half a surrogate pair in a key', { '\udc00': 1 }, /surrogate/],
  ['an infinite number', JSON.parse('{"a": [1e400]}'), /number/],
  ['a negative infinite number', JSON.parse('{"a": -1e400}'), /number/],
  ['an integer beyond 2^53', JSON.parse('{"a": 9007199254740993}'), /2\^53/],
  ['an integer below -2^53', JSON.parse('{"a": -9007199254740993}'), /2\^53/],
  ['one level too many', nested(65), /64 levels/],
  ['a nesting that would exhaust the stack', JSON.parse(`${'{"x":'.repeat(20_000)}1${'}'.repeat(20_000)}`), /levels/],
  ['one byte too many', withBytes(MAX_JSON_BYTES + 1), new RegExp(String(MAX_JSON_BYTES))],
  ['characters of several bytes that make too many', { x: '€'.repeat(22_000) }, new RegExp(String(MAX_JSON_BYTES))],
  ['a fault behind a key named __proto__', JSON.parse('{"__proto__": {"x": "\\u0000"}}'), /NUL/],
])('%s may not be stored', (_what, value, message) => {
  expect(jsonFault(value)).toMatch(message)
})
