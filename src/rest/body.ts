import type { IncomingMessage, ServerResponse } from 'node:http'
import { raw } from 'express'
import { jsonSizeFault } from '../shared/bounds.js'
import { AppError, invalid } from '../shared/errors.js'

/** Bytes that a body may have, after decompression. */
export const MAX_BODY_BYTES = 1_048_576

/** Reads a body of at most so many bytes, after decompression. */
export const readerOf = (limit: number) => raw({ type: () => true, limit, inflate: true })
const readUsual = readerOf(MAX_BODY_BYTES)
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The JSON object in a request's body; an absent body is an empty object. */
export async function readJsonObject(
  request: IncomingMessage,
  response: ServerResponse,
  read = readUsual,
): Promise<object> {
  if (!hasBody(request)) return {}
  if (!isJson(request.headers['content-type'])) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON: send Content-Type: application/json.')
  }
  const bytes = await readBytes(request, response, read)
  return bytes.length === 0 ? {} : parseObject(bytes)
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function isJson(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';')
  if (!/^application\/([\w.+-]+\+)?json$/.test(type!.trim())) return false
  const charset = parameters.map((p) => p.trim()).find((p) => p.startsWith('charset='))
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset)
}

/** The bytes of a request's body, of the usual size at most. */
export function readBytes(request: IncomingMessage, response: ServerResponse, read = readUsual): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    read(request as never, response as never, (error?: unknown) => {
      if (error) reject(bodyFailure(error as { type?: string; status?: number }))
      else resolve((request as { body?: Buffer }).body ?? Buffer.alloc(0))
    })
  })
}

function bodyFailure(error: { type?: string; status?: number }): unknown {
  if (error.status === 413) return new AppError('PAYLOAD_TOO_LARGE', `A body may have ${MAX_BODY_BYTES} bytes at most.`)
  if (error.status === 415) return new AppError('UNSUPPORTED_MEDIA_TYPE', 'This Content-Encoding is not supported.')
  if (error.status && error.status < 500) return new AppError('VALIDATION_ERROR', 'The body could not be read whole.')
  return error
}

function parseObject(bytes: Buffer): object {
  const fault = jsonSizeFault(bytes)
  if (fault?.member) throw invalid([{ path: [fault.member], message: fault.message, documented: true }])
  if (fault) throw new AppError('VALIDATION_ERROR', `The body ${fault.message}.`)
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes))
  } catch {
    throw new AppError('VALIDATION_ERROR', 'The body is not well-formed JSON in UTF-8.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object.')
  }
  return value
}
