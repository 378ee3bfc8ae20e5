import { GraphQLError, GraphQLScalarType } from 'graphql'
import { GraphQLDateTimeISO, GraphQLJSONObject } from 'graphql-scalars'
import { type DateBound, parseDateBound } from '../shared/time.js'

/** An instant, out as ISO 8601 in UTC with milliseconds. */
export const DateTime = new GraphQLScalarType<Date, string>({
  ...GraphQLDateTimeISO.toConfig(),
  name: 'DateTime',
  description: 'An instant in ISO 8601, in UTC with milliseconds: 2026-01-31T09:30:00.000Z.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  // Hot reads bring the text as the database connection spelled it; entities bring a Date.
  serialize: (value) => (typeof value === 'string' ? value : (value as Date).toISOString()),
  extensions: { jsonSchema: { type: 'string', format: 'date-time' } },
})

/** One end of a span of time: an ISO 8601 date or date-time. */
export const DateBoundScalar = new GraphQLScalarType<DateBound, string>({
  name: 'DateBound',
  description:
    'An inclusive bound in ISO 8601: a date-time (UTC unless it has an offset), or a date, which stands for its first ' +
    'instant as a lower bound and its last as an upper one.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  serialize: (value) => String(value),
  parseValue: readBound,
  parseLiteral: (node) => readBound(node.kind === 'StringValue' ? node.value : undefined),
  extensions: {
    jsonSchema: {
      type: 'string',
      examples: ['2026-01-31', '2026-01-31T09:30:00.000Z'],
    },
  },
})

function readBound(value: unknown): DateBound {
  const bound = typeof value === 'string' ? parseDateBound(value) : undefined
  if (!bound) throw new GraphQLError('must be an ISO 8601 date or date-time')
  return bound
}

/** A day, without a time. */
export const DateOnly = new GraphQLScalarType<string, string>({
  name: 'Date',
  description: 'A day in ISO 8601: 2026-01-31.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/local-date.html',
  serialize: (value) => (value instanceof Date ? value.toISOString().slice(0, 10) : String(value)),
  parseValue: readDay,
  parseLiteral: (node) => readDay(node.kind === 'StringValue' ? node.value : undefined),
  extensions: { jsonSchema: { type: 'string', format: 'date' } },
})

function readDay(value: unknown): string {
  if (typeof value === 'string' && value.length === 10 && parseDateBound(value)) return value
  throw new GraphQLError('must be an ISO 8601 date')
}

/** Free key-value pairs. */
export const JSONObject = new GraphQLScalarType({
  ...GraphQLJSONObject.toConfig(),
  description: 'An object of free key-value pairs, at most 64 KiB as JSON.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  extensions: { jsonSchema: { type: 'object', additionalProperties: true } },
})
