import { ApolloServer, type ApolloServerPlugin } from '@apollo/server'
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled'
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default'
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases'
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth'
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from 'graphql'
import type { Context } from '../database/index.js'
import { AppError, type ErrorCode } from '../shared/errors.js'
import { MAX_LISTED } from '../shared/faults.js'
import { presentable, thrown } from './failures.js'
import { permissionsFirst } from './permissions-first.js'
import { statusOfRequestErrors } from './status.js'

const MAX_DEPTH = 12
const MAX_ALIASES = 50
const MAX_TOKENS = 4000
const TOO_COMPLEX: ErrorCode = 'QUERY_TOO_COMPLEX'

export interface ApolloOptions {
  schema: GraphQLSchema
  /** Outside production the schema can be asked for, and a browser gets a page to try queries on. */
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
    csrfPrevention: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: MAX_TOKENS },
    validationRules: [
      maxDepthRule({ n: MAX_DEPTH, ...refusing(`at most ${MAX_DEPTH} levels`) }),
      maxAliasesRule({ n: MAX_ALIASES, ...refusing(`at most ${MAX_ALIASES} aliases`) }),
    ],
    formatError: format,
    plugins: [
      production
        ? ApolloServerPluginLandingPageDisabled()
        : ApolloServerPluginLandingPageLocalDefault({ embed: false }),
      permissionsFirst,
      logFailures(log),
      tellWarnings,
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

/** GraphQL's own errors stay as they are; what a resolver threw is told by its code, with the paths of wrong inputs. */
function format(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const cause = thrown(error)
  if (cause instanceof GraphQLError) return withOwnCode(formatted, cause)
  const { code, message, faults, extra } = presentable(cause, () => {})
  const details = faults.map(({ path, message, extra }) => ({ path, message, ...extra }))
  const extensions = { code, ...capped('details', details), ...extra }
  return { ...formatted, message, extensions }
}

/** Apollo gives every fault of a query's text the same code; a limit of ours keeps its own. */
function withOwnCode(formatted: GraphQLFormattedError, { extensions: { code } }: GraphQLError): GraphQLFormattedError {
  return code === TOO_COMPLEX ? { ...formatted, extensions: { ...formatted.extensions, code } } : formatted
}

/** At most a hundred entries, and how many more there are. */
function capped(name: string, entries: readonly object[]): Record<string, unknown> {
  if (entries.length === 0) return {}
  const omitted = entries.length - MAX_LISTED
  return { [name]: entries.slice(0, MAX_LISTED), ...(omitted > 0 && { [`${name}Omitted`]: omitted }) }
}

/** Puts what services found odd into the answer's extensions. */
const tellWarnings: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response: { body }, contextValue: { warnings } }) {
        if (body.kind !== 'single' || warnings.list.length === 0) return
        body.singleResult.extensions = { ...body.singleResult.extensions, ...capped('warnings', warnings.list) }
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
