import { type GraphQLSchema, isInputObjectType } from 'graphql'

/**
 * Gives input fields that a class inherits the extensions they were declared with, which type-graphql forgets. Without
 * them an inherited field would have no constraints.
 */
export function restoreInheritedExtensions(schema: GraphQLSchema): void {
  const { inputTypes } = globalThis.TypeGraphQLMetadataStorage
  for (const { name, target } of inputTypes) {
    const type = schema.getType(name)
    if (!isInputObjectType(type)) continue
    for (const field of Object.values(type.getFields())) field.extensions = extensionsOf(target, field.name)
  }
}

function extensionsOf(target: object, fieldName: string): Record<string, unknown> {
  return globalThis.TypeGraphQLMetadataStorage.fieldExtensions
    .filter((entry) => entry.fieldName === fieldName)
    .filter((entry) => entry.target === target || Object.prototype.isPrototypeOf.call(entry.target, target))
    .reduce((merged, { extensions }) => Object.assign(merged, extensions), {})
}
