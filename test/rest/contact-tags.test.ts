import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeContact, makeKey, makeTag, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

/** An account with a contact, and a way to tag it. */
async function makeTagging() {
  const tenant = await makeTenant(service)
  const contact = await makeContact(service.database, tenant.accountId)
  const tag = (names: unknown, id = contact.id) => tenant.client.post(`/contacts/${id}/tags`, { names })
  const read = async () => (await tenant.client.get(`/contacts/${contact.id}`)).body.data
  const known = async () =>
    (await tenant.client.get('/tags')).body.data.map(({ name }: { name: string }) => name).sort()
  return { ...tenant, contact, tag, read, known }
}

test('tags by name are given besides those that are there, and created where they are missing', async () => {
  const { accountId, tag, read, known } = await makeTagging()
  const hot = await makeTag(service.database, accountId, { name: 'Hot', color: '#dc2626' })
  const { status, body } = await tag(['hot', ' New one ', 'NEW ONE'])
  expect({ status, body }).toMatchObject({ status: 200, body: { success: true, data: { created: ['New one'] } } })
  expect(body.data.tags).toHaveLength(2)
  expect(body.data.tags).toContainEqual({ id: hot.id, name: 'Hot', color: '#dc2626' })
  expect(body.data.added.toSorted()).toEqual(['Hot', 'New one'])
  const before = await read()
  expect(before.tags.map(({ name }: { name: string }) => name).sort()).toEqual(['Hot', 'New one'])
  const again = await tag(['Hot'])
  expect(again.body.data).toMatchObject({ added: [], created: [] })
  expect((await read()).updated_at).toBe(before.updated_at)
  expect((await tag([])).body.data).toMatchObject({ tags: [], added: [], created: [] })
  expect(await known()).toEqual(['Hot', 'New one'])
})

test('what is wrong says so and creates no tag', async () => {
  const { tag, known, contact } = await makeTagging()
  const stranger = await makeTagging()
  const many = Array.from({ length: 1001 }, (_, i) => `Tag ${i}`)
  for (const names of [undefined, null, [''], [null], [7], 'Hot', ['x'.repeat(256)], ['a\nb'], many]) {
    const { status, body } = await tag(names)
    expect({ names, status, code: body.error?.code }).toEqual({ names, status: 400, code: 'VALIDATION_ERROR' })
    expect(body.error.details[0].field).toMatch(/^names/)
  }
  for (const id of [randomUUID(), 'nobody', stranger.contact.id]) {
    expect(await tag(['Hot'], id)).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
  }
  expect(await known()).toEqual([])
  expect(await stranger.known()).toEqual([])
  expect((await stranger.read()).id).not.toBe(contact.id)
})

test('a key with tags:write alone may, one without may not', async () => {
  const { accountId, contact } = await makeTagging()
  const answers = ['tags:write', 'contacts:write'].map(async (permission) => {
    const { secret } = await makeKey(service.database, accountId, { permissions: [permission] })
    return fetch(`${service.origin}/external/v1/contacts/${contact.id}/tags`, {
      method: 'POST',
      headers: { 'x-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify({ names: ['Hot'] }),
    })
  })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 403])
})

test('many who give the same new tags in any order, beside one who deletes them, create each once', async () => {
  const { accountId, client, tag, known } = await makeTagging()
  const contacts = await Promise.all(Array.from({ length: 8 }, () => makeContact(service.database, accountId)))
  const names = ['a', 'b', 'c', 'd']
  const deleteOne = async () => {
    const [first] = (await client.get('/tags')).body.data
    if (!first) return
    await client.graphql('mutation ($id: ID!) { deleteTag(id: $id) { id } }', { id: first.id })
  }
  for (let round = 0; round < 3; round++) {
    const given = contacts.map(({ id }, at) => tag(at % 2 ? names : names.toReversed(), id))
    const answers = await Promise.all([...given, deleteOne()])
    for (const answer of answers) if (answer) expect(answer.status).toBe(200)
  }
  await Promise.all(contacts.map(({ id }) => tag(names, id)))
  expect(await known()).toEqual(names)
})
