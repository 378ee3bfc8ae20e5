import fc from 'fast-check'
import { isOpen, openFrom, type SendWindow } from '../../src/domains/flows/window.service.js'
import { isTimeZone } from '../../src/shared/time-zone.js'

const MINUTE = 60_000
const OFFICE: SendWindow = { days: [1, 2, 3, 4, 5], from: '09:00', until: '18:00' }
const opens = (window: SendWindow, zone: string, at: string) =>
  new Date(openFrom(window, zone, Date.parse(at))!).toISOString()

// The same by another way: what the clock on the wall says of a minute.
const DAYS = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const walls = new Map<string, Intl.DateTimeFormat>()
function wall(zone: string, at: number): { day: number; time: string } {
  const options = { timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  if (!walls.has(zone)) walls.set(zone, new Intl.DateTimeFormat('en-US', options))
  const parts = Object.fromEntries(
    walls
      .get(zone)!
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  return { day: DAYS.indexOf(parts.weekday!), time: `${parts.hour}:${parts.minute}` }
}
const isOpenOnTheWall = ({ days, from, until }: SendWindow, zone: string, at: number) => {
  const { day, time } = wall(zone, at)
  return days.includes(day) && time >= from && time < until
}

describe('the hours in which mails go', () => {
  test.each([
    ['within them at once', '2026-03-04T15:30:00Z', '2026-03-04T15:30:00.000Z'],
    ['before them when they begin', '2026-03-04T05:00:00Z', '2026-03-04T12:00:00.000Z'],
    ['at their end the next day', '2026-03-04T21:00:00Z', '2026-03-05T12:00:00.000Z'],
    ['after Friday on Monday', '2026-03-06T21:00:00Z', '2026-03-09T12:00:00.000Z'],
    ['on a Sunday on Monday', '2026-03-08T12:00:00Z', '2026-03-09T12:00:00.000Z'],
  ])('let a mail go %s', (_, at, expected) => {
    expect(opens(OFFICE, 'America/Sao_Paulo', at)).toBe(expected)
  })

  test('are those of the clock on the wall when clocks are put forward and back', () => {
    expect(opens(OFFICE, 'America/New_York', '2026-03-06T23:30:00Z')).toBe('2026-03-09T13:00:00.000Z')
    expect(opens(OFFICE, 'America/New_York', '2026-10-30T22:30:00Z')).toBe('2026-11-02T14:00:00.000Z')
  })

  test('that are left out on a day are looked for on the next; partly left out they begin where clocks go on', () => {
    const sunday = (from: string, until: string): SendWindow => ({ days: [7], from, until })
    expect(opens(sunday('02:00', '03:00'), 'America/New_York', '2026-03-08T00:00:00Z')).toBe('2026-03-15T06:00:00.000Z')
    expect(opens(sunday('02:30', '04:00'), 'America/New_York', '2026-03-08T00:00:00Z')).toBe('2026-03-08T07:00:00.000Z')
  })

  test('that come twice are open twice', () => {
    const window: SendWindow = { days: [7], from: '01:15', until: '01:45' }
    const at = (time: string) => opens(window, 'America/New_York', `2026-11-01T${time}:00Z`)
    expect([at('05:00'), at('05:30'), at('05:45'), at('06:20')]).toEqual([
      '2026-11-01T05:15:00.000Z',
      '2026-11-01T05:30:00.000Z',
      '2026-11-01T06:15:00.000Z',
      '2026-11-01T06:20:00.000Z',
    ])
  })

  test('begin where midnight is left out', () => {
    const window: SendWindow = { days: [5], from: '00:00', until: '24:00' }
    expect(opens(window, 'Africa/Cairo', '2026-04-23T12:00:00Z')).toBe('2026-04-23T22:00:00.000Z')
  })

  // Changes by an hour and by half of one, at midnight and in the night, and none.
  const zones = ['America/Sao_Paulo', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'Asia/Kathmandu']
  const instants = [
    ['2026-01-01', '2026-12-31'],
    ['2026-03-07', '2026-03-09'],
    ['2026-10-31', '2026-11-02'],
    ['2026-04-03', '2026-04-06'],
    ['2026-04-23', '2026-04-25'],
    ['2026-10-03', '2026-10-05'],
    ['2026-10-29', '2026-10-31'],
  ].map(([min, max]) => fc.integer({ min: Date.parse(min!) / MINUTE, max: Date.parse(max!) / MINUTE }))
  const time = fc.integer({ min: 0, max: 1439 })
  const spell = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  const windows = fc
    .record({
      days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 }),
      from: time,
      length: fc.oneof(
        fc.integer({ min: 1, max: 90 }),
        time.map((n) => n + 1),
      ),
    })
    .map(({ days, from, length }) => ({ days, from: spell(from), until: spell(Math.min(1440, from + length)) }))

  test('open at the very minute at which the wall first says so, in any zone, on any day', () => {
    const runs = process.env.FULL === 'true' ? 2000 : 150
    const property = fc.property(fc.constantFrom(...zones), fc.oneof(...instants), windows, (zone, minute, window) => {
      const at = minute * MINUTE
      expect(isOpen(window, zone, at)).toBe(isOpenOnTheWall(window, zone, at))
      const opened = openFrom(window, zone, at)!
      expect(isOpenOnTheWall(window, zone, opened)).toBe(true)
      expect(opened % MINUTE).toBe(0)
      // Every quarter of an hour, and each minute of the last two hours before: closed.
      for (
        let before = opened - MINUTE;
        before >= at;
        before -= opened - before < 120 * MINUTE ? MINUTE : 15 * MINUTE
      ) {
        if (isOpenOnTheWall(window, zone, before)) throw new Error(`open before: ${new Date(before).toISOString()}`)
      }
    })
    fc.assert(property, { numRuns: runs })
  })
})

test.each([
  ['America/Sao_Paulo', true],
  ['UTC', true],
  ['Etc/GMT+3', true],
  ['+03:00', false],
  ['Mars/Olympus', false],
  ['', false],
])('%j is a time zone: %s', (name, expected) => {
  expect(isTimeZone(name)).toBe(expected)
})
