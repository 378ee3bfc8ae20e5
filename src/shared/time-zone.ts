import { LRUCache } from 'lru-cache'

const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 200 })

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    formats.set(zone, format)
  }
  return format
}

/** Whether a text names a time zone of the IANA database, such as America/Sao_Paulo. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(name)) return false
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

/** By how many milliseconds a zone's clocks are ahead of UTC at an instant. */
export function offsetAt(zone: string, at: number): number {
  const name = formatOf(zone)
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')!.value
  const [, sign, hours, minutes, seconds] = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(name)!
  const ahead = (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1000
  return sign === '-' ? -ahead : ahead
}
