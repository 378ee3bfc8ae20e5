import { looksLikeEmail, textFault, tidy } from '../../src/shared/text.js'

test.each([
  ['  Zoë  ', 'Zoë'],
  ['\t\n Zoë \r\n', 'Zoë'],
  ['one\r\ntwo\r\n\r\nthree', 'one\ntwo\n\nthree'],
  ['one\ntwo', 'one\ntwo'],
  ['   ', ''],
  ['\u00a0\u3000\ufeff', ''],
  ['in  side', 'in  side'],
])('%j is stored as %j', (text, tidied) => {
  expect(tidy(text)).toBe(tidied)
})

test.each([
  'plain',
  'tab\tand\nnewline',
  'João, Zoë, Ångström',
  'e\u0301 combining',
  'שלום \u202eRTL\u202c',
  '👩‍👩‍👧‍👦 and 🇧🇷',
  '\u{10ffff}\ufffe',
  '\u200b\u2028\u2029',
])('%j may be stored', (text) => {
  expect(textFault(text, 100)).toBeUndefined()
})

test.each([
  ['a\0b', /NUL/],
  ['a\x01b', /control/],
  ['a\rb', /control/],
  ['a\x1b[31m', /control/],
  ['a\x7fb', /control/],
  ['a\x9fb', /control/],
  ['a\ud83d', /surrogate/],
  ['\ude00a', /surrogate/],
  ['\ude00\ud83d', /surrogate/],
])('%j may not be stored', (text, message) => {
  expect(textFault(text, 100)).toMatch(message)
})

test.each([
  ['x'.repeat(10), 'x'.repeat(11)],
  ['😀'.repeat(10), '😀'.repeat(11)],
  [`${'😀'.repeat(5)}xxxxx`, `${'😀'.repeat(5)}xxxxxx`],
  ['e\u0301'.repeat(5), `${'e\u0301'.repeat(5)}e`],
])('a limit counts code points: %j fits and %j does not', (fits, tooLong) => {
  expect(textFault(fits, 10)).toBeUndefined()
  expect(textFault(tooLong, 10)).toMatch(/\b10\b/)
})

test.each(['a@b.co', 'ZOE.Ferreira+tag@mail.example.com', 'josé@exämple.com.br', "o'neil@x.io", 'a@123.45'])(
  '%j looks like an email address',
  (text) => {
    expect(looksLikeEmail(text)).toBe(true)
  },
)

test.each([
  '',
  'a',
  'a@',
  '@b.co',
  'a@b',
  'a@@b.co',
  'a@b@c.co',
  'a b@c.co',
  'a@b .co',
  'a@.co',
  'a@b..co',
  'a@b.co.',
  '.a@b.co',
  'a.@b.co',
  'a..b@c.co',
  'Zoë <a@b.co>',
  'a@b.co, c@d.co',
  'mailto:a@b.co',
])('%j does not look like an email address', (text) => {
  expect(looksLikeEmail(text)).toBe(false)
})

test('a hostile text does not make the email check slow', () => {
  const begin = performance.now()
  looksLikeEmail(`${'a.'.repeat(50_000)}@${'b.'.repeat(50_000)}`)
  looksLikeEmail(`a@${'b'.repeat(100_000)}`)
  expect(performance.now() - begin).toBeLessThan(2000)
})
