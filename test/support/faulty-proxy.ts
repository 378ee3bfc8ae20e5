import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What befalls a request on its way: it is let through, answered in the server's place, or its connection is cut. */
export type Fault =
  | 'none'
  | 'cut before it arrives'
  | 'cut after it was done'
  | 'silence'
  | { status: number; headers?: Record<string, string>; body?: string }

/** A proxy in front of the service that does to requests what it was told, one after the other, and lets later ones through. */
export interface FaultyProxy {
  origin: string
  /** What is to befall the next requests. */
  plan(...faults: Fault[]): void
  /** What came since the last plan, by method and headers. */
  seen: { method: string; url: string; headers: IncomingMessage['headers'] }[]
  close(): Promise<void>
}

/** Starts a proxy in front of a service. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  let faults: Fault[] = []
  const seen: FaultyProxy['seen'] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    seen.push({ method, url, headers })
    const fault = faults.shift() ?? 'none'
    if (fault === 'cut before it arrives') return void request.socket.destroy()
    if (fault === 'silence') return
    if (typeof fault === 'object') return void response.writeHead(fault.status, fault.headers).end(fault.body)
    const answer = await forward(target, request)
    if (fault === 'cut after it was done') return void request.socket.destroy()
    await pass(answer, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan: (...planned) => {
      faults = planned
      seen.length = 0
    },
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function forward(target: string, request: IncomingMessage): Promise<Response> {
  const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined
  return fetch(target + request.url, { method: request.method, headers: headers as Record<string, string>, body })
}

async function pass(answer: Response, response: ServerResponse): Promise<void> {
  const text = await answer.text()
  const {
    'content-encoding': _encoding,
    'transfer-encoding': _transfer,
    ...headers
  } = Object.fromEntries(answer.headers)
  response.writeHead(answer.status, headers).end(text)
}
