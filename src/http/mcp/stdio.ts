import { randomUUID } from 'node:crypto'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Context, Database } from '../../database/index.js'
import type { Authenticator, LastUse, RateLimit } from '../../domains/accounts/index.js'
import { RequestContext } from '../../graphql/index.js'
import type { Tool, ToolMeans } from '../../rest/index.js'
import { allowanceOf } from '../admission.js'
import { toolServer } from './server.js'

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
 * for each call, so that one that is revoked ends here too. Resolves when the assistant has left.
 */
export async function serveTools(options: StdioOptions, stopped: Promise<unknown>): Promise<void> {
  const { tools, means } = options
  const admit = admissionOf(options)
  await admit(0) // a key that is no good should be told at the start, and not to the assistant
  const served = serveStdio(() => toolServer(tools, () => admit(1), means), {
    onerror: (error) => means.log(error, 'mcp'),
  })
  await Promise.race([stopped, new Promise((resolve) => process.stdin.once('close', resolve))])
  await served.close()
}

function admissionOf({ key, database, authenticator, rateLimit, lastUse }: StdioOptions) {
  return async (requests: number): Promise<Context> => {
    const known = await authenticator.authenticate(key, ['api_key'])
    const { viewer } = known
    const { state, exceeded } = await rateLimit.count(known, requests)
    if (exceeded) throw exceeded
    lastUse.record(viewer.actor)
    const allowance = allowanceOf(rateLimit, known, state)
    return new RequestContext(randomUUID(), { viewer }, database, { allowance, stored: true })
  }
}
