import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server'

/** A transport that knows of the requests which came over it and have no answer yet. */
export class Answering implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  /** Settles when nothing goes over it any more. */
  readonly closed: Promise<void>
  isClosed = false
  private readonly open = new Set<string | number>()
  private settled?: () => void

  constructor(private readonly wire: Transport) {
    wire.onmessage = (message, extra) => {
      this.note(message)
      this.onmessage?.(message, extra)
    }
    wire.onerror = (error) => this.onerror?.(error)
    this.closed = new Promise((resolve) => {
      wire.onclose = () => {
        this.isClosed = true
        resolve()
        this.onclose?.()
      }
    })
  }

  start(): Promise<void> {
    return this.wire.start()
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    try {
      await this.wire.send(message, options)
    } finally {
      if (!('method' in message) && message.id !== undefined) this.settle(message.id)
    }
  }

  close(): Promise<void> {
    return this.wire.close()
  }

  /** Waits until each request has its answer, or that nobody can hear it, so many milliseconds at most. */
  async answered(withinMs: number): Promise<void> {
    if (this.isClosed || this.open.size === 0) return
    let timer: NodeJS.Timeout | undefined
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, withinMs)
    })
    const settled = new Promise<void>((resolve) => {
      this.settled = resolve
    })
    await Promise.race([settled, this.closed, late])
    clearTimeout(timer)
  }

  private note(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    // A subscription has its answer when all ends.
    if ('id' in message && message.method !== 'subscriptions/listen') this.open.add(message.id)
    // What is cancelled has none.
    const { requestId } = (message.params ?? {}) as { requestId?: string | number }
    if (message.method === 'notifications/cancelled' && requestId !== undefined) this.settle(requestId)
  }

  private settle(id: string | number): void {
    this.open.delete(id)
    if (this.open.size === 0) this.settled?.()
  }
}
