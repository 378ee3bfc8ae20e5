import type { IncomingMessage, ServerResponse } from 'node:http'
import pino, { type Logger } from 'pino'
import { outageReason } from '../database/index.js'
import type { FailureLog } from './failure-log.js'
import { redact } from './redact.js'
import { requestIdOf } from './request-id.js'
import { subjectOf } from './subject.js'
import { traceIdOf } from './trace.js'

export type { Logger } from 'pino'

// What a driver hangs on its errors beside these is whole objects, or values out of the records concerned.
const TOLD_OF_ERRORS = ['type', 'message', 'stack', 'code', 'severity', 'constraint', 'table', 'queue']

function describeError(error: Error): object {
  const described = pino.stdSerializers.err(error) as object
  // Where in the program the database was found to be away says nothing.
  const told = outageReason(error) === undefined ? TOLD_OF_ERRORS : TOLD_OF_ERRORS.filter((name) => name !== 'stack')
  return Object.fromEntries(Object.entries(described).filter(([name]) => told.includes(name)))
}

/** The structured log of the process: one JSON object a line, on stderr, so that stdout stays for what commands print. */
export function createLogger(level: string, destination: pino.DestinationStream = pino.destination(2)): Logger {
  return pino(
    {
      level,
      base: undefined,
      redact: { paths: ['authorization', '*.authorization', '*.["x-api-key"]', '*.password'], censor: '[redacted]' },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      hooks: { streamWrite: redact },
    },
    destination,
  )
}

/** Hears how each request ended: what it did, with which status, and how many seconds that took. */
export type Answered = (operation: string, status: number, seconds: number) => void

/**
 * Logs each answer: method, address, status and milliseconds, with the request's id; of a request that was let in what it
 * did, for which account, and with how many statements. One that could not be answered since the database was away says why,
 * as a warning.
 */
export function logAnswers(logger: Logger, failures: FailureLog, answered: Answered = () => {}) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url } = request
    const begin = performance.now()
    response.once('close', () => {
      const ms = performance.now() - begin
      const { statusCode: status, writableFinished } = response
      const subject = subjectOf(request)
      answered(subject.operation ?? 'none', status, ms / 1000)
      const reason = failures.take(requestIdOf(request))
      const level = reason === undefined && status !== 503 ? 'info' : 'warn'
      if (!logger.isLevelEnabled(level)) return
      const rounded = Math.round(ms * 10) / 10
      const traceId = traceIdOf(request)
      const told = { requestId: requestIdOf(request), method, url, status, ms: rounded, ...subject, reason }
      logger[level]({ ...told, ...(traceId && { traceId }), ...(!writableFinished && { aborted: true }) }, 'answered')
    })
  }
}
