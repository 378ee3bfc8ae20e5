import type {
  DocumentNode,
  GraphQLArgument,
  GraphQLInputField,
  GraphQLInputType,
  GraphQLOutputType,
  OperationDefinitionNode,
} from 'graphql'
import type { Execute } from '../graphql/index.js'
import type { ErrorExample } from '../kit/documentation.js'
import type { Access } from '../kit/permissions.js'
import type { ErrorName } from '../shared/errors.js'
import type { Mount, ToolMark } from './directives.js'

/** Where a parameter comes from. */
export type Source = 'path' | 'query' | 'body' | 'header'

/** One variable of an operation as a parameter of the endpoint. */
export interface Parameter {
  name: string
  source: Source
  /** The header's name, of a header parameter. */
  header?: string
  type: GraphQLInputType
  required: boolean
  defaultValue?: unknown
  range?: { min?: number; max?: number }
  description?: string
  /** The argument or input field that the variable fills: its description and constraints are the parameter's. */
  rule?: GraphQLArgument | GraphQLInputField
  /** The GraphQL input paths that the variable fills, such as `input.email`. */
  targets: string[]
}

/** One field of the operation's root. */
export interface RootField {
  /** Its name in the result. */
  key: string
  field: string
  spread: boolean
  /** The members of a field that is spread whose own members are left out where they are null. */
  sparse: readonly string[]
  type: GraphQLOutputType
}

/** A stored operation: what an endpoint or a tool does. */
export interface Operation {
  name: string
  file: string
  summary: string
  /** The document as graphql-js runs it: one operation and its fragments, without our directives. */
  document: DocumentNode
  node: OperationDefinitionNode
  mutation: boolean
  /** Whether its calls are booked in the API's journal. */
  booked: boolean
  /** Whether it does what the database cannot take back. */
  actsOutside: boolean
  access: Access
  /** The errors that its root fields say they can end with. */
  errors: ErrorName[]
  /** What its own errors say, by their code, for the examples of the documentation. */
  errorExamples: Record<string, ErrorExample>
  mounts: Mount[]
  /** How AI assistants see it, if they do. */
  tool?: ToolMark
  roots: RootField[]
  execute: Execute
}

/** An operation as one of its mounts offers it: the parameters' sources depend on the method and the path. */
export interface Endpoint {
  operation: Operation
  mount: Mount
  parameters: Parameter[]
}
