import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeRequest, type RawAttribute, type RawRequest, type RawSpan } from './decode.js'

/** A span that a collector was told of. */
export interface ToldSpan {
  traceId: string
  spanId: string
  parentId?: string
  name: string
  /** As OTLP numbers them: 2 server, 3 client, 5 consumer. */
  kind: number
  attributes: Record<string, string | number | boolean>
  failed: boolean
}

/** A collector of traces on 127.0.0.1 that notes, and refuses, whatever is not as OTLP over HTTP says. */
export interface Collector {
  endpoint: string
  spans: ToldSpan[]
  /** What the telling process says of itself. */
  resource: Record<string, unknown>
  /** Headers of the requests. */
  headers: IncomingMessage['headers'][]
  /** Waits for a span that fits. */
  told(fits: (span: ToldSpan) => boolean, patienceMs?: number): Promise<ToldSpan>
  /** Rejects when something was not as it should be. */
  stop(): Promise<void>
}

const PATIENCE_MS = 20_000

/** Starts a collector. */
export async function startCollector(): Promise<Collector> {
  const spans: ToldSpan[] = []
  const resource: Record<string, unknown> = {}
  const headers: Collector['headers'] = []
  const complaints: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    headers.push(request.headers)
    try {
      requireOtlp(request)
      const told = decodeRequest(Buffer.concat(chunks))
      spans.push(...spansOf(told, spans))
      for (const { resource: of } of told.resourceSpans) Object.assign(resource, attributesOf(of.attributes))
      response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end()
    } catch (error) {
      complaints.push(String(error))
      response.writeHead(400).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    resource,
    headers,
    told: async (fits, patienceMs = PATIENCE_MS) => {
      for (const end = Date.now() + patienceMs; Date.now() < end; ) {
        const found = spans.find(fits)
        if (found) return found
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`No such span came, only ${JSON.stringify(spans.map(({ name }) => name))} ${complaints}`)
    },
    stop: async () => {
      await new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      })
      if (complaints.length > 0) throw new Error(complaints.join('\n'))
    },
  }
}

function requireOtlp({ method, url, headers }: IncomingMessage): void {
  const said = `${method} ${url} ${headers['content-type']}`
  if (said !== 'POST /v1/traces application/x-protobuf') throw new Error(`not an export of traces: ${said}`)
}

function spansOf({ resourceSpans }: RawRequest, before: readonly ToldSpan[]): ToldSpan[] {
  const ids = new Set(before.map(({ spanId }) => spanId))
  return resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) => {
      if (!scope.name) throw new Error('nobody says who traces')
      return spans.map((raw) => spanOf(raw, ids))
    }),
  )
}

function spanOf(raw: RawSpan, ids: Set<string>): ToldSpan {
  const { name, kind, start, end, attributes = [], status } = raw
  const idOf = (bytes: Buffer | undefined, length: number) => {
    if (bytes?.length !== length || bytes.every((byte) => byte === 0)) throw new Error(`${name}: an id is none`)
    return bytes.toString('hex')
  }
  const spanId = idOf(raw.spanId, 8)
  if (ids.has(spanId)) throw new Error(`${name}: the span came twice`)
  ids.add(spanId)
  if (!name || kind < 1n || kind > 5n) throw new Error(`a span has no name or is of no kind: ${name} ${kind}`)
  if (!(start > 0n && start <= end)) throw new Error(`${name}: it ends before its beginning`)
  return {
    traceId: idOf(raw.traceId, 16),
    spanId,
    parentId: raw.parentSpanId?.length ? idOf(raw.parentSpanId, 8) : undefined,
    name,
    kind: Number(kind),
    attributes: attributesOf(attributes),
    failed: status?.code === 2n,
  }
}

function attributesOf(attributes: readonly RawAttribute[]): ToldSpan['attributes'] {
  const found: ToldSpan['attributes'] = {}
  for (const { key, value } of attributes) {
    const [kind, ...more] = Object.keys(value ?? {})
    if (!key || key in found) throw new Error(`an attribute has no name or comes twice: ${key}`)
    if (kind === undefined || more.length > 0) throw new Error(`${key} has not one value`)
    const given = value[kind]!
    found[key] = kind === 'bool' ? given === 1n : typeof given === 'bigint' ? Number(given) : given
  }
  return found
}
