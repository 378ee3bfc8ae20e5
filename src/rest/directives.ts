import { type DirectiveNode, valueFromASTUntyped } from 'graphql'
import type { Permission } from '../kit/permissions.js'

/**
 * The grammar of stored operations. It extends the schema only while they are checked; /graphql does not know it.
 *
 * `@rest` mounts an operation and may stand several times. Its variables are the endpoint's parameters: named in the
 * path they come from there, else from the query (GET, DELETE) or the body (POST, PUT, PATCH).
 */
export const DIRECTIVES = /* GraphQL */ `
  directive @rest(
    method: RestMethod!
    "Below the base address; parameters as \`:name\`."
    path: String!
    "What becomes of the result: see RestEnvelope."
    envelope: RestEnvelope = DATA
    "The status of success."
    status: Int = 200
    "A sentence for people, sent along with success."
    message: String
    "Names of hooks that see the call before admission and after it is settled."
    hooks: [String!] = []
    "Permissions that a caller needs beside the root field's, for what the answer shows."
    needs: [String!] = []
  ) repeatable on QUERY | MUTATION

  """
  Offers an operation to AI assistants as a tool. Its name there is the operation's in snake case, its variables are the
  tool's arguments, the comment above it is what the assistant reads.
  """
  directive @tool(
    "A name for people."
    title: String!
    "Whether something is lost by it that cannot be got back."
    destructive: Boolean = false
    "Whether a second call with the same arguments changes nothing more."
    idempotent: Boolean = false
    """
    Whether each call must name itself by an idempotency_key, since what it does reaches people and cannot be taken back.
    Other tools that change something take one, too.
    """
    once: Boolean = false
    "What becomes of the result, where the operation is not mounted over REST; else it is as there."
    envelope: RestEnvelope = DATA
  ) on QUERY | MUTATION

  "Takes a variable from a header."
  directive @header(name: String!) on VARIABLE_DEFINITION

  "Brings an integer parameter to the nearest bound, with a warning."
  directive @range(min: Int, max: Int) on VARIABLE_DEFINITION

  "Describes a parameter where its argument's description does not fit."
  directive @doc(text: String!) on VARIABLE_DEFINITION

  "In a FIELDS envelope: puts the members of this root field beside \`success\` instead of the field itself."
  directive @spread on FIELD

  "In a field that is spread: leaves out the members of this object that are null."
  directive @sparse on FIELD

  enum RestMethod {
    GET
    POST
    PUT
    PATCH
    DELETE
  }

  enum RestEnvelope {
    "The one root field is \`data\`."
    DATA
    "The one root field is a page: its items are \`data\`, its pagination stands beside them."
    PAGE
    "Each root field is a member beside \`success\`, under its alias; null ones but \`data\` are left out."
    FIELDS
  }
`

/** Names of the directives above, which are taken out before an operation is compiled. */
export const DIRECTIVE_NAMES = new Set(['rest', 'tool', 'header', 'range', 'doc', 'spread', 'sparse'])

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Envelope = 'DATA' | 'PAGE' | 'FIELDS'

/** One place where an operation is mounted. */
export interface Mount {
  method: Method
  path: string
  envelope: Envelope
  status: number
  message?: string
  /** Whether a call with an Idempotency-Key happens once, however often it is sent. */
  idempotent: boolean
  hooks: string[]
  needs: Permission[]
}

const DEFAULTS = { envelope: 'DATA', status: 200, hooks: [], needs: [] }

/** Methods whose calls can carry an Idempotency-Key; the others have the same effect however often they are sent. */
const IDEMPOTENT_BY_KEY = new Set<Method>(['POST', 'PUT', 'PATCH'])

/** How an operation is offered to AI assistants. */
export interface ToolMark {
  title: string
  destructive: boolean
  idempotent: boolean
  once: boolean
  envelope: Envelope
}

const MARK_DEFAULTS = { destructive: false, idempotent: false, once: false, envelope: 'DATA' } as const

/** The arguments of each directive of this name. Call it only on what has been validated. */
export function directives<T>(nodes: readonly DirectiveNode[] | undefined, name: string): T[] {
  return (nodes ?? [])
    .filter((node) => node.name.value === name)
    .map(
      (node) =>
        Object.fromEntries((node.arguments ?? []).map((a) => [a.name.value, valueFromASTUntyped(a.value)])) as T,
    )
}

/**
 * Where an operation is mounted, with the defaults filled in. One that is booked happens once whatever its method; what
 * acts outside of the database cannot be committed along with its key, and takes none.
 */
export function mounts(
  nodes: readonly DirectiveNode[] | undefined,
  { booked, actsOutside }: { booked: boolean; actsOutside: boolean },
): Mount[] {
  const byKey = (method: Method) => booked || (!actsOutside && IDEMPOTENT_BY_KEY.has(method))
  return directives<Omit<Mount, 'idempotent'>>(nodes, 'rest').map(
    (given) => ({ ...DEFAULTS, ...given, idempotent: byKey(given.method) }) as Mount,
  )
}

/** How an operation is offered to AI assistants, if it is. */
export function toolMark(nodes: readonly DirectiveNode[] | undefined): ToolMark | undefined {
  const [given] = directives<Partial<ToolMark> & Pick<ToolMark, 'title'>>(nodes, 'tool')
  return given && { ...MARK_DEFAULTS, ...given }
}
