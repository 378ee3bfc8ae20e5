import type { ApolloServerPlugin } from '@apollo/server'
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql'
import type { Context } from '../database/index.js'
import { requirePermission } from '../kit/permissions.js'
import { type Demands, demandsOf } from './shown.js'

/** Documents are kept by Apollo; what an operation of theirs demands is kept as long. */
const known = new WeakMap<OperationDefinitionNode, Demands>()

function knownDemands(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Demands {
  let demands = known.get(operation)
  if (!demands) {
    demands = demandsOf(schema, document, operation)
    known.set(operation, demands)
  }
  return demands
}

/** Refuses an operation before anything of it runs when the key lacks a permission for anything that it may show. */
export const permissionsFirst: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ schema, document, operation, contextValue }) {
        if (!operation) return
        const demands = knownDemands(schema, document, operation)
        if (demands.public) return
        const { viewer } = contextValue
        for (const { permission } of demands.shown) requirePermission(viewer, permission)
      },
    }
  },
}
