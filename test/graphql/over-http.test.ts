import { serverAudits } from 'graphql-http'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant } from '../support/factories.js'

let service: TestApp
let key: string
beforeAll(async () => {
  service = await startTestApp()
  key = (await makeTenant(service)).key
})
afterAll(() => service.stop())

const withKey: typeof fetch = (url, init = {}) =>
  fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), 'X-API-Key': key } })

// The audit of the GraphQL over HTTP working group: what a server must, should and may do.
test.each(
  serverAudits({
    url: () => `${service.origin}/graphql`,
    fetchFn: (url: string, init: RequestInit) => withKey(url, init),
  }).map((audit) => [audit.name, audit] as const),
)('%s', async (_, audit) => {
  const result = await audit.fn()
  const told = result.status === 'ok' ? '' : `${result.reason} ${await result.response.text()}`
  expect([result.status, told]).toEqual(['ok', ''])
})
