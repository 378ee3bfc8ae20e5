import { Fairlead } from '../../schema/clients/typescript/src/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeContact, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

/** An account with so many contacts, and its client. */
async function withContacts(count: number) {
  const { accountId, key } = await makeTenant(service)
  for (let n = 0; n < count; n++) await makeContact(service.database, accountId, { name: `Contact ${n}` })
  let calls = 0
  const counted: typeof fetch = (...given) => {
    calls++
    return fetch(...given)
  }
  return { fairlead: new Fairlead({ baseUrl: service.base, apiKey: key, fetch: counted }), calls: () => calls }
}

test('a loop sees every record once, and asks for no page that it does not reach', async () => {
  const { fairlead, calls } = await withContacts(230)
  const names = new Set<string>()
  for await (const { name } of fairlead.allContacts({ sort_by: 'name', sort_order: 'asc' })) names.add(name)
  expect([names.size, calls()]).toEqual([230, 3])
  for await (const contact of fairlead.allContacts()) if (contact) break
  expect(calls()).toBe(4)
  let found = 0
  for await (const { name } of fairlead.allContacts({ search: 'Contact 22' }))
    found += name.startsWith('Contact 22') ? 1 : 99
  expect(found).toBe(11)
})

test('changes come from the bookmark on, and miss nothing that is written while they are read', async () => {
  const { fairlead } = await withContacts(150)
  const copy = new Map<string, string>()
  let bookmark: string | undefined
  let written = 0
  const read = async () => {
    let pages = 0
    for await (const page of fairlead.changedContacts({ updated_after: bookmark })) {
      for (const { id, name } of page.records) copy.set(id, name)
      bookmark = page.bookmark
      // What was read already changes, and something comes, between two pages.
      if (pages++ === 0) {
        await fairlead.updateContact(page.records[0]!.id, { name: `Changed ${written}` })
        await fairlead.createContact({ name: `New ${written++}` })
      }
    }
    return pages
  }
  expect(await read()).toBe(2)
  await fairlead.updateContact([...copy.keys()][40]!, { name: 'Changed later' })
  expect(await read()).toBeLessThanOrEqual(2)
  await read()
  const now = new Map<string, string>()
  for await (const { id, name } of fairlead.allContacts()) now.set(id, name)
  // The last round wrote after its page was read; another reads that.
  for await (const { records } of fairlead.changedContacts({ updated_after: new Date(bookmark!) }))
    for (const { id, name } of records) copy.set(id, name)
  expect(new Map([...copy].sort())).toEqual(new Map([...now].sort()))
})

test('a list without anything is a loop without a turn', async () => {
  const { fairlead } = await withContacts(0)
  for await (const _ of fairlead.changedContacts()) throw new Error('there is nothing')
  for await (const _ of fairlead.allOpportunities()) throw new Error('there is nothing')
})
