// What the API needs. The client would send what machine it runs on, and headers that a variable of its own adds.
const HEADERS = ['accept', 'authorization', 'content-type']

/** Longer than any answer of the length that is asked for. */
const MAX_BYTES = 1_048_576

/** Calls the API without following to wherever an answer points, and reads the answer as a whole, up to a length. */
export async function boundedFetch(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const given = new Headers(init.headers)
  const headers = HEADERS.flatMap((name): [string, string][] => {
    const value = given.get(name)
    return value === null ? [] : [[name, value]]
  })
  const response = await fetch(url, { ...init, headers: [...headers, ['user-agent', 'Fairlead']], redirect: 'error' })
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.byteLength
    if (length > MAX_BYTES) throw new Error(`the answer is longer than ${MAX_BYTES} bytes`)
    parts.push(part)
  }
  const { status, statusText } = response
  return new Response(Buffer.concat(parts), { status, statusText, headers: response.headers })
}
