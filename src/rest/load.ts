import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  extendSchema,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  Source,
  TokenKind,
  validate,
  visit,
} from 'graphql'
import { accessOf, compileOperation, errorsOf } from '../graphql/index.js'
import { isPermission } from '../kit/permissions.js'
import type { Api } from './api.js'
import { checkEndpoint, checkOperation, checkShown } from './check.js'
import { DIRECTIVE_NAMES, DIRECTIVES, directives, type Mount, mounts, toolMark } from './directives.js'
import type { Endpoint, Operation, RootField } from './operation.js'
import { parametersOf } from './parameters.js'

interface File {
  path: string
  document: DocumentNode
}

/** A fault in a stored operation; it stops the start. */
export class OperationError extends Error {
  constructor(file: string, message: string) {
    super(`${file}: ${message}`)
  }
}

/**
 * Reads, checks and compiles every operation of an API's folder, with the fragments of another. Throws OperationError, which
 * names the file, at the first fault.
 */
export function loadEndpoints(schema: GraphQLSchema, stored: Stored, fragmentsFolder: string): Endpoint[] {
  const operations = loadOperations(schema, stored, fragmentsFolder)
  const endpoints = operations.flatMap((operation) =>
    operation.mounts.map((mount) => endpointOf(schema, operation, mount)),
  )
  refuseTwins(endpoints)
  return endpoints
}

/** What is loaded of an API: its stored operations, and what they may show. */
export type Stored = Pick<Api, 'operations' | 'shows'> & { booked?: unknown }

/** Reads, checks and compiles every operation of a folder, mounted or not. Throws OperationError as `loadEndpoints` does. */
export function loadOperations(
  schema: GraphQLSchema,
  { operations, shows, booked }: Stored,
  fragmentsFolder: string,
): Operation[] {
  const extended = withDirectives(schema)
  const fragments = readFiles(fragmentsFolder).flatMap(fragmentsOf)
  const loaded = readFiles(operations).flatMap((file) =>
    operationsOf(file).map((node) => {
      const operation = loadOperation(schema, extended, file, node, fragments, booked !== undefined)
      failing(file.path, () => checkShown(schema, operation, shows[operation.name] ?? []))
      return operation
    }),
  )
  for (const name of Object.keys(shows)) {
    if (!loaded.some((operation) => operation.name === name)) throw new Error(`${name} shows, but does not exist`)
  }
  return loaded
}

/** An operation as one of its mounts offers it, checked. */
export function endpointOf(schema: GraphQLSchema, operation: Operation, mount: Mount): Endpoint {
  const parameters = parametersOf(withDirectives(schema), operation, mount)
  return failing(operation.file, () => checkEndpoint({ operation, mount, parameters }))
}

const extendedSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>()

function withDirectives(schema: GraphQLSchema): GraphQLSchema {
  const known = extendedSchemas.get(schema) ?? extendSchema(schema, parse(DIRECTIVES))
  extendedSchemas.set(schema, known)
  return known
}

function readFiles(folder: string): File[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => {
      const path = relative(process.cwd(), join(folder, name))
      const text = readFileSync(join(folder, name), 'utf8')
      return failing(path, () => ({ path, document: parse(new Source(text, path)) }))
    })
}

function failing<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof OperationError) throw error
    throw new OperationError(file, error instanceof Error ? error.message : String(error))
  }
}

function fragmentsOf({ path, document }: File): FragmentDefinitionNode[] {
  return document.definitions.map((node) => {
    if (node.kind !== Kind.FRAGMENT_DEFINITION) throw new OperationError(path, 'only fragments may stand here')
    return node
  })
}

/** A file mostly holds one operation; those of a small record may stand together. */
function operationsOf({ path, document }: File): OperationDefinitionNode[] {
  const found = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  if (found.length === 0) throw new OperationError(path, 'the file holds no operation')
  return found
}

function loadOperation(
  schema: GraphQLSchema,
  extended: GraphQLSchema,
  file: File,
  node: OperationDefinitionNode,
  shared: FragmentDefinitionNode[],
  booksWrites: boolean,
): Operation {
  const own = file.document.definitions
  const fragments = used(node, [...own.filter((n) => n.kind === Kind.FRAGMENT_DEFINITION), ...shared])
  const full: DocumentNode = { kind: Kind.DOCUMENT, definitions: [node, ...fragments] }
  const [fault] = validate(extended, full)
  if (fault) throw new OperationError(file.path, fault.message)

  return failing(file.path, () => {
    const name = node.name?.value
    if (!name) throw new Error('the operation needs a name')
    const document = withoutOurDirectives(full)
    const roots = rootFields(schema, node)
    refuseIdleSparse(full, roots)
    const rootType = schema.getRootType(node.operation)!
    const fields = roots.map(({ field }) => rootType.getFields()[field]!)
    const access = fields.map(accessOf)
    const mutation = node.operation === 'mutation'
    const booked = mutation && booksWrites
    const actsOutside = fields.some(({ extensions }) => extensions.actsOutside === true)
    const operation: Operation = {
      name,
      file: file.path,
      summary: summaryOf(node),
      document,
      node,
      mutation,
      booked,
      actsOutside,
      access: access.find((one) => one && isPermission(one)) ?? access[0]!,
      errors: fields.flatMap(errorsOf),
      errorExamples: Object.assign({}, ...fields.map(({ extensions }) => extensions.errorExamples)),
      mounts: mounts(node.directives, { booked, actsOutside }),
      tool: toolMark(node.directives),
      roots,
      execute: compileOperation(schema, document, name),
    }
    checkOperation(operation)
    return operation
  })
}

/** The comment above an operation is what the endpoint does, in the documentation too. */
function summaryOf({ loc }: OperationDefinitionNode): string {
  const lines: string[] = []
  for (let token = loc?.startToken.prev; token?.kind === TokenKind.COMMENT; token = token.prev) {
    lines.unshift(token.value.trim())
  }
  return lines.join(' ').trim()
}

function rootFields(schema: GraphQLSchema, node: OperationDefinitionNode): RootField[] {
  const fields = schema.getRootType(node.operation)!.getFields()
  return node.selectionSet.selections.map((selection) => {
    if (selection.kind !== Kind.FIELD) throw new Error('the root holds fields only, no fragments')
    const field = selection.name.value
    const key = selection.alias?.value ?? field
    const spread = hasDirective(selection, 'spread')
    return { key, field, spread, sparse: spread ? sparseIn(selection) : [], type: fields[field]!.type }
  })
}

const hasDirective = (node: FieldNode, name: string) => directives(node.directives, name).length > 0

/** Only a member of what is spread can be sparse: anywhere else the mark would have no effect. */
function refuseIdleSparse(document: DocumentNode, roots: readonly RootField[]): void {
  const heeded = roots.reduce((sum, { sparse }) => sum + sparse.length, 0)
  let marks = 0
  visit(document, {
    Directive({ name }) {
      if (name.value === 'sparse') marks++
    },
  })
  if (marks > heeded) throw new Error('@sparse has an effect on a member of what is @spread only')
}

/** The members of a field, by their names in the result, that are marked as sparse. */
function sparseIn({ selectionSet }: FieldNode): string[] {
  const fields = (selectionSet?.selections ?? []).filter((node) => node.kind === Kind.FIELD)
  return fields.filter((node) => hasDirective(node, 'sparse')).map((node) => (node.alias ?? node.name).value)
}

function used(node: DefinitionNode, known: FragmentDefinitionNode[]): FragmentDefinitionNode[] {
  const found = new Set<FragmentDefinitionNode>()
  const look = (root: DefinitionNode): void => {
    visit(root, {
      FragmentSpread({ name }) {
        const fragment = known.find((one) => one.name.value === name.value)
        if (!fragment || found.has(fragment)) return
        found.add(fragment)
        look(fragment)
      },
    })
  }
  look(node)
  return [...found]
}

function withoutOurDirectives(document: DocumentNode): DocumentNode {
  return visit(document, {
    Directive: (node: DirectiveNode) => (DIRECTIVE_NAMES.has(node.name.value) ? null : undefined),
  })
}

function refuseTwins(endpoints: readonly Endpoint[]): void {
  const taken = new Map<string, string>()
  const names = new Map<string, string>()
  for (const { operation, mount } of endpoints) {
    const route = `${mount.method} ${mount.path.replaceAll(/:\w+/g, ':')}`
    const other = taken.get(route)
    if (other) throw new OperationError(operation.file, `${mount.method} ${mount.path} is taken by ${other}`)
    taken.set(route, operation.file)
    const namesake = names.get(operation.name)
    if (namesake && namesake !== operation.file) {
      throw new OperationError(operation.file, `${namesake} holds an operation named ${operation.name} too`)
    }
    names.set(operation.name, operation.file)
  }
}
