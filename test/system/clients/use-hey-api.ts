import { createOpportunity, listContacts } from './hey-api/index.js'

/** Names of contacts changed since a moment. */
export async function changedSince(moment: string): Promise<string[]> {
  const { data, error } = await listContacts({ query: { updated_after: moment, limit: 100 } })
  if (error) throw new Error(`${error.error.code}: ${error.error.message}`)
  return data.data.map(({ name }) => name)
}

export async function create(title: string): Promise<string> {
  const { data } = await createOpportunity({ body: { name: 'Ana', title } })
  return data!.data.id
}

// @ts-expect-error: a moment is a text
export const wrong = () => listContacts({ query: { updated_after: 5 } })
