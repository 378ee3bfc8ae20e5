/** How a field is written: a number or length first, or eight or four bytes. */
type Kind = 'string' | 'bytes' | 'varint' | 'double' | 'fixed64' | 'fixed32'

interface Field {
  name: string
  kind: Kind | Message
  repeated?: boolean
}

type Message = Readonly<Record<number, Field>>

const many = (name: string, kind: Field['kind']): Field => ({ name, kind, repeated: true })
const one = (name: string, kind: Field['kind']): Field => ({ name, kind })

// OTLP 1.x, opentelemetry/proto/{common,resource,trace}/v1 and collector/trace/v1, as far as a tracer has use for it.
const ANY_VALUE: Message = {
  1: one('string', 'string'),
  2: one('bool', 'varint'),
  3: one('int', 'varint'),
  4: one('double', 'double'),
}
const ATTRIBUTE: Message = { 1: one('key', 'string'), 2: one('value', ANY_VALUE) }
const RESOURCE: Message = { 1: many('attributes', ATTRIBUTE), 2: one('droppedAttributesCount', 'varint') }
const SCOPE: Message = { 1: one('name', 'string'), 2: one('version', 'string'), 3: many('attributes', ATTRIBUTE) }
const STATUS: Message = { 2: one('message', 'string'), 3: one('code', 'varint') }
const SPAN: Message = {
  1: one('traceId', 'bytes'),
  2: one('spanId', 'bytes'),
  3: one('traceState', 'string'),
  4: one('parentSpanId', 'bytes'),
  5: one('name', 'string'),
  6: one('kind', 'varint'),
  7: one('start', 'fixed64'),
  8: one('end', 'fixed64'),
  9: many('attributes', ATTRIBUTE),
  10: one('droppedAttributesCount', 'varint'),
  12: one('droppedEventsCount', 'varint'),
  14: one('droppedLinksCount', 'varint'),
  15: one('status', STATUS),
  16: one('flags', 'fixed32'),
}
const SCOPE_SPANS: Message = { 1: one('scope', SCOPE), 2: many('spans', SPAN), 3: one('schemaUrl', 'string') }
const RESOURCE_SPANS: Message = {
  1: one('resource', RESOURCE),
  2: many('scopeSpans', SCOPE_SPANS),
  3: one('schemaUrl', 'string'),
}
const REQUEST: Message = { 1: many('resourceSpans', RESOURCE_SPANS) }

/** An attribute with its value. */
export interface RawAttribute {
  key: string
  value: Record<string, string | bigint | number>
}

/** A span as it came. */
export interface RawSpan {
  traceId: Buffer
  spanId: Buffer
  parentSpanId?: Buffer
  name: string
  kind: bigint
  start: bigint
  end: bigint
  attributes?: RawAttribute[]
  status?: { message?: string; code?: bigint }
}

/** A request to export spans. */
export interface RawRequest {
  resourceSpans: {
    resource: { attributes: RawAttribute[] }
    scopeSpans: { scope: { name: string; version?: string }; spans: RawSpan[] }[]
  }[]
}

/** Reads a request of OTLP in protobuf; throws on a field that it does not have, or one that is not of its kind. */
export const decodeRequest = (bytes: Buffer): RawRequest => read(bytes, REQUEST, 'request') as unknown as RawRequest

const WIRE: Record<Kind, number> = { varint: 0, double: 1, fixed64: 1, string: 2, bytes: 2, fixed32: 5 }

function read(bytes: Buffer, message: Message, where: string): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  let at = 0
  const take = (length: number) => {
    if (at + length > bytes.length) throw new Error(`${where} ends too early`)
    at += length
    return bytes.subarray(at - length, at)
  }
  const varint = () => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = take(1)[0]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new Error(`a number of ${where} has no end`)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const field = message[tag >> 3]
    if (!field) throw new Error(`${where} has no field ${tag >> 3}`)
    const { name, kind, repeated } = field
    const wire = typeof kind === 'string' ? WIRE[kind] : 2
    if ((tag & 7) !== wire) throw new Error(`${where}.${name} is written as ${tag & 7}, not as ${wire}`)
    if (!repeated && name in found) throw new Error(`${where}.${name} comes twice`)
    const raw = wire === 0 ? varint() : take(wire === 1 ? 8 : wire === 5 ? 4 : Number(varint()))
    const value = valueIn(raw, kind, `${where}.${name}`)
    if (repeated) found[name] = [...((found[name] as unknown[]) ?? []), value]
    else found[name] = value
  }
  return found
}

function valueIn(raw: bigint | Buffer, kind: Field['kind'], where: string): unknown {
  if (typeof raw === 'bigint') return raw
  if (typeof kind !== 'string') return read(raw, kind, where)
  if (kind === 'string') return new TextDecoder('utf-8', { fatal: true }).decode(raw)
  if (kind === 'double') return raw.readDoubleLE()
  if (kind === 'fixed64') return raw.readBigUInt64LE()
  return kind === 'fixed32' ? raw.readUInt32LE() : raw
}
