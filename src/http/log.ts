import type { IncomingMessage, ServerResponse } from 'node:http'
import pino, { type Logger } from 'pino'
import { requestIdOf } from './request-id.js'

export type { Logger } from 'pino'

// Anything that looks like one of our secrets, wherever it turns up: in an address, a header or a message.
const SECRET = /\bfl_(live|agency)_[0-9A-Za-z]{4,}/g
// The value ends where the text does that quotes it, since what is searched may be JSON already.
const API_KEY_PARAMETER = /([?&]api_key=)(?:\\.|[^&\s"\\])*/gi

/** Blots out credentials in a text that is going to be logged. */
export function redact(text: string): string {
  return text.replace(API_KEY_PARAMETER, '$1[redacted]').replace(SECRET, 'fl_$1_[redacted]')
}

/** An address with its unreserved characters in the clear (RFC 3986, 6.2.2.2), so that no credential hides in their codes. */
function plainUrl(url: string): string {
  return url.replace(/%[0-7][0-9a-f]/gi, (code) => {
    const character = decodeURIComponent(code)
    return /[\w.~-]/.test(character) ? character : code
  })
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
      hooks: { streamWrite: redact },
    },
    destination,
  )
}

/** Logs each answer: method, address, status and milliseconds, with the request's id. */
export function logAnswers(logger: Logger) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (!logger.isLevelEnabled('info')) return
    const { method } = request
    const url = plainUrl(request.url!)
    const begin = performance.now()
    response.once('close', () => {
      const ms = Math.round((performance.now() - begin) * 10) / 10
      const { statusCode: status, writableFinished } = response
      logger.info(
        { requestId: requestIdOf(request), method, url, status, ms, ...(!writableFinished && { aborted: true }) },
        'answered',
      )
    })
  }
}
