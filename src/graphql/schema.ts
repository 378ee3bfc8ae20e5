import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
} from 'graphql'
import { buildSchemaSync, Field, type NonEmptyArray } from 'type-graphql'
import type { Context } from '../database/index.js'
import type { Action } from '../kit/action.js'
import { compileInputCheck, type Findings } from '../kit/check-input.js'
import type { Assembly } from '../kit/domain.js'
import {
  type Access,
  isLasting,
  isPermission,
  type Permissions,
  requireAccess,
  requirePermission,
} from '../kit/permissions.js'
import { type ErrorName, type Fault, invalid } from '../shared/errors.js'
import { restoreInheritedExtensions } from './inherited.js'
import { refuse } from './rehearsal.js'

/**
 * Builds the typed schema of the domains; a root field or an object type that does not say what it demands, or anything
 * that demands a permission that no domain declares, stops the start.
 */
export function createSchema(assembly: Pick<Assembly, 'resolvers' | 'permissions' | 'actions'>): GraphQLSchema {
  const { resolvers, permissions, actions } = assembly
  for (const action of actions) fillSlot(action)
  const schema = buildSchemaSync({ resolvers: resolvers as NonEmptyArray<Resolvers>, validate: false })
  restoreInheritedExtensions(schema)
  requireDeclared(schema, permissions)
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(root?.getFields() ?? {}))
      guard(field, `${root!.name}.${field.name}`, permissions, root === schema.getMutationType())
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) if (field.extensions.comesAlong) takeWhatCameAlong(field)
  }
  return schema
}

const filled = new WeakSet<Action>()

/** Gives both types of an action's slot the field that is the action; once, as their classes are there once. */
function fillSlot(action: Action): void {
  if (filled.has(action)) return
  filled.add(action)
  const { slot, name, description, input, block } = action
  Field(() => input, { nullable: true, description })(slot.input.prototype as object, name)
  Field(() => block, { nullable: true, description })(slot.block.prototype as object, name)
}

/** A resolver that is asked for each record of a page, only to hand over what it has, costs more than the record. */
function takeWhatCameAlong(field: GraphQLField<Record<string, unknown>, Context>): void {
  const { name } = field
  const resolve = field.resolve!
  field.resolve = (record, args, context, info) => {
    const found = record[name]
    return found === undefined ? resolve(record, args, context, info) : found
  }
}

type Resolvers = Assembly['resolvers'][number]

/** A misspelt permission would be one that nobody can hold. */
function requireDeclared(schema: GraphQLSchema, permissions: Permissions): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if ((!isObjectType(type) && !isInputObjectType(type)) || isIntrospectionType(type)) continue
    requireKnown(type.name, type.extensions.access as Access | undefined, permissions)
    const isRoot = type === schema.getQueryType() || type === schema.getMutationType()
    if (isObjectType(type) && !isRoot && !type.extensions.access) {
      throw new Error(`${type.name} does not say what it takes to read it: add @ReadWith(…)`)
    }
    for (const field of Object.values<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields())) {
      for (const each of [field, ...('args' in field ? field.args : [])]) {
        requireKnown(`${type.name}.${field.name}`, each.extensions.access as Access | undefined, permissions)
      }
    }
  }
}

function requireKnown(what: string, access: Access | undefined, permissions: Permissions): void {
  if (!access || !isPermission(access) || Object.hasOwn(permissions, access)) return
  throw new Error(`${what} requires an unknown permission: ${access}`)
}

/** What a root field demands of the viewer. */
export function accessOf(field: GraphQLField<unknown, Context>): Access {
  return field.extensions.access as Access
}

/** The errors of its own that a root field says it can end with. */
export function errorsOf(field: GraphQLField<unknown, Context>): ErrorName[] {
  return (field.extensions.errors as ErrorName[] | undefined) ?? []
}

/** Puts the two things that every root field has in common before its resolver: permission, then input rules. */
function guard(field: GraphQLField<unknown, Context>, name: string, permissions: Permissions, mutation: boolean): void {
  const access = accessOf(field)
  if (!access) throw new Error(`${name} does not say what it requires: add @Requires(…)`)
  const lasting = mutation && isPermission(access) && isLasting(permissions[access]!) ? access : undefined
  const check = compileInputCheck(field.args)
  const resolve = field.resolve!
  field.resolve = (root, args, context, info) => {
    if (access !== 'public') requireAccess(context.viewer, access)
    const faults: Fault[] = []
    const more: Findings = { demanded: [], dropped: [] }
    const clean = check(args, faults, more)
    for (const permission of more.demanded) requirePermission(context.viewer, permission)
    if (context.warnings.strict) faults.push(...more.dropped)
    else for (const { path, message } of more.dropped) context.warnings.add(path, message, ' and was left out')
    context.lasting = lasting
    const carryOut = (values: object) => {
      // A transaction that began before this was known has not looked yet.
      if (!lasting || !context.db.inTransaction) return resolve(root, values, context, info)
      return context.db.requireStanding().then(() => resolve(root, values, context, info))
    }
    if (faults.length === 0 && !context.rehearsing) return carryOut(clean)
    const rehearsed = mutation && access !== 'public' && !field.extensions.actsOutside
    if (rehearsed) return refuse(context, faults, field.args, clean, carryOut)
    throw invalid(faults)
  }
}
