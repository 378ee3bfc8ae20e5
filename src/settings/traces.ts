import type { TraceSettings } from '../integrations/traces/index.js'
import { oneOf, type Read, share, webUrl } from './values.js'

const PROTOCOL = 'http/protobuf'

/**
 * Reads to whom traces are told, under the names that OpenTelemetry has for that; undefined means nobody. Headers, compression,
 * time-outs and what the service is called are read by its packages, from variables of the same kind.
 */
export function readTraces(read: Read): TraceSettings | undefined {
  const address = 'an http:// or https:// address such as http://127.0.0.1:4318'
  const endpoint = read<string | undefined>('OTEL_EXPORTER_OTLP_ENDPOINT', undefined, webUrl, address)
  const told = read('OTEL_TRACES_SAMPLER_ARG', 1, share, 'a share from 0 to 1')
  if (endpoint === undefined) return undefined
  read('OTEL_EXPORTER_OTLP_PROTOCOL', PROTOCOL, oneOf([PROTOCOL]), `${PROTOCOL}, which alone is spoken`)
  return { endpoint, share: told }
}
