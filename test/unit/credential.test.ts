import { createHash } from 'node:crypto'
import { hashCredential, isCredential, makeCredential, shownPrefix } from '../../src/shared/credential.js'

const PREFIX = 'fl_live_'

test('a credential is its prefix, 32 base62 characters and a checksum of 6', () => {
  const text = makeCredential(PREFIX)
  expect(text).toMatch(/^fl_live_[0-9A-Za-z]{38}$/)
  expect(isCredential(PREFIX, text)).toBe(true)
  expect(isCredential('fl_agency_', text)).toBe(false)
})

test('no two credentials are the same, and every character occurs in their random part', () => {
  const made = Array.from({ length: 2000 }, () => makeCredential(PREFIX))
  expect(new Set(made).size).toBe(made.length)
  expect(new Set(made.map((text) => text.slice(PREFIX.length, -6)).join('')).size).toBe(62)
})

test('a typing error anywhere makes it no credential', () => {
  const text = makeCredential(PREFIX)
  for (let i = 0; i < text.length; i++) {
    const other = text[i] === 'x' ? 'y' : 'x'
    expect(isCredential(PREFIX, text.slice(0, i) + other + text.slice(i + 1))).toBe(false)
  }
})

test.each([
  ['nothing', () => ''],
  ['the prefix alone', () => PREFIX],
  ['one character less', (text: string) => text.slice(0, -1)],
  ['one character more', (text: string) => `${text}0`],
  ['a space in front', (text: string) => ` ${text}`],
  ['the prefix in capitals', (text: string) => text.replace(PREFIX, PREFIX.toUpperCase())],
  ['two characters swapped', (text: string) => text.replace(/([a-z])([A-Z0-9])/, '$2$1')],
])('%s makes it no credential', (_what, change) => {
  // A text that the change leaves as it is would prove nothing.
  let text: string
  do text = makeCredential(PREFIX)
  while (change(text) === text)
  expect(isCredential(PREFIX, change(text))).toBe(false)
})

test('what is stored is the SHA-256, and what is shown is only the beginning', () => {
  const text = makeCredential(PREFIX)
  expect(hashCredential(text).toString('hex')).toBe(createHash('sha256').update(text).digest('hex'))
  expect(shownPrefix(PREFIX, text)).toBe(text.slice(0, 14))
})
