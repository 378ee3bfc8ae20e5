import type { GraphQLSchema } from 'graphql'
import type { Api, Members } from '../api.js'
import { type Bind, compileBind } from '../bind.js'
import type { ToolMark } from '../directives.js'
import { erasedMembers } from '../erased.js'
import { endpointOf, OperationError } from '../load.js'
import type { Endpoint, Operation } from '../operation.js'
import { compileEnvelope, type Envelop } from '../respond.js'
import { foreignPaths } from './foreign.js'
import { type Described, describeTools } from './schemas.js'
import { TOOL_STYLE } from './style.js'

/** A stored operation as AI assistants see it. */
export interface Tool extends Described {
  /** The operation's name in snake case. */
  name: string
  title: string
  /** What it does, and which permission it takes. */
  description: string
  annotations: {
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: false
  }
  /** All its parameters come from one object, as those of a body do. */
  endpoint: Endpoint
  bind: Bind
  envelop: Envelop
  /** What becomes of members of a kept answer's `data` when whom they tell of is erased, as JSON; null if nothing is. */
  erased: string | null
  /** Where its answers hold what people outside of the account wrote: `data[].name`. */
  foreign: readonly string[]
  kept: KeptForm
}

/** How REST asks for the same and answers: so are the answers to named calls kept, and one name counts over both. */
export interface KeptForm {
  /** The arguments that stand in the path there. */
  path: readonly string[]
  status: number
  /** The members that its answers begin with. */
  around: Members
}

/**
 * Makes the tools of those operations that are marked as such, which `api` may mount, too; throws OperationError where one
 * can be none.
 */
export function toolsOf(
  schema: GraphQLSchema,
  operations: readonly Operation[],
  api: Pick<Api, 'success'> = TOOL_STYLE,
): Tool[] {
  const marked = operations.filter(({ tool }) => tool)
  const endpoints = marked.map((operation) => toolEndpoint(schema, operation))
  const described = describeTools(endpoints)
  const names = new Set<string>()
  return endpoints.map((endpoint, i) => {
    const { operation } = endpoint
    const mark = operation.tool as ToolMark
    const name = toolName(operation)
    if (names.has(name)) throw new OperationError(operation.file, `there is another tool named ${name}`)
    names.add(name)
    return {
      name,
      title: mark.title,
      description: descriptionOf(endpoint),
      annotations: {
        readOnlyHint: !operation.mutation,
        destructiveHint: mark.destructive,
        idempotentHint: !operation.mutation || mark.idempotent,
        openWorldHint: false,
      },
      ...described[i]!,
      endpoint,
      bind: compileBind(endpoint),
      envelop: compileEnvelope(endpoint, TOOL_STYLE),
      erased: erasedMembers(endpoint),
      foreign: foreignPaths(schema, endpoint),
      kept: keptForm(operation, api),
    }
  })
}

/** `search_contacts` of SearchContacts. */
const toolName = ({ name }: Operation) => name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** Assistants send one object with all arguments, so what REST takes from the path or the query comes from there too. */
function toolEndpoint(schema: GraphQLSchema, operation: Operation): Endpoint {
  const [usual] = operation.mounts
  const { booked, actsOutside, mutation, file, tool } = operation
  if (booked) throw new OperationError(file, 'what is booked in a journal can be no tool')
  const idempotent = mutation && !tool!.idempotent && !actsOutside
  if (tool!.once && !idempotent) throw new OperationError(file, '@tool(once: true) is for what can happen twice')
  return endpointOf(schema, operation, {
    method: 'POST',
    path: '/',
    envelope: usual?.envelope ?? tool!.envelope,
    status: 200,
    message: usual?.message,
    idempotent,
    hooks: [],
    needs: usual?.needs ?? [],
  })
}

function keptForm({ mounts: [usual] }: Operation, { success }: Pick<Api, 'success'>): KeptForm {
  const path = usual ? [...usual.path.matchAll(/:(\w+)/g)].map(([, name]) => name!) : []
  return { path, status: usual?.status ?? 200, around: success }
}

function descriptionOf({ operation: { summary, access }, mount: { needs } }: Endpoint): string {
  const taken = [access, ...needs].filter((one) => one.includes(':'))
  return taken.length > 0 ? `${summary} Takes the permission ${taken.join(' and ')}.` : summary
}
