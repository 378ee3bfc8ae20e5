import type { ApolloServerPlugin } from '@apollo/server'
import { type DocumentNode, type GraphQLSchema, type OperationDefinitionNode, OperationTypeNode } from 'graphql'
import type { Context } from '../database/index.js'
import { requireAccess, requirePermission } from '../kit/permissions.js'
import { costOf } from './cost.js'
import { type Demands, demandsOf } from './shown.js'
import { requireShape } from './variables.js'

interface Known extends Demands {
  cost: number
}

/** Documents are kept by Apollo; what is known of an operation of theirs is kept as long. */
const known = new WeakMap<OperationDefinitionNode, Known>()

function knownOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Known {
  let found = known.get(operation)
  if (!found) {
    found = { ...demandsOf(schema, document, operation), cost: costOf(schema, document, operation) }
    known.set(operation, found)
  }
  return found
}

/**
 * What is asked of an operation before anything of it runs: that its key has as many requests left as it counts for, and
 * every permission for what it may show. Its variables are looked at after that, as the body is in REST.
 */
export const admitOperation: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    let cost: number | undefined
    return {
      async didResolveOperation({ schema, document, operation, request, contextValue }) {
        if (!operation) return
        const demands = knownOf(schema, document, operation)
        cost = demands.cost
        await contextValue.charge(cost - 1) // the request itself is counted already
        if (demands.public) return
        const { viewer } = contextValue
        for (const access of demands.roots) requireAccess(viewer, access)
        for (const { permission } of demands.shown) requirePermission(viewer, permission)
        requireShape(schema, operation, request.variables)
        await contextValue.begin(operation.operation === OperationTypeNode.MUTATION)
      },
      async willSendResponse({ response: { body }, contextValue }) {
        contextValue.end()
        if (body.kind !== 'single' || cost === undefined) return
        body.singleResult.extensions = { ...body.singleResult.extensions, cost }
      },
    }
  },
}
