import { connect } from 'node:net'
import type { Json } from './openapi.js'

export interface Flood {
  port: number
  connections: number
  /** How many calls go out on each connection before any of their answers is waited for. */
  pipelined: number
  /** How many times that is done on each connection. */
  batches: number
  /** One call as it goes over the wire. */
  call: string
}

/** What came back: how many times each status with its code came, and one answer of each. */
export interface Aftermath {
  counts: Record<string, number>
  samples: Record<string, { status: number; headers: Headers; body: Json }>
}

/** One call with a body, as text. */
export function callOf(path: string, body: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({
    Host: 'localhost',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** Connections in a row that may bring nothing: an answer is lost when its connection is reset behind it. */
const FRUITLESS = 20

/**
 * Sends as many calls as there are, until each has its answer. The service closes a connection behind a refusal that came
 * before all of the body: what was not answered goes out again over another one.
 */
export async function flood({ port, connections, pipelined, batches, call }: Flood): Promise<Aftermath> {
  const after: Aftermath = { counts: {}, samples: {} }
  const work = async () => {
    let fruitless = 0
    for (let left = pipelined * batches; left > 0; ) {
      const answered = await overOne(port, call, Math.min(pipelined, left), left, after)
      fruitless = answered > 0 ? 0 : fruitless + 1
      if (fruitless > FRUITLESS)
        throw new Error(`connections are cut without an answer, after ${Object.keys(after.counts)}`)
      left -= answered
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  return after
}

/** Sends calls over one connection, some at a time, until all are answered or it is closed; returns how many were. */
async function overOne(port: number, call: string, atOnce: number, most: number, after: Aftermath): Promise<number> {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  let [rest, sent, answered] = [Buffer.alloc(0), 0, 0]
  const send = () => {
    const next = Math.min(atOnce, most - sent)
    sent += next
    socket.write(call.repeat(next))
  }
  socket.on('error', () => {}) // it closes then
  socket.on('connect', send)
  socket.on('data', (data) => {
    rest = Buffer.concat([rest, data])
    for (let taken = takeAnswer(rest, after); taken > 0; taken = takeAnswer(rest, after)) {
      rest = rest.subarray(taken)
      answered++
    }
    if (answered === most) socket.destroy()
    else if (answered === sent) send()
  })
  await new Promise((resolve) => socket.once('close', resolve))
  return answered
}

/** Notes the first answer in these bytes if it is all there; returns how many bytes it took. */
function takeAnswer(bytes: Buffer, { counts, samples }: Aftermath): number {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return 0
  const head = bytes.toString('latin1', 0, end)
  const size = end + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1])
  if (bytes.length < size) return 0
  const status = Number(head.slice(9, 12))
  const body = JSON.parse(bytes.toString('utf8', end + 4, size))
  const name = `${status} ${body.error?.code ?? ''}`.trim()
  counts[name] = (counts[name] ?? 0) + 1
  samples[name] ??= { status, headers: headersOf(head), body }
  return size
}

function headersOf(head: string): Headers {
  const lines = head.split('\r\n').slice(1)
  return new Headers(lines.map((line): [string, string] => [line.split(':')[0]!, line.slice(line.indexOf(':') + 1)]))
}
