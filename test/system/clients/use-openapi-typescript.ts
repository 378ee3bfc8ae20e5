import createClient from 'openapi-fetch'
import type { paths } from './openapi-typescript.js'

const client = createClient<paths>({ baseUrl: '/external/v1', headers: { 'X-API-Key': 'fl_live_…' } })

/** Names of contacts changed since a moment. */
export async function changedSince(moment: string): Promise<string[]> {
  const { data, error } = await client.GET('/contacts', { params: { query: { updated_after: moment, limit: 100 } } })
  if (error) throw new Error(`${error.error.code}: ${error.error.message}`)
  return data.data.map(({ name }) => name)
}

export async function create(title: string): Promise<string> {
  const { data } = await client.POST('/opportunities', { body: { name: 'Ana', title } })
  return data!.data.id
}

// @ts-expect-error: a moment is a text
export const wrong = () => client.GET('/contacts', { params: { query: { updated_after: 5 } } })
