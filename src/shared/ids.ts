import { randomFillSync } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** An id that no record has: it comes before all others. */
export const NIL_ID = '00000000-0000-0000-0000-000000000000'

/** Whether a value is spelled as a uuid of any version. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value)
}

const pool = Buffer.alloc(4096)
let used = pool.length
let lastMs = 0
let sequence = 0

function random(bytes: number): Buffer {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.subarray(used - bytes, used)
}

/** A new uuid v7 (RFC 9562): time-ordered to the millisecond, and within one process also inside it. */
export function newId(): string {
  const now = Date.now()
  if (now > lastMs) {
    lastMs = now
    sequence = random(2).readUInt16BE() & 0x7ff // half of the 12 bits is left free to count up in
  } else if (++sequence > 0xfff) {
    lastMs++
    sequence = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  const tail = random(8)
  tail[0] = (tail[0]! & 0x3f) | 0x80
  const hex = tail.toString('hex')
  const count = sequence.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${hex.slice(0, 4)}-${hex.slice(4)}`
}
