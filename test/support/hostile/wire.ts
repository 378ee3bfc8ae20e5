import { connect } from 'node:net'
import fc from 'fast-check'

/** What goes over a connection, byte by byte. */
export interface Wire {
  bytes: Buffer
  /** The methods of the requests in it, as far as they are meant to be some. */
  methods: string[]
  /** Whether all of it is as RFC 9112 has it: then each request is answered. */
  legible: boolean
  /** How it ends: the sender waits, says that it has no more, or is gone. */
  end: 'waits' | 'ends' | 'goes'
}

interface Piece {
  text: string
  legible: boolean
}

const good = (text: string): Piece => ({ text, legible: true })
const bad = (text: string): Piece => ({ text, legible: false })
const oneOf = (...pieces: Piece[]) => fc.constantFrom(...pieces)
const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd })

const method = mostly(
  oneOf(...['GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].map(good)),
  oneOf(...['get', 'BREW', '', 'G ET', 'GET\t', 'X'.repeat(5000), 'G\u0000T', 'PRI', 'CONNECT', 'TRACE'].map(bad)),
)

const PATHS = [
  ...[
    '/external/v1/contacts',
    '/external/v1/',
    '/external/v1/opportunities?page=2',
    '/external/v1/nothing',
    '/graphql',
  ],
  ...['/api/webhooks/agency/ag_0/sub-accounts', '/mcp', '/docs', '/openapi.json', '/healthz', '/'],
]

const target = mostly(
  oneOf(...PATHS.map(good)),
  oneOf(
    ...['http://example.com/external/v1/contacts', 'HTTP://u:p@[::1]:80/graphql?query=x', 'https://a/healthz'].map(
      good,
    ),
    ...['/external/v1/contacts/%', '/external/v1/contacts/%00', '/%2e%2e/%2e%2e/etc/passwd', '//external//v1'].map(
      good,
    ),
    good(`/external/v1/contacts?search=${'a'.repeat(9000)}`),
    ...[
      '*',
      'example.com:443',
      'ftp://x/y',
      '',
      '/a b',
      '/\u0001',
      `/${'x'.repeat(20_000)}`,
      'http://',
      '\\',
      '/é',
    ].map(bad),
  ),
)

const version = mostly(
  oneOf(good('HTTP/1.1')),
  oneOf(...['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'http/1.1', 'HTTP/1.11', 'HTTP', '', 'JUNK/1.1'].map(bad)),
)

const host = mostly(
  oneOf(good('Host: here\r\n')),
  oneOf(...['', 'Host: a\r\nHost: b\r\n', 'Host: \r\n', 'Host:here\r\n', 'host : here\r\n'].map(bad)),
)

const header = fc.oneof(
  oneOf(
    good('Accept: */*\r\n'),
    good('X-Request-Id: <script>\r\n'),
    good('X-Request-Id: a\r\nX-Request-Id: b\r\n'),
    good('Idempotency-Key: \u00ff\r\n'),
    good('Idempotency-Key: a\r\nIdempotency-Key: b\r\n'),
    good(`Prefer: ${'handling=strict,'.repeat(200)}\r\n`),
    good('X-API-Key: \r\n'),
    good('Authorization: Bearer\r\n'),
    good('Authorization: Basic YTpi\r\nAuthorization: Bearer x\r\n'),
    good('Content-Type: text/plain\r\n'),
    good('Content-Type: application/json; charset=utf-7\r\n'),
    good('Content-Encoding: gzip\r\n'),
    good('Accept: text/html;q=x,,,\r\n'),
    good('Origin: null\r\n'),
    good('Cookie: a=b; c\r\n'),
    good('X-Forwarded-For: ::ffff:1.2.3.4, unknown\r\n'),
    good('traceparent: 00-00000000000000000000000000000000-0000000000000000-ff\r\n'),
    good('__proto__: x\r\nconstructor: y\r\n'),
  ),
  oneOf(
    bad('Expect: 100-continue\r\n'),
    bad('Expect: everything\r\n'),
    bad('Upgrade: websocket\r\nConnection: Upgrade\r\n'),
    bad('Connection: close\r\n'),
    bad(`X-Long: ${'x'.repeat(20_000)}\r\n`),
    bad('X-Many: y\r\n'.repeat(2500)),
    bad('No colon\r\n'),
    bad(': no name\r\n'),
    bad('X-Nul: \u0000\r\n'),
    bad('X-Folded: a\r\n b\r\n'),
    bad('X-Bare: a\n'),
    bad('X Y: z\r\n'),
  ),
)

/** JSON that is a body, and what says how long it is. */
const body = mostly(
  fc.oneof(
    fc.constant(good('\r\n')),
    fc.jsonValue({ maxDepth: 2 }).map((value) => {
      const text = JSON.stringify(value)
      return good(`Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
    }),
    fc.jsonValue({ maxDepth: 1 }).map((value) => {
      const text = JSON.stringify(value)
      const length = Buffer.byteLength(text).toString(16)
      return good(
        `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${length}\r\n${text}\r\n0\r\n\r\n`,
      )
    }),
  ),
  oneOf(
    bad('Content-Length: 5\r\n\r\n{}'),
    bad('Content-Length: 2\r\n\r\n{}{}{}'),
    bad('Content-Length: -1\r\n\r\n{}'),
    bad('Content-Length: 2, 2\r\n\r\n{}'),
    bad('Content-Length: 99999999999999999999\r\n\r\n{}'),
    bad('Content-Length: +2\r\n\r\n{}'),
    bad('Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}'),
    bad('Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}'),
    bad('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
    bad('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'),
    bad('Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
    bad('Transfer-Encoding: chunked, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
    bad('Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
    bad('Transfer-Encoding:\u000bchunked\r\n\r\n0\r\n\r\n'),
    bad('Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'),
    bad('Transfer-Encoding: chunked\r\n\r\n2;ext="a\nb"\r\n{}\r\n0\r\nTrailer: x\r\n\r\n'),
    bad('Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}'),
    bad('Transfer-Encoding: chunked\r\n\r\n2\r\n{}'),
  ),
)

interface RawRequest extends Piece {
  method: string
}

/** A request; `key` gets it past the door. */
const requestWith = (key: string): fc.Arbitrary<RawRequest> =>
  fc
    .tuple(method, target, version, host, fc.boolean(), fc.array(header, { maxLength: 3 }), body)
    .map(([verb, path, protocol, hosts, known, headers, rest]) => {
      const parts = [verb, path, protocol, hosts, ...headers, rest]
      const start = `${verb.text} ${path.text} ${protocol.text}\r\n${hosts.text}`
      const own = known ? `X-API-Key: ${key}\r\n` : ''
      return {
        method: verb.text,
        text: start + own + headers.map(({ text }) => text).join('') + rest.text,
        legible: parts.every(({ legible }) => legible),
      }
    })

/** One to three requests on a connection, now and then only a part of them. */
export const wiresWith = (key: string): fc.Arbitrary<Wire> =>
  fc
    .record({
      requests: fc.array(requestWith(key), { minLength: 1, maxLength: 3 }),
      cut: mostly(fc.constant(undefined), fc.double({ min: 0, max: 1, noNaN: true })),
      end: fc.constantFrom('waits' as const, 'waits' as const, 'ends' as const, 'goes' as const),
    })
    .map(({ requests, cut, end }) => {
      const whole = Buffer.from(requests.map(({ text }) => text).join(''), 'latin1')
      const bytes = cut === undefined ? whole : whole.subarray(0, Math.floor(whole.length * cut))
      const legible = cut === undefined && end === 'waits' && requests.every((one) => one.legible)
      return { bytes, methods: requests.map((one) => one.method), legible, end }
    })

// Counted in ticks, so that a process that itself had no time does not take the server for silent.
const TICK_MS = 15
const QUIET_TICKS = 4
const PATIENCE_TICKS = 1000

/** Sends what goes over a connection, and returns all that comes back until nothing more is to come. */
export function overWire(port: number, { bytes, end, methods, legible }: Wire): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const chunks: Buffer[] = []
    let ticks = 0
    let patience = legible ? PATIENCE_TICKS : QUIET_TICKS
    const finish = () => {
      clearInterval(ticking)
      socket.destroy()
      resolve(Buffer.concat(chunks))
    }
    const ticking = setInterval(() => {
      if (++ticks >= patience) finish()
    }, TICK_MS)
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      ticks = 0
      // What is legible has as many answers as requests; of the rest nobody knows how many come.
      const answered = Buffer.concat(chunks).toString('latin1').split('HTTP/1.1 ').length - 1
      if (answered >= methods.length) patience = QUIET_TICKS
    })
    socket.on('error', () => {})
    socket.on('end', finish)
    socket.on('close', finish)
    socket.write(bytes, () => {
      if (end === 'ends') socket.end()
      if (end === 'goes') finish()
    })
  })
}

/** An answer as it came. */
export interface RawAnswer {
  status: number
  headers: Map<string, string>
  body: Buffer
}

/** Takes answers apart; throws on what is no answer. */
export function answersIn(bytes: Buffer, methods: readonly string[]): RawAnswer[] {
  const answers: RawAnswer[] = []
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at)
    if (end < 0) throw new Error(`no end of headers: ${bytes.toString('latin1', at, at + 300)}`)
    const [first, ...lines] = bytes.toString('latin1', at, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first!)?.[1])
    if (!status) throw new Error(`no status: ${first}`)
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    at = end + 4
    if (status === 100) continue
    // What is not readable is answered with a body: nobody knows what its method was. Where the method was read and only the
    // body is not, the answer to it may come first, without a body, and then the next one.
    const isUnreadable =
      [400, 405, 408, 431].includes(status) &&
      headers.get('connection') === 'close' &&
      at < bytes.length &&
      bytes.toString('latin1', at, at + 5) !== 'HTTP/'
    const bodiless = (methods[answers.length] === 'HEAD' && !isUnreadable) || status === 204 || status === 304
    if (!bodiless && headers.get('transfer-encoding') === 'chunked') {
      const { body, after } = chunksIn(bytes, at)
      answers.push({ status, headers, body })
      at = after
      continue
    }
    const length = bodiless ? 0 : Number(headers.get('content-length') ?? Number.NaN)
    if (Number.isNaN(length)) throw new Error(`no length: ${first} ${lines.join(' | ')}`)
    answers.push({ status, headers, body: bytes.subarray(at, at + length) })
    if (at + length > bytes.length) throw new Error(`a body ends too early: ${first}`)
    at += length
  }
  return answers
}

/** What comes in chunks from a place on, and where it ends. */
function chunksIn(bytes: Buffer, from: number): { body: Buffer; after: number } {
  const chunks: Buffer[] = []
  for (let at = from; ; ) {
    const line = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    if (line < 0 || Number.isNaN(size)) throw new Error(`no size of a chunk: ${bytes.toString('latin1', at, at + 100)}`)
    const end = line + 2 + size
    chunks.push(bytes.subarray(line + 2, end))
    at = end + 2
    if (size === 0) return { body: Buffer.concat(chunks), after: at }
  }
}
