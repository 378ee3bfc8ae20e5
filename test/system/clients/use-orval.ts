import { createOpportunity, listContacts } from './orval/client.js'

/** Names of contacts changed since a moment. */
export async function changedSince(moment: string): Promise<string[]> {
  const { status, data } = await listContacts({ updated_after: moment, limit: 100 })
  if (status !== 200) throw new Error(`${data.error.code}: ${data.error.message}`)
  return data.data.map(({ name }) => name)
}

export async function create(title: string): Promise<string> {
  const { status, data } = await createOpportunity({ name: 'Ana', title })
  if (status !== 201) throw new Error(data.error.message)
  return data.data.id
}

// @ts-expect-error: a moment is a text
export const wrong = () => listContacts({ updated_after: 5 })
