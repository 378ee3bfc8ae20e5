import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { makeConversation } from '../support/factories/conversations.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { makeKey, makeTenant } from '../support/factories.js'
import { faultsOf, makeSubject, timeOf } from '../support/opportunities.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const NOT_FOUND = { status: 404, code: 'NOT_FOUND', fields: undefined }
const PARTS = { products: [{ name: 'Kit' }], comments: ['x'], history: [{ notes: 'y' }] }

describe('a deleted opportunity', () => {
  test('is gone for every call, with all that belongs to it; its contact stays', async () => {
    const subject = await makeSubject(service, PARTS)
    const { accountId, client, id, path } = subject
    const bystander = await makeOpportunity(service.database, accountId, PARTS)
    const { contact_id } = await subject.read()
    const kept = (await client.get(`/opportunities/${bystander.id}`)).body.data

    const { status, body } = await client.delete(path.replace(id, id.toUpperCase()))
    expect({ status, body }).toEqual({
      status: 200,
      body: { success: true, data: { id, deleted: true }, message: expect.stringMatching(/deleted/) },
    })
    for (const answer of [
      await client.get(path),
      await client.get(`${path}/history`),
      await subject.put({ name: 'Eva' }),
      await subject.move({ stage_id: subject.stages.won }),
      await client.delete(path),
    ]) {
      expect(faultsOf(answer)).toEqual(NOT_FOUND)
    }
    expect((await client.get('/opportunities')).body.pagination.total).toBe(1)
    expect((await client.get(`/opportunities/${bystander.id}`)).body.data).toEqual(kept)
    expect((await client.get(`/contacts/${contact_id}`)).status).toBe(200)
    expect(JSON.stringify(await dumpOf(service.database, accountId))).not.toContain(id)
  })

  test('leaves its conversations, which are of no opportunity then', async () => {
    const { accountId, client, id, path } = await makeSubject(service)
    const conversation = await makeConversation(service.database, accountId, { opportunityId: id })
    expect((await client.delete(path)).status).toBe(200)
    const { data } = (await client.get(`/conversations/${conversation.id}`)).body
    expect(data).toMatchObject({ opportunity_id: null, opportunity_title: null })
  })

  test('is of the own account; others and ids of nobody are not found', async () => {
    const [mine, theirs] = [await makeSubject(service), await makeSubject(service)]
    for (const id of [theirs.id, randomUUID(), 'nobody', '%00']) {
      expect(faultsOf(await mine.client.delete(`/opportunities/${id}`))).toEqual(NOT_FOUND)
    }
    expect(await theirs.read()).toMatchObject({ title: 'Roof' })
  })

  test('is deleted only by keys that may', async () => {
    const { accountId, path } = await makeSubject(service)
    expect((await createClient(service.origin).delete(path)).status).toBe(401)
    for (const [permission, status] of [
      ['opportunities:write', 403],
      ['opportunities:read', 403],
      ['contacts:delete', 403],
      ['opportunities:delete', 200],
    ] as const) {
      const { secret } = await makeKey(service.database, accountId, { permissions: [permission] })
      expect((await createClient(service.origin, secret).delete(path)).status).toBe(status)
    }
  })

  test('at the same time as others is deleted once, and what comes beside it finds it or does not', async () => {
    for (let round = 0; round < 5; round++) {
      const subject = await makeSubject(service, PARTS)
      const { client, path, stages } = subject
      const rest = [subject.move({ stage_id: stages.won }), subject.put({ name: 'Eva' }), client.get(`${path}/history`)]
      const deletes = await Promise.all(Array.from({ length: 5 }, () => client.delete(path)))
      expect(deletes.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404])
      for (const { status } of await Promise.all(rest)) expect([200, 404]).toContain(status)
    }
  })
})

describe('a contact that is deleted', () => {
  /** An opportunity whose lead left a text of its own wherever one can be left. */
  async function revealing() {
    const tenant = await makeTenant(service)
    const { client } = tenant
    const secret = `secret${randomUUID().slice(0, 8)}`
    const texts = 'title company location headline profile_url profile_picture phone notes'.split(' ')
    const sent = {
      ...Object.fromEntries(texts.map((name) => [name, `${secret} ${name}`])),
      ...{ name: `${secret} name`, email: `${secret}@x.test` },
    }
    const key = { 'Idempotency-Key': randomUUID() }
    const created = await client.post('/opportunities', sent, key)
    expect(created.status).toBe(201)
    const { id, contact_id, pipeline_id } = created.body.data
    const pipelines = (await client.get('/pipelines')).body.data
    const lost = pipelines[0].stages.find((stage: { is_loss_stage: boolean }) => stage.is_loss_stage)
    const move = { stage_id: lost.id, loss_reason: `${secret} is too poor` }
    expect((await client.call('PATCH', `/opportunities/${id}/stage`, { body: move })).status).toBe(200)
    const comment = `mutation { addOpportunityComment(id: "${id}", input: { content: "${secret} laughed" }) { id } }`
    const line = `mutation { addOpportunityProduct(id: "${id}", input: { name: "Kit", unitPrice: 9.5 }) { id } }`
    for (const query of [comment, line]) expect((await client.graphql(query)).body.errors).toBeUndefined()
    return { ...tenant, secret, id, contact_id, pipeline_id, repeat: () => client.post('/opportunities', sent, key) }
  }

  test('leaves its opportunities, unlinked, with what was sold and nothing of the person', async () => {
    const subject = await revealing()
    const { client, accountId, id, secret } = subject
    const before = (await client.get(`/opportunities/${id}`)).body.data
    const places = Object.entries(await dumpOf(service.database, accountId))
    const told = places.filter(([, rows]) => rows.some((row) => row.includes(secret))).map(([table]) => table)
    expect(told).toEqual([
      ...['contact', 'idempotency_record', 'opportunity', 'opportunity_comment', 'opportunity_history'],
    ])

    expect((await client.delete(`/contacts/${subject.contact_id}`)).status).toBe(200)
    const after = (await client.get(`/opportunities/${id}`)).body.data
    const contact = Object.keys(before).filter((name) => name.startsWith('contact_'))
    expect(after).toEqual({
      ...before,
      ...Object.fromEntries(contact.map((name) => [name, null])),
      ...{ title: 'Deleted contact', notes: null, comments: [] },
      updated_at: expect.any(String),
    })
    expect(timeOf(after.updated_at)).toBeGreaterThan(timeOf(before.updated_at))
    expect(after).toMatchObject({ value: 9.5, products: [{ name: 'Kit' }] })
    expect(JSON.stringify(await dumpOf(service.database, accountId))).not.toContain(secret)
    expect((await client.get(`/opportunities/${id}/history`)).body.pagination.total).toBe(3)
    expect((await client.get('/opportunities?search=deleted')).body.data).toMatchObject([{ id }])
    expect((await client.get(`/opportunities?search=${secret}`)).body.data).toEqual([])
  })

  test('is not brought back by a repeat of the call that created the opportunity', async () => {
    const { client, contact_id, repeat, secret, accountId } = await revealing()
    const first = await repeat()
    expect(first.status).toBe(201)
    expect((await client.delete(`/contacts/${contact_id}`)).status).toBe(200)
    const contact = { contact_id: null, contact_name: null, contact_email: null, contact_phone: null }
    for (let i = 0; i < 2; i++) {
      const { status, body } = await repeat()
      expect([status, body.data]).toEqual([
        201,
        {
          ...first.body.data,
          ...contact,
          ...{ contact_company: null, contact_title: null, title: 'Deleted contact', notes: null },
        },
      ])
    }
    await client.delete(`/opportunities/${first.body.data.id}`)
    expect((await repeat()).status).toBe(410)
    expect(JSON.stringify(await dumpOf(service.database, accountId))).not.toContain(secret)
  })

  test('leaves the opportunities of others as they are', async () => {
    const { client, accountId, contact_id } = await revealing()
    const { id } = await makeOpportunity(service.database, accountId, { ...PARTS, notes: 'x' })
    const before = (await client.get(`/opportunities/${id}`)).body.data
    const steps = (await client.get(`/opportunities/${id}/history`)).body.data
    await client.delete(`/contacts/${contact_id}`)
    expect((await client.get(`/opportunities/${id}`)).body.data).toEqual(before)
    expect((await client.get(`/opportunities/${id}/history`)).body.data).toEqual(steps)
  })
})

test('an account with everything can be deleted', async () => {
  const { accountId, client } = await makeTenant(service)
  await makeOpportunity(service.database, accountId, PARTS)
  expect((await client.get('/opportunities')).body.pagination.total).toBe(1)
  const { rowCount } = await service.database.pool.query('delete from account where id = $1', [accountId])
  expect(rowCount).toBe(1)
})
