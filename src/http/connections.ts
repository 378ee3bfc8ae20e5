import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a connection may take, in milliseconds, and how many there may be. */
export interface ConnectionLimits {
  /** Until the headers of a request are there; also for a connection that says nothing at all. */
  headersMs: number
  /** Until all of a request is there. */
  requestMs: number
  /** Between two requests. Above the minute that load balancers keep theirs, so that they close first. */
  keepAliveMs: number
  /** Without a byte in either direction while an answer is due or being read. */
  idleMs: number
  /** How often the first two are looked at. */
  checkMs: number
  connections: number
}

const MOST = 10_000
const FEWEST = 16
// Descriptors that a process has open besides: files, timers of the event loop, the database's connections come on top.
const RESERVE = 64
/** Connections above the limit that are told so; of what comes then, nothing is taken. */
const TOLD = 32
// A request whose first bytes were there when the drain began is given this long to come.
const LATE_MS = 500

/** The limits of a process that opens this many connections of its own. */
export function connectionLimits(ownConnections: number): ConnectionLimits {
  const room = openFilesLimit() - RESERVE - TOLD - ownConnections
  return {
    headersMs: 15_000,
    requestMs: 60_000,
    keepAliveMs: 65_000,
    idleMs: 120_000,
    checkMs: 2000,
    connections: Math.max(FEWEST, Math.min(MOST, room)),
  }
}

let knownLimit: number | undefined

/** How many files and sockets this process may have open; a report is not made for nothing, so it is asked for once. */
function openFilesLimit(): number {
  knownLimit ??= reportedLimit()
  return knownLimit
}

function reportedLimit(): number {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean }
  const before = report.excludeNetwork
  report.excludeNetwork = true // or it would look up the names of everybody that we are connected with
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | 'unlimited' } } }
  report.excludeNetwork = before
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}

/**
 * Keeps account of a server's connections. When there are as many as there may be, a new one takes the place of one that
 * nobody is waiting on: the oldest that never sent a request, or else the one that has been idle longest. If there is
 * none, the new one is to be refused.
 */
export class Connections {
  private readonly answers = new Map<Socket, Set<ServerResponse>>()
  /** The answer to the last request that came over a connection, as long as one of both has not come to its end. */
  private readonly latest = new WeakMap<Socket, ServerResponse>()
  /** In the order of their coming. */
  private readonly silent = new Set<Socket>()
  /** In the order of the ends of their last requests, with the bytes that had been read by then. */
  private readonly idle = new Map<Socket, number>()
  private readonly refused = new WeakSet<Socket>()
  private draining = false

  constructor(
    private readonly server: Server,
    private readonly limits: ConnectionLimits,
  ) {
    server.headersTimeout = limits.headersMs
    server.requestTimeout = limits.requestMs
    server.keepAliveTimeout = limits.keepAliveMs
    server.timeout = limits.idleMs
    server.maxConnections = limits.connections + TOLD
    server.on('connection', (socket) => this.open(socket))
  }

  /** Takes note of a request; false when it came over a connection that is one too many. */
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    this.silent.delete(socket)
    this.idle.delete(socket)
    this.answers.get(socket)?.add(response)
    this.latest.set(socket, response)
    response.once('close', () => this.end(socket, response))
    if (this.draining || this.refused.has(socket)) response.shouldKeepAlive = false
    return !this.refused.has(socket)
  }

  /**
   * Calls back once the requests that have wholly come over a connection are answered, and tells whether the last one was
   * answered although it is cut off: nearly always such a one never is.
   */
  whenAnswered(socket: Socket, done: (cutOffToo: boolean) => void): void {
    const due = [...(this.answers.get(socket) ?? [])].filter(({ req, headersSent }) => req.complete || headersSent)
    const last = this.latest.get(socket)
    if (due.length === 0) done(last !== undefined && !last.req.complete && last.headersSent)
    let left = due.length
    for (const response of due) response.once('close', () => --left === 0 && this.whenAnswered(socket, done))
  }

  /**
   * Stops accepting and closes what nobody waits on, at once; answers that are due say `Connection: close`. What is left
   * after `graceMs` is cut.
   */
  drain(graceMs: number): Promise<void> {
    this.draining = true
    return new Promise((resolve) => {
      const late = setTimeout(() => closeAll([...this.silent, ...this.idle.keys()]), LATE_MS)
      const cut = setTimeout(() => closeAll([...this.answers.keys()]), graceMs)
      this.server.close(() => {
        clearTimeout(late)
        clearTimeout(cut)
        resolve()
      })
      closeAll([...this.silent].filter(({ bytesRead }) => bytesRead === 0))
      closeAll([...this.idle.keys()].filter((socket) => socket.bytesRead === this.idle.get(socket)))
      for (const responses of this.answers.values()) {
        for (const response of responses) response.shouldKeepAlive = false // of no effect once its headers are sent
      }
    })
  }

  private open(socket: Socket): void {
    if (this.draining) return void socket.destroy()
    if (this.answers.size >= this.limits.connections && !this.makeRoom()) this.refused.add(socket)
    this.answers.set(socket, new Set())
    this.silent.add(socket)
    socket.once('close', () => this.forget(socket))
  }

  private forget(socket: Socket): void {
    this.answers.delete(socket)
    this.silent.delete(socket)
    this.idle.delete(socket)
  }

  private end(socket: Socket, response: ServerResponse): void {
    const responses = this.answers.get(socket)
    responses?.delete(response)
    if (response.req.complete && this.latest.get(socket) === response) this.latest.delete(socket)
    if (!responses || responses.size > 0) return
    if (this.draining) socket.destroySoon()
    else this.idle.set(socket, socket.bytesRead)
  }

  private makeRoom(): boolean {
    const [oldest] = this.silent.size > 0 ? this.silent : this.idle.keys()
    if (!oldest) return false
    this.forget(oldest)
    oldest.destroy()
    return true
  }
}

function closeAll(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.destroy()
}
