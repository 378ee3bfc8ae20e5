import type { EndpointRecord, EventRecord } from '../records.js'
import { stripeTypes } from '../types/schema.js'
import { type Answer, complete } from './complete.js'

export const eventAnswer = (event: EventRecord): Answer => ({
  id: event.id,
  object: 'event',
  api_version: stripeTypes.apiVersion,
  created: event.created,
  data: { object: event.object, ...(event.previous ? { previous_attributes: event.previous } : {}) },
  livemode: false,
  pending_webhooks: event.waiting,
  request: { id: event.request.id, idempotency_key: event.request.idempotencyKey },
  type: event.type,
})

/** The secret is told once, by the answer to its creation. */
export const endpointAnswer = (endpoint: EndpointRecord, withSecret = false): Answer =>
  complete('WebhookEndpoint', {
    id: endpoint.id,
    object: 'webhook_endpoint',
    api_version: stripeTypes.apiVersion,
    created: endpoint.created,
    description: endpoint.description,
    enabled_events: endpoint.events,
    metadata: endpoint.metadata,
    ...(withSecret ? { secret: endpoint.secrets[0] } : {}),
    status: endpoint.enabled ? 'enabled' : 'disabled',
    url: endpoint.url,
  })
