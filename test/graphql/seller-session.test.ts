import { UserRole } from '../../src/domains/users/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { makePerson, signIn } from '../support/factories/people.js'
import { makeContact, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

test('a seller who signs in sees only their own contacts and opportunities, and an admin all', async () => {
  const { database } = service
  const tenant = await makeTenant(service)
  const seller = await makePerson(service, { tenant, role: UserRole.SELLER })
  const admin = await makePerson(service, { tenant })
  for (const [name, ownerUserId] of [
    ['Mine', seller.id],
    ['Theirs', admin.id],
  ] as const) {
    const contact = await makeContact(database, tenant.accountId, { name })
    await makeOpportunity(database, tenant.accountId, { contact, ownerUserId, title: name })
  }
  const seen = async (email: string) => {
    const { client } = await signIn(service, email)
    const query = `{ contacts { items { id name } pagination { total } }
      opportunities { items { id title } pagination { total } } }`
    const { contacts, opportunities } = (await client.graphql(query)).body.data
    return { client, contacts, opportunities }
  }
  const all = await seen(admin.email)
  expect([all.contacts.pagination.total, all.opportunities.pagination.total]).toEqual([2, 2])
  const own = await seen(seller.email)
  expect(own.contacts).toMatchObject({ items: [{ name: 'Mine' }], pagination: { total: 1 } })
  expect(own.opportunities).toMatchObject({ items: [{ title: 'Mine' }], pagination: { total: 1 } })

  const { id } = all.contacts.items.find(({ name }: { name: string }) => name === 'Theirs')
  const theirs = await own.client.graphql(`{ contact(id: "${id}") { name } }`)
  expect(theirs.text).not.toContain('Theirs')
  expect((await all.client.graphql(`{ contact(id: "${id}") { name } }`)).body.data.contact.name).toBe('Theirs')
  const input = '{ name: "Made by me" }'
  expect((await own.client.graphql(`mutation { createContact(input: ${input}) { id } }`)).body.errors).toBeUndefined()
  expect((await seen(seller.email)).contacts.pagination.total).toBe(2)
})
