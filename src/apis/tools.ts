import { fileURLToPath } from 'node:url'
import type { GraphQLSchema } from 'graphql'
import { type Endpoint, loadOperations, type Tool, toolsOf } from '../rest/index.js'
import { EXTERNAL } from './external.js'

// What AI assistants can do beside the operations of the external API that are marked: mostly lists in short.
const OWN = {
  operations: fileURLToPath(new URL('../../schema/operations/tools', import.meta.url)),
  shows: {},
}

/** The tools that AI assistants are offered: the marked operations of the external API, and those made for them alone. */
export function offeredTools(schema: GraphQLSchema, external: readonly Endpoint[], fragmentsFolder: string): Tool[] {
  const mounted = new Set(external.map(({ operation }) => operation))
  return toolsOf(schema, [...mounted, ...loadOperations(schema, OWN, fragmentsFolder)], EXTERNAL)
}

/** The names of the hosts whose pages may ask for tools: this machine's, and that of the service's own address. */
export function ownHosts(publicUrl: string | undefined): string[] {
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  return ['localhost', '127.0.0.1', '[::1]', ...own]
}
