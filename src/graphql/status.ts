import type { ApolloServerPlugin } from '@apollo/server'
import type { Context } from '../database/index.js'
import { AppError } from '../shared/errors.js'
import { thrown } from './failures.js'

/** The media type of those who want to see in the status how a request ended. */
export const GRAPHQL_RESPONSE = 'application/graphql-response+json'

/** What Apollo says of malformed HTTP; its status is right. */
const MALFORMED = 'BAD_REQUEST'

/**
 * The status of an answer without data. Who accepts `application/json` alone takes anything but 200 for a failure of the
 * transport, so faults of a document, its variables and its permissions are 200 there, as GraphQL over HTTP has it.
 */
export const statusOfRequestErrors: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async willSendResponse({ request, errors = [], response: { http, body } }) {
        if (body.kind !== 'single' || 'data' in body.singleResult) return
        const cause = thrown(errors[0])
        const status = cause instanceof AppError ? cause.status : 400
        const retryAfter = cause instanceof AppError ? cause.extra.retryAfter : undefined
        if (typeof retryAfter === 'number') http.headers.set('retry-after', String(retryAfter))
        if (status >= 500 || status === 429 || status === 401) http.status = status
        else if (body.singleResult.errors?.[0]?.extensions?.code === MALFORMED) return
        else http.status = request.http?.headers.get('accept') === GRAPHQL_RESPONSE ? status : 200
      },
    }
  },
}
