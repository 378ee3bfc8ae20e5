import fc from 'fast-check'
import { createLogger } from '../../src/http/index.js'
import { makeCredential } from '../../src/shared/credential.js'

/** What the log writes for this. */
function logged(fields: object, message: string): string {
  let text = ''
  const write = (line: string) => {
    text += line
  }
  createLogger('info', { write }).info(fields, message)
  return text
}

const characterOf = (_: string, code: string) => String.fromCharCode(Number.parseInt(code, 16))

/** One level of codes less, in each of the ways in which a reader, or the next program, could see it. */
const READERS = [
  (text: string) => text.replace(/%([0-9a-f]{2})/gi, characterOf),
  (text: string) => text.replace(/\\(?:x|u00)([0-9a-f]{2})/gi, characterOf),
  (text: string) => text.replace(/\\+(?:x|u00)([0-9a-f]{2})/gi, characterOf),
]

const textOf = (part: unknown) => (typeof part === 'string' ? part : (part as { referer: string }).referer)

/** Everything that can be made of a text by decoding it. */
function readings(text: string): Set<string> {
  const all = new Set([text])
  for (const known of all) if (all.size < 300) for (const read of READERS) all.add(read(known))
  return all
}

const hex = (character: string, upper: boolean) => {
  const digits = character.charCodeAt(0).toString(16).padStart(2, '0')
  return upper ? digits.toUpperCase() : digits
}
const code = (character: string, way: number) =>
  [
    `%${hex(character, false)}`,
    `%${hex(character, true)}`,
    `\\u00${hex(character, false)}`,
    `\\x${hex(character, true)}`,
  ][way]!

const secret = fc.constantFrom('fl_live_', 'fl_agency_', 'fl_session_', 'fl_link_').map(makeCredential)

/** Characters of the text become codes, or not, and characters of these codes again. */
const spelt = (text: fc.Arbitrary<string>, depth: number): fc.Arbitrary<string> =>
  depth === 0
    ? text
    : spelt(
        fc
          .tuple(text, fc.array(fc.integer({ min: 0, max: 11 }), { minLength: 1, maxLength: 200 }))
          .map(([plain, ways]) =>
            [...plain].map((c, i) => (ways[i % ways.length]! < 4 ? code(c, ways[i % ways.length]!) : c)).join(''),
          ),
        depth - 1,
      )

const mixed = fc.tuple(secret, fc.array(fc.boolean(), { minLength: 10, maxLength: 10 })).map(([key, upper]) => {
  const end = key.lastIndexOf('_')
  const prefix = [...key.slice(0, end)].map((c, i) => (upper[i] ? c.toUpperCase() : c)).join('')
  return { key, spelling: prefix + key.slice(end) }
})

const glue = fc.oneof(
  fc.constantFrom(
    '',
    '?api_key=',
    '?api_key%3D',
    '?x=',
    '%',
    '%0',
    '%2',
    '%25',
    '%250',
    '%5',
    'a',
    '_',
    '"',
    '\\',
    '\\u00',
    '\\x',
  ),
  fc.string({ maxLength: 5 }),
)

test('no spelling of a credential gets into the log, whatever stands around it', () => {
  const cases = fc
    .tuple(mixed, fc.integer({ min: 0, max: 4 }))
    .chain(([{ key, spelling }, depth]) =>
      fc.record({ key: fc.constant(key), text: spelt(fc.constant(spelling), depth) }),
    )
  fc.assert(
    fc.property(cases, glue, glue, fc.boolean(), ({ key, text }, before, after, inMessage) => {
      const whole = `/contacts${before}${text}${after}`
      const line = inMessage
        ? logged({}, `failed: ${whole}`)
        : logged({ url: '/', headers: { referer: `https://app.example${whole}` } }, 'answered')
      expect(() => JSON.parse(line)).not.toThrow()
      const hidden = key.slice(key.lastIndexOf('_') + 1)
      for (const reading of [line, ...Object.values(JSON.parse(line)).flatMap((part) => [...readings(textOf(part))])]) {
        expect(reading).not.toContain(hidden)
      }
      expect(line).toContain('[redacted]')
    }),
    { numRuns: process.env.FULL === 'true' ? 20_000 : 1000 },
  )
})

test.each(['sk_test_51Habc', 'rk_live_51Habc', 'whsec_51Habc', '%73k_live_51Habc'])(
  '%s does not get into the log',
  (secret) => {
    const line = logged({ url: `/?key=${secret}` }, `failed: "${secret}"`)
    expect(line).not.toContain('51Habc')
    expect(JSON.parse(line).msg).toMatch(/^failed: "(sk_test|rk_live|whsec|sk_live)_\[redacted\]"$/)
  },
)

test('what is no credential is logged as it is', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(
        !/l_(live|agency|session|link)_|api_key=|(password|token)\w*\\*"?\s*:/i.test(
          [...readings(JSON.stringify(text))].join(' '),
        ),
      )
      expect(JSON.parse(logged({ text }, 'told'))).toMatchObject({ text, msg: 'told' })
    }),
  )
})

test('the value of api_key is blotted out though it is no key of ours, and what follows stays', () => {
  const url = '/contacts?api_key=%22secret%22&page=2'
  expect(JSON.parse(logged({ url }, 'a'))).toMatchObject({ url: '/contacts?api_key=[redacted]&page=2' })
  const coded = '/contacts?API%5Fkey%3Dsecret&page=2'
  expect(JSON.parse(logged({ url: coded }, 'a'))).toMatchObject({ url: '/contacts?API%5Fkey%3D[redacted]&page=2' })
})

const PASSWORDS = ['hunter2 & "more"', 'back\\\\slash', 'ends with \\\\', 'plain', ' spaces ', '%41b%22c', 'é\u0001"']

test.each(PASSWORDS)(
  'the password %j is blotted out of variables and queries, however deep they are quoted',
  (password) => {
    const variables = { email: 'a@example.com', password, newPassword: password, kept: 'stays' }
    const query = `mutation { login(email: "a@example.com", password: ${JSON.stringify(password)}) { token } }`
    const forms = [variables, JSON.stringify(variables), JSON.stringify({ body: JSON.stringify(variables) }), query]
    for (const body of forms) {
      const line = logged({ body }, 'failed')
      const told = JSON.stringify(JSON.parse(line))
      for (const part of password.split(/[^a-z0-9é]+/i).filter((one) => one.length > 2))
        expect(told).not.toContain(part)
      expect(told).toContain('[redacted]')
      expect(told).toContain(body === query ? 'mutation' : 'stays')
    }
  },
)

test('codes of codes cost no more than their length', () => {
  const line = `%${'25'.repeat(8000)}66l_live_abcdefgh`
  const begin = performance.now()
  expect(logged({ url: line }, 'a')).not.toContain('abcdefgh')
  expect(performance.now() - begin).toBeLessThan(1000)
})
