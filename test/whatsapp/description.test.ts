import { CASES } from '../support/whatsapp/description/cases.js'
import { Description, REPAIRS } from '../support/whatsapp/description/index.js'

/** What a description judges wrongly: examples of Meta's that it refuses, and cases of ours. */
function wrong(description: Description): string[] {
  const refuses = (schema: string, value: unknown) => {
    try {
      return description.faultsOf(value, schema).length > 0
    } catch (error) {
      // A repair that others build on leaves references to nothing behind.
      if (/can't resolve reference/.test(String(error))) return true
      throw error
    }
  }
  const examples = description.examples().filter(({ value, schema }) => refuses(schema, value))
  const cases = CASES.filter(({ schema, value, fits }) => refuses(schema, JSON.parse(JSON.stringify(value))) === fits)
  return [...examples, ...cases].map(({ name }) => name)
}

test('as it is published, Meta’s description refuses its own examples of messages and webhooks', () => {
  const refused = wrong(new Description([]))
  expect(refused.filter((name) => name.includes('/messages: Send')).length).toBeGreaterThan(40)
  expect(refused.filter((name) => name.startsWith('post /whatsapp/webhooks')).length).toBe(16)
})

test('repaired, it takes each published example, and judges each case of ours as it must', () => {
  const description = new Description()
  expect(description.examples().length).toBeGreaterThan(400)
  expect(wrong(description)).toEqual([])
})

describe('without the repair', () => {
  test.each(REPAIRS.map((repair) => [repair.name, repair] as const))('%s, something is judged wrongly', (_, repair) => {
    expect(wrong(new Description(REPAIRS.filter((other) => other !== repair)))).not.toEqual([])
  })
})

test('each repair says why, and no two have one name', () => {
  expect(REPAIRS.filter(({ why }) => why.length < 30)).toEqual([])
  expect(new Set(REPAIRS.map(({ name }) => name)).size).toBe(REPAIRS.length)
})
