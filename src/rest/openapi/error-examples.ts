import { getNamedType } from 'graphql'
import { type ErrorKind, kindOf } from '../../shared/errors.js'
import { sentenceOn } from '../../shared/faults.js'
import type { Api, Members } from '../api.js'
import { MAX_BODY_BYTES } from '../body.js'
import type { Endpoint, Parameter } from '../operation.js'
import { ENTRY_EXAMPLE } from './shared-components.js'

const REQUEST_ID = '3f0c2d3e-6f4b-4d8e-9a55-0f6f0f5b8a11'

/** A whole body of failure with which calls of an endpoint can end, as the service would write it. */
export function errorExample(api: Api, endpoint: Endpoint, { code, meaning }: ErrorKind): Members {
  const { operation } = endpoint
  const fault = faultOf(api, endpoint, code)
  const told = operation.errorExamples[code] ??
    api.document.errorExamples?.[code]?.(String(operation.access)) ??
    (fault && { message: sentenceOn([fault]), details: [fault] }) ??
    SHARED[code]?.(endpoint) ?? { message: meaning }
  // What is wrong with a call itself is booked; what keeps it from being one is not.
  const isBooked =
    operation.booked && (fault !== undefined || operation.errors.some((name) => kindOf(name).code === code))
  const entry = isBooked ? { [api.booked!.name]: ENTRY_EXAMPLE } : {}
  return { ...api.failure, ...entry, error: { code, ...told, request_id: REQUEST_ID } }
}

/** A fault of inputs that an error with this code tells of, if it tells of such. */
function faultOf(api: Api, endpoint: Endpoint, code: string): { field: string; message: string } | undefined {
  const own = api.inputErrors?.find(({ error }) => error.code === code)
  const needed = endpoint.parameters.find(({ source, required }) => source !== 'path' && required)
  const lack = needed && { field: needed.name, message: 'is required' }
  if (own) return own.example ?? lack
  if (code !== 'VALIDATION_ERROR') return undefined
  const hasOwnForLack = api.inputErrors?.some(({ missing }) => missing)
  return (hasOwnForLack ? undefined : lack) ?? faultIn(endpoint)
}

/** What errors say that every endpoint can end with. */
const SHARED: Record<string, (endpoint: Endpoint) => Members> = {
  MISSING_API_KEY: () => ({ message: 'Send an API key, best in the X-API-Key header.' }),
  INVALID_API_KEY: () => ({ message: 'This API key is unknown or malformed, or it was revoked or has expired.' }),
  INSUFFICIENT_PERMISSIONS: ({ operation, mount }) => {
    const needed = mount.needs[0] ?? operation.access
    return { message: `This key lacks the permission ${needed}.`, required_permission: needed }
  },
  NOT_FOUND: ({ mount }) => ({ message: `There is no such ${recordIn(mount.path)}.` }),
  IDEMPOTENCY_IN_PROGRESS: () => ({
    message: 'The first call with this Idempotency-Key still runs.',
    retry_after: 1,
  }),
  RESOURCE_DELETED: () => ({ message: 'What the first call with this Idempotency-Key created has been deleted.' }),
  PAYLOAD_TOO_LARGE: () => ({ message: `A body may have ${MAX_BODY_BYTES} bytes at most.` }),
  UNSUPPORTED_MEDIA_TYPE: () => ({ message: 'The body must be JSON: send Content-Type: application/json.' }),
  IDEMPOTENCY_KEY_REUSED: () => ({ message: 'This Idempotency-Key was used before with another request.' }),
  RATE_LIMIT_EXCEEDED: () => ({
    message: 'The 1000 requests that this key may make in an hour are used up; try again in 1260 seconds.',
    retry_after: 1260,
  }),
  INTERNAL_ERROR: () => ({ message: 'Something went wrong on our side.' }),
  SERVICE_UNAVAILABLE: () => ({
    message: 'The service is busy or being maintained; try again soon.',
    retry_after: 5,
  }),
}

/** `contact` of `/contacts/:id/notes`; what is called an AI employee outside is an agent, as everywhere in messages. */
const recordIn = (path: string) =>
  path.split('/')[1]!.replace(/^ai-/, '').replaceAll('-', ' ').replace(/ies$/, 'y').replace(/s$/, '')

/** Something that can be wrong in a call of the endpoint: a parameter that is not of its kind, or one that is not there. */
function faultIn({ parameters }: Endpoint): { field: string; message: string } {
  for (const [holds, message] of KINDS) {
    const found = parameters.find((one) => one.source !== 'path' && holds(one))
    if (found) return { field: found.name, message }
  }
  return { field: 'fields', message: 'is unknown' } // with `Prefer: handling=strict`
}

const formatOf = ({ rule }: Parameter) => rule?.extensions.format
const KINDS: [(one: Parameter) => boolean, string][] = [
  [(one) => formatOf(one) === 'email', 'must be an email address'],
  [({ type }) => getNamedType(type).name === 'Int', 'must be an integer'],
  [({ type }) => /^Date/.test(getNamedType(type).name), 'must be an ISO 8601 date or date-time'],
]
