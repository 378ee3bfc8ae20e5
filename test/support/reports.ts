import { readFileSync } from 'node:fs'
import type { Answer, Client } from './client.js'

/** Reports of the external API, by the last part of their path. */
export type ReportName = 'funnel' | 'sla' | 'sales-summary' | 'sellers'

export type Parameters = Record<string, string>

const operations = new Map<ReportName, string>()

/** The stored operation of a report as /graphql takes it. */
function operationOf(name: ReportName): string {
  const known = operations.get(name)
  if (known) return known
  const text = readFileSync(
    new URL(`../../schema/operations/external/reports/${name}.graphql`, import.meta.url),
    'utf8',
  )
  const operation = text.replace(/@(rest|tool)\([^)]*\)/g, '')
  operations.set(name, operation)
  return operation
}

/** Asks for a report over REST. */
export function askReport(client: Client, name: ReportName, parameters: Parameters = {}): Promise<Answer> {
  return client.get(`/reports/${name}?${new URLSearchParams(parameters)}`)
}

/** The data of a report, which must be the same over REST and through /graphql. */
export async function report(client: Client, name: ReportName, parameters: Parameters = {}): Promise<Answer['body']> {
  const rest = await askReport(client, name, parameters)
  expect({ status: rest.status, error: rest.body?.error }).toEqual({ status: 200, error: undefined })
  expect(Object.keys(rest.body)).toEqual(['success', 'data'])
  const { body } = await client.graphql(operationOf(name), parameters)
  expect(body.errors).toBeUndefined()
  expect(Object.values(body.data)).toEqual([rest.body.data])
  return rest.body.data
}
