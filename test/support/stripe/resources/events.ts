import { randomBytes } from 'node:crypto'
import { endpointAnswer } from '../answers/events.js'
import { invalid } from '../errors.js'
import type { EndpointRecord, EventRecord } from '../records.js'
import type { World } from '../world.js'
import { found, type Handlers, mergeMetadata, textOf } from './handler.js'
import { LIST, page } from './lists.js'

/** A place to which events are sent; the standing of a test or a command line, or made by a call. */
export function makeEndpoint(world: World, known: Partial<EndpointRecord> & { url: string }): EndpointRecord {
  const endpoint: EndpointRecord = {
    id: world.id('we'),
    created: world.now,
    events: ['*'],
    description: null,
    metadata: {},
    enabled: true,
    secrets: [`whsec_${randomBytes(24).toString('base64url').replaceAll(/[-_]/g, '0')}`],
    ...known,
  }
  world.endpoints.set(endpoint.id, endpoint)
  return endpoint
}

/** Whether an event's type is one of those asked for; `invoice.*` is all of invoices. */
const isOneOf = (type: string, patterns: string[]) =>
  patterns.some((pattern) => (pattern.endsWith('.*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type))

function urlOf(params: Record<string, unknown>): string {
  const url = String(params.url)
  if (!URL.canParse(url))
    throw invalid('Invalid URL: An explicit scheme (such as https) must be provided.', 'url', 'url_invalid')
  return url
}

export const events: Handlers = {
  'Events.retrieve': { run: ({ world, path }) => world.answerOf(found(world.events, path.id!, 'event').id)! },
  'Events.list': {
    takes: [...LIST, 'created', 'type', 'types', 'delivery_success'],
    run: ({ world, params }) =>
      page(world, world.events.values(), params, '/v1/events', ({ type, waiting }: EventRecord) => {
        const { type: pattern, types, delivery_success: delivered } = params
        return (
          (pattern === undefined || isOneOf(type, [pattern as string])) &&
          (types === undefined || isOneOf(type, types as string[])) &&
          (delivered === undefined || delivered === (waiting === 0))
        )
      }),
  },
  'WebhookEndpoints.create': {
    takes: ['url', 'enabled_events', 'description', 'metadata'],
    run({ world, params }) {
      const endpoint = makeEndpoint(world, {
        url: urlOf(params),
        events: params.enabled_events as string[],
        description: textOf(params.description, null),
        metadata: mergeMetadata({}, params.metadata),
      })
      return endpointAnswer(endpoint, true)
    },
  },
  'WebhookEndpoints.retrieve': {
    run: ({ world, path }) => world.answerOf(found(world.endpoints, path.id!, 'webhook endpoint').id)!,
  },
  'WebhookEndpoints.update': {
    takes: ['url', 'enabled_events', 'description', 'metadata', 'disabled'],
    run({ world, path, params }) {
      const endpoint = found(world.endpoints, path.id!, 'webhook endpoint')
      if (params.url !== undefined) endpoint.url = urlOf(params)
      endpoint.events = (params.enabled_events as string[] | undefined) ?? endpoint.events
      endpoint.description = textOf(params.description, endpoint.description)
      endpoint.metadata = mergeMetadata(endpoint.metadata, params.metadata)
      if (params.disabled !== undefined) endpoint.enabled = !params.disabled
      return world.answerOf(endpoint.id)!
    },
  },
  'WebhookEndpoints.list': {
    takes: LIST,
    run: ({ world, params }) => page(world, world.endpoints.values(), params, '/v1/webhook_endpoints'),
  },
  'WebhookEndpoints.del': {
    run({ world, path }) {
      const { id } = found(world.endpoints, path.id!, 'webhook endpoint')
      world.endpoints.delete(id)
      return { id, object: 'webhook_endpoint', deleted: true }
    },
  },
}
