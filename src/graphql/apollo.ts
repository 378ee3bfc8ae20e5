import { ApolloServer, type ApolloServerPlugin } from '@apollo/server'
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled'
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth'
import { GraphQLError, type GraphQLSchema, Kind } from 'graphql'
import type { Context } from '../database/index.js'
import { AppError } from '../shared/errors.js'
import { admitOperation } from './admit-operation.js'
import { capped, formatError, TOO_COMPLEX, withinBytes } from './errors.js'
import { presentable, thrown } from './failures.js'
import { statusOfRequestErrors } from './status.js'

const MAX_DEPTH = 12
const MAX_ALIASES = 50
const MAX_TOKENS = 2000

/** Faults of a query's text that are told of: each looks for names that are alike. */
const MAX_VALIDATION_ERRORS = 20

/** Wrong variables that are told of: each message prints the value, however large. */
const MAX_VARIABLE_ERRORS = 3

/** Headers that a page of another site cannot send without asking first, so what has one of them is no forgery. */
const NOT_FORGED = ['x-api-key', 'x-apollo-operation-name', 'apollo-require-preflight']

export interface ApolloOptions {
  schema: GraphQLSchema
  /** Outside production the schema can be asked for. */
  production: boolean
  log: (error: unknown, requestId: string) => void
}

/** The server behind /graphql. It answers 200 with `extensions.code` on each error of a field. */
export function createApollo({ schema, production, log }: ApolloOptions): ApolloServer<Context> {
  return new ApolloServer<Context>({
    schema,
    introspection: !production,
    // Without introspection the schema is not to be guessed from "Did you mean …?" either.
    hideSchemaDetailsFromClientErrors: production,
    csrfPrevention: { requestHeaders: NOT_FORGED },
    persistedQueries: false,
    validationOptions: { maxErrors: MAX_VALIDATION_ERRORS },
    executionOptions: { maxCoercionErrors: MAX_VARIABLE_ERRORS },
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: MAX_TOKENS },
    validationRules: [
      maxDepthRule({ n: MAX_DEPTH, ...refusing(`at most ${MAX_DEPTH} levels`) }),
      maxAliasesRule({ n: MAX_ALIASES, ...refusing(`at most ${MAX_ALIASES} aliases`) }),
    ],
    formatError,
    plugins: [
      ApolloServerPluginCacheControlDisabled(), // it would look at each field that is resolved
      ApolloServerPluginLandingPageDisabled(),
      admitOperation,
      nameWork,
      logFailures(log),
      completeAnswer,
      statusOfRequestErrors,
    ],
  })
}

/** Makes a limit answer with a code and words of ours. */
function refusing(bound: string) {
  const report = (context: { reportError(error: GraphQLError): void } | null) =>
    context?.reportError(new GraphQLError(`A query may have ${bound}.`, { extensions: { code: TOO_COMPLEX } }))
  return { propagateOnRejection: false, onReject: [report] }
}

/** Puts what services found odd into the answer's extensions, and how many errors are not told. */
const completeAnswer: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response: { body }, contextValue: { warnings } }) {
        if (body.kind !== 'single') return
        const { errors = [] } = body.singleResult
        const told = withinBytes(errors)
        if (told.length < errors.length) body.singleResult.errors = told
        const more = {
          ...capped('warnings', warnings.list),
          ...(told.length < errors.length && { errorsOmitted: errors.length - told.length }),
        }
        if (Object.keys(more).length > 0) body.singleResult.extensions = { ...body.singleResult.extensions, ...more }
      },
    }
  },
}

/** A request counts as what its first field does: of these names there are few, of callers' own any number. */
const nameWork: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ operation, contextValue }) {
        const first = operation?.selectionSet.selections[0]
        if (first?.kind === Kind.FIELD) contextValue.kind = first.name.value
      },
    }
  },
}

function logFailures(log: ApolloOptions['log']): ApolloServerPlugin<Context> {
  return {
    async requestDidStart({ contextValue }) {
      return {
        async didEncounterErrors({ errors }) {
          for (const error of errors) {
            const cause = thrown(error)
            if (!(cause instanceof AppError || cause instanceof GraphQLError)) {
              presentable(cause, (unknown) => log(unknown, contextValue.requestId))
            }
          }
        },
      }
    },
  }
}
