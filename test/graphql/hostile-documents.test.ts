import fc from 'fast-check'
import { assembly } from '../../src/assembly.js'
import { createSchema } from '../../src/graphql/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { World } from '../support/fixtures.js'
import { documentsOf, type HostileDocument } from '../support/hostile/documents.js'

const FULL = process.env.FULL === 'true'
const DOCUMENTS = FULL ? 50_000 : 250
const SEED = Number(process.env.SEED ?? 20_260_131)
const AT_ONCE = 8
/** So many have the same account; a document may well delete it, or its key. */
const TOGETHER = 200

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service?.stop())

// What says that something of ours is wrong, in whatever status it comes.
const OURS = ['INTERNAL_ERROR', 'INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE']

interface Answered {
  fault?: string
  /** Whether anything was executed. */
  executed: boolean
}

async function ask(key: string, body: HostileDocument): Promise<Answered> {
  const response = await fetch(`${service.origin}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
    body: JSON.stringify(body),
  })
  const { status } = response
  const text = await response.text()
  if (status >= 500) return { fault: `answered ${status} ${text.slice(0, 300)}`, executed: false }
  const told = JSON.parse(text)
  if (!('data' in told || Array.isArray(told.errors)))
    return { fault: `no envelope: ${text.slice(0, 300)}`, executed: false }
  for (const { message, extensions } of told.errors ?? []) {
    const { code } = extensions ?? {}
    if (typeof message !== 'string' || typeof code !== 'string' || OURS.includes(code)) {
      return { fault: `an error of ours: ${JSON.stringify({ message, extensions }).slice(0, 500)}`, executed: true }
    }
  }
  return { executed: told.data !== undefined && told.data !== null }
}

test(
  `${DOCUMENTS} documents of all that the schema has are answered in JSON, and none of them finds a fault of ours`,
  async () => {
    const kinds = documentsOf(createSchema(assembly))
    const wrong: string[] = []
    let executed = 0
    for (let asked = 0; asked < DOCUMENTS && wrong.length < 5; asked += TOGETHER) {
      const { key } = await World.make(service)
      // No more at once: fast-check remembers what it drew for each of them.
      const some = fc.sample(kinds, { numRuns: Math.min(TOGETHER, DOCUMENTS - asked), seed: SEED + asked })
      const lines = Array.from({ length: AT_ONCE }, async () => {
        for (let document = some.pop(); document; document = some.pop()) {
          const answered = await ask(key, document)
          if (answered.executed) executed++
          if (answered.fault) wrong.push(`${answered.fault}, to ${JSON.stringify(document).slice(0, 3000)}`)
        }
      })
      await Promise.all(lines)
    }
    expect(wrong).toEqual([])
    expect(executed).toBeGreaterThan(DOCUMENTS / 20)
    expect(service.logs().filter(({ level }) => level === 'error')).toEqual([])
  },
  FULL ? 7_200_000 : 120_000,
)
