import fc from 'fast-check'
import { isoFromPostgres, parseDateBound } from '../../src/shared/time.js'

const point = (iso: string) => ({ from: iso, to: iso })

test.each([
  ['2024-02-29', { from: '2024-02-29T00:00:00.000Z', to: '2024-02-29T23:59:59.999Z' }],
  ['0001-01-01', { from: '0001-01-01T00:00:00.000Z', to: '0001-01-01T23:59:59.999Z' }],
  ['9999-12-31', { from: '9999-12-31T00:00:00.000Z', to: '9999-12-31T23:59:59.999Z' }],
  [' 2024-01-31 ', { from: '2024-01-31T00:00:00.000Z', to: '2024-01-31T23:59:59.999Z' }],
  ['2024-01-31T10:20', point('2024-01-31T10:20:00.000Z')],
  ['2024-01-31T10:20:30', point('2024-01-31T10:20:30.000Z')],
  ['2024-01-31T10:20:30Z', point('2024-01-31T10:20:30.000Z')],
  ['2024-01-31t10:20:30z', point('2024-01-31T10:20:30.000Z')],
  ['2024-01-31 10:20:30', point('2024-01-31T10:20:30.000Z')],
  ['2024-01-31T10:20:30.5', point('2024-01-31T10:20:30.500Z')],
  ['2024-01-31T10:20:30,25Z', point('2024-01-31T10:20:30.250Z')],
  ['2024-01-31T10:20:30+03:00', point('2024-01-31T07:20:30.000Z')],
  ['2024-01-31T10:20:30-0330', point('2024-01-31T13:50:30.000Z')],
  ['2024-01-31T10:20:30+03', point('2024-01-31T07:20:30.000Z')],
  ['2024-01-31T10:20:30 03:00', point('2024-01-31T07:20:30.000Z')],
  ['2024-01-01T00:00:00+01:00', point('2023-12-31T23:00:00.000Z')],
])('the bound %j is %j', (text, bound) => {
  expect(parseDateBound(text)).toEqual(bound)
})

test.each([
  '',
  'yesterday',
  '2024-02-30',
  '2023-02-29',
  '2024-04-31',
  '2024-13-01',
  '2024-00-10',
  '2024-01-00',
  '0000-01-01',
  '-2024-01-01',
  '12024-01-01',
  '2024-1-1',
  '20240101',
  '2024-01-31T24:00',
  '2024-01-31T10:60',
  '2024-01-31T10:20:60',
  '2024-01-31T10:20:30+24:00',
  '2024-01-31T10:20:30+03:60',
  '2024-01-31T10:20:30.1234567890Z',
  '2024-01-31T',
  '2024-01-31Z',
  '0001-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
  '1706695230000',
  '２０２４-01-01',
  '2024-01-31T10:20:30Z; drop table contact',
])('%j is no date', (text) => {
  expect(parseDateBound(text)).toBeUndefined()
})

test('a bound finer than a millisecond is rounded inwards, so that it lets in nothing beyond it', () => {
  expect(parseDateBound('2024-01-31T10:20:30.123456Z')).toEqual({
    from: '2024-01-31T10:20:30.124Z',
    to: '2024-01-31T10:20:30.123Z',
  })
  expect(parseDateBound('2024-01-31T10:20:30.123000Z')).toEqual(point('2024-01-31T10:20:30.123Z'))
})

const instants = fc
  .date({ min: new Date('0001-01-03T00:00:00Z'), max: new Date('9999-12-29T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => date.toISOString())

test('every instant that we write out is read back as itself', () => {
  fc.assert(fc.property(instants, (iso) => expect(parseDateBound(iso)).toEqual(point(iso))))
})

test('an offset names the same instant as UTC', () => {
  fc.assert(
    fc.property(instants, fc.integer({ min: -23 * 60, max: 23 * 60 }), (iso, offset) => {
      const local = new Date(Date.parse(iso) + offset * 60_000).toISOString().slice(0, -1)
      const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60]
      const zone = `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
      expect(parseDateBound(local + zone)).toEqual(point(iso))
    }),
  )
})

test('a date alone reaches from its first instant to the last before the next date', () => {
  fc.assert(
    fc.property(instants, (iso) => {
      const next = new Date(Date.parse(iso) + 86_400_000).toISOString()
      const [day, following] = [parseDateBound(iso.slice(0, 10))!, parseDateBound(next.slice(0, 10))!]
      expect(day.from <= iso && iso <= day.to).toBe(true)
      expect(Date.parse(following.from) - Date.parse(day.to)).toBe(1)
    }),
  )
})

test('no text makes it throw', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseDateBound(text)))
  const pieces = fc.constantFrom('2024', '-', '01', '31', 'T', ':', '+', '.', 'Z', ' ', '99')
  fc.assert(fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => void parseDateBound(parts.join(''))))
})

test.each([
  ['2026-01-31 09:30:00+00', '2026-01-31T09:30:00.000Z'],
  ['2026-01-31 09:30:00.1+00', '2026-01-31T09:30:00.100Z'],
  ['2026-01-31 09:30:00.12+00', '2026-01-31T09:30:00.120Z'],
  ['2026-01-31 09:30:00.123+00', '2026-01-31T09:30:00.123Z'],
  ['2026-01-31 09:30:00.123+05:30', '2026-01-31T04:00:00.123Z'],
])("PostgreSQL's %j goes out as %j", (text, iso) => {
  expect(isoFromPostgres(text)).toBe(iso)
})
