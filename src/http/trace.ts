import type { IncomingMessage, ServerResponse } from 'node:http'
import { during, type Span, type Traces } from '../shared/tracing.js'
import { ByRequest } from './by-request.js'
import { requestIdOf } from './request-id.js'
import { subjectOf } from './subject.js'

const spans = new ByRequest<Span>()

/** Does what answers requests, each as a span that is named after what it did; its address may hold secrets, and is not told. */
export function traceAnswers(traces: Traces | undefined) {
  return (request: IncomingMessage, response: ServerResponse, answer: () => void): void => {
    const method = request.method!
    const span = traces?.begin(
      method,
      { 'http.request.method': method, 'fairlead.request_id': requestIdOf(request) },
      request.headers,
    )
    if (!span) return void answer()
    spans.set(request, span)
    response.once('close', () => {
      const { operation, account, statements } = subjectOf(request)
      const status = response.statusCode
      if (operation !== undefined) span.rename(operation)
      span.add({
        'http.response.status_code': status,
        'fairlead.operation': operation,
        'fairlead.account': account,
        'fairlead.sql_statements': statements,
      })
      span.end(status >= 500 ? String(status) : response.writableFinished ? undefined : 'aborted')
    })
    during(span, answer)
  }
}

/** The id of the trace that a request is a part of, where it is told. */
export const traceIdOf = (request: IncomingMessage): string | undefined => spans.get(request)?.traceId
