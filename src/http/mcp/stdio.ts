import { randomUUID } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Context, Database } from '../../database/index.js'
import type { Authenticator, LastUse, RateLimit } from '../../domains/accounts/index.js'
import { RequestContext } from '../../graphql/index.js'
import type { Tool, ToolMeans } from '../../rest/index.js'
import { allowanceOf } from '../admission.js'
import { Answering } from './answering.js'
import { toolServer } from './server.js'

/** How long an assistant that leaves, or a signal, lets the calls under way come to their end. */
const LEAVE_MS = 8000

export interface StdioOptions {
  tools: readonly Tool[]
  /** The API key of whoever has started the process. */
  key: string
  database: Database
  authenticator: Authenticator
  rateLimit: RateLimit
  lastUse: LastUse
  means: ToolMeans
}

/**
 * Offers the tools to the assistant that has started the process, over its standard input and output. The key is looked at
 * for each call, so that one that is revoked ends here too. Resolves when the assistant has left, or the process is to stop,
 * and what was asked before that is answered; what takes too long is undone as if it had been cancelled.
 */
export async function serveTools(options: StdioOptions, stopped: Promise<unknown>): Promise<void> {
  const { tools, means } = options
  const admit = admissionOf(options)
  await admit(0) // a key that is no good should be told at the start, and not to the assistant
  // The library drops what is under way at the end of its input, so it is not told of the end at once.
  const input = new PassThrough()
  process.stdin.pipe(input, { end: false })
  const wire = new Answering(new StdioServerTransport(input))
  const served = serveStdio(() => toolServer(tools, (cancelled) => admit(1, cancelled), means), {
    transport: wire,
    onerror: (error) => means.log(error, 'mcp'),
  })
  await Promise.race([stopped, finished(process.stdin).catch(() => {}), wire.closed])
  process.stdin.unpipe(input)
  while (!wire.isClosed && input.readableLength + input.writableLength > 0) await turn()
  await wire.answered(LEAVE_MS)
  await served.close()
}

function admissionOf({ key, database, authenticator, rateLimit, lastUse }: StdioOptions) {
  return async (requests: number, cancelled?: AbortSignal): Promise<Context> => {
    const known = await authenticator.authenticate(key, ['api_key'])
    const { viewer } = known
    const { state, exceeded } = await rateLimit.count(known, requests)
    if (exceeded) throw exceeded
    lastUse.record(viewer.actor)
    const allowance = allowanceOf(rateLimit, known, state)
    const gone = () => cancelled?.aborted === true
    return new RequestContext(randomUUID(), { viewer }, database, { allowance, stored: true, gone })
  }
}
