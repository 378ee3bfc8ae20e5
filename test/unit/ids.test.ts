import { isUuid, newId } from '../../src/shared/ids.js'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('100,000 ids in a row are uuids of version 7, all different and in order', () => {
  const ids = Array.from({ length: 100_000 }, newId)
  expect(ids.filter((id) => !UUID_V7.test(id))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.findIndex((id, i) => i > 0 && id <= ids[i - 1]!)).toBe(-1)
})

test('an id tells the millisecond in which it was made', async () => {
  await new Promise((resolve) => setTimeout(resolve, 200)) // lets the clock overtake what other tests made in advance
  const before = Date.now()
  const millisecond = Number.parseInt(newId().replaceAll('-', '').slice(0, 12), 16)
  expect(millisecond).toBeGreaterThanOrEqual(before)
  expect(millisecond).toBeLessThanOrEqual(Date.now())
})

test('the end of an id is random', () => {
  const tails = Array.from({ length: 1000 }, () => newId().slice(-12))
  expect(new Set(tails).size).toBe(tails.length)
})

test.each(['00000000-0000-0000-0000-000000000000', '0190163D-8694-739B-AEA5-966C26F8AD91'])('%s is a uuid', (text) => {
  expect(isUuid(text)).toBe(true)
})

test.each([
  '',
  '0190163d8694739baea5966c26f8ad91',
  '{0190163d-8694-739b-aea5-966c26f8ad91}',
  ' 0190163d-8694-739b-aea5-966c26f8ad91',
  '0190163d-8694-739b-aea5-966c26f8ad91\n',
  '0190163d-8694-739b-aea5-966c26f8ad9g',
  'urn:uuid:0190163d-8694-739b-aea5-966c26f8ad91',
  42,
  null,
  ['0190163d-8694-739b-aea5-966c26f8ad91'],
])('%j is no uuid', (value) => {
  expect(isUuid(value)).toBe(false)
})
