import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parseType,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { compileDefaults } from './input-defaults.js'

/** The kinds of values that are built out of others. */
const BUILT = new Set<string>([Kind.OBJECT, Kind.LIST])

type Variables = Record<string, unknown>
type Build = (variables: Variables) => unknown

/** An operation whose input objects are whole variables, and how these follow from the variables that it had. */
export interface Lifted {
  document: DocumentNode
  variables(given: Variables): Variables
}

/**
 * Makes one variable of each input object, or list, that an operation builds out of several. graphql-jit puts null into
 * such an object for a variable that is absent, where GraphQL leaves the field out; for a partial update these are
 * worlds apart. Defaults of what must not be null are put in here too: graphql-jit takes it for missing.
 */
export function liftInputs(schema: GraphQLSchema, document: DocumentNode): Lifted {
  const typeInfo = new TypeInfo(schema)
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)!
  const defaults = defaultsOf(operation)
  const builds = new Map<string, Build>()
  const added: VariableDefinitionNode[] = []

  const lifted = visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Argument(node) {
        if (!BUILT.has(node.value.kind) || !hasVariable(node.value)) return undefined
        const name = `_${builds.size}`
        const type = typeInfo.getInputType()!
        const build = compileValue(node.value, defaults)
        const complete = compileDefaults(type)
        builds.set(name, (variables) => complete(build(variables)))
        const variable = { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } } as const
        added.push({ kind: Kind.VARIABLE_DEFINITION, variable, type: parseType(String(type)) })
        return { ...node, value: variable }
      },
    }),
  )
  const direct = variablesIn(lifted)
  const kept = (operation.variableDefinitions ?? []).filter(({ variable }) => direct.has(variable.name.value))
  const completes = kept.map(({ variable, type }) => {
    const complete = compileDefaults(typeFromAST(schema, type as never) as unknown as GraphQLInputType)
    return [variable.name.value, complete] as const
  })
  return {
    document: visit(lifted, {
      OperationDefinition: (node) => ({ ...node, variableDefinitions: [...kept, ...added] }),
    }),
    variables: (given) => {
      const variables: Variables = {}
      for (const [name, complete] of completes) {
        const value = given[name] === undefined ? defaults[name] : given[name]
        if (value !== undefined) variables[name] = complete(value)
      }
      for (const [name, build] of builds) variables[name] = build(given)
      return variables
    },
  }
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Variables {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  )
}

function compileValue(node: ValueNode, defaults: Variables): Build {
  if (node.kind === Kind.VARIABLE) {
    const name = node.name.value
    const fallback = defaults[name]
    return (variables) => (variables[name] === undefined ? fallback : variables[name])
  }
  if (node.kind === Kind.OBJECT) {
    const fields = node.fields.map((field) => [field.name.value, compileValue(field.value, defaults)] as const)
    return (variables) => {
      const object: Variables = {}
      for (const [name, build] of fields) {
        const value = build(variables)
        if (value !== undefined) object[name] = value
      }
      return object
    }
  }
  if (node.kind === Kind.LIST) {
    const items = node.values.map((item) => compileValue(item, defaults))
    return (variables) => items.map((build) => build(variables) ?? null)
  }
  const constant = valueFromASTUntyped(node)
  return () => constant
}

const hasVariable = (node: ValueNode): boolean => variablesIn(node).size > 0

/** The variables that are used somewhere below a node; their definitions do not count. */
function variablesIn(node: DocumentNode | ValueNode): Set<string> {
  const names = new Set<string>()
  visit(node, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void names.add(name.value),
  })
  return names
}
