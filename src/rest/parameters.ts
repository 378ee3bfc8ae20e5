import {
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
  valueFromAST,
  visit,
} from 'graphql'
import { directives, type Mount } from './directives.js'
import type { Operation, Parameter, Source } from './operation.js'

const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH'])

/** The names that stand as `:name` in a path. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!)
}

/** An operation's variables as the parameters of one of its mounts. */
export function parametersOf(schema: GraphQLSchema, { node }: Operation, mount: Mount): Parameter[] {
  const inPath = new Set(pathNames(mount.path))
  const rest: Source = BODY_METHODS.has(mount.method) ? 'body' : 'query'
  const targets = targetsOf(node.selectionSet.selections)
  return (node.variableDefinitions ?? []).map((definition) => {
    const name = definition.variable.name.value
    const header = directives<{ name: string }>(definition.directives, 'header')[0]?.name
    const source = inPath.has(name) ? 'path' : header ? 'header' : rest
    const filled = targets.get(name) ?? []
    const rule = filled[0] === undefined ? undefined : ruleAt(schema, node, filled[0])
    return { ...describe(schema, definition), name, source, header, rule, targets: filled }
  })
}

/** The argument or input field at a path below the operation's root fields. */
function ruleAt(schema: GraphQLSchema, node: OperationDefinitionNode, path: string): Parameter['rule'] {
  const [argument, ...fields] = path.split('.')
  const known = schema.getRootType(node.operation)!.getFields()
  const roots = node.selectionSet.selections.flatMap((s) => (s.kind === Kind.FIELD ? known[s.name.value]!.args : []))
  let rule: Parameter['rule'] = roots.find(({ name }) => name === argument)
  for (const name of fields) {
    const type = rule && getNamedType(rule.type)
    rule = isInputObjectType(type) ? type.getFields()[name] : undefined
  }
  return rule
}

function describe(schema: GraphQLSchema, definition: VariableDefinitionNode) {
  const type = typeFromAST(schema, definition.type as never)
  return {
    type: type as Parameter['type'],
    required: isNonNullType(type) && !definition.defaultValue,
    defaultValue: definition.defaultValue && valueFromAST(definition.defaultValue, type as never),
    range: directives<{ min?: number; max?: number }>(definition.directives, 'range')[0],
    description: directives<{ text: string }>(definition.directives, 'doc')[0]?.text,
  }
}

/** For each variable the GraphQL paths that it fills: the argument, then the fields of input objects. */
function targetsOf(selections: readonly unknown[]): Map<string, string[]> {
  const targets = new Map<string, string[]>()
  const look = (value: ValueNode, path: string): void => {
    if (value.kind === Kind.VARIABLE) targets.set(value.name.value, [...(targets.get(value.name.value) ?? []), path])
    if (value.kind === Kind.OBJECT) for (const f of value.fields) look(f.value, `${path}.${f.name.value}`)
    if (value.kind === Kind.LIST) value.values.forEach((item, i) => void look(item, `${path}.${i}`))
  }
  for (const selection of selections) {
    visit(selection as never, { Argument: ({ name, value }) => look(value, name.value) })
  }
  return targets
}
