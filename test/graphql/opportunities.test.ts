import { randomUUID } from 'node:crypto'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, type Client, createClient } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { makeDiscardReason, makeProduct, makeSector } from '../support/factories/reference.js'
import { makeUser } from '../support/factories/users.js'
import { makeContact, makeKey, makeTag, makeTenant } from '../support/factories.js'
import { permissionsFor } from '../support/graphql.js'
import { expectMoved, makeSubject, type Shown, type Subject } from '../support/opportunities.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const CREATE = `mutation ($input: CreateOpportunityInput!) { createOpportunity(input: $input) {
  id title value currency probability expectedCloseDate source sectorId contactName contactTitle } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateOpportunityInput!) { updateOpportunity(id: $id, input: $input) {
  id title value currency probability expectedCloseDate source sectorId campaignId contactName contactTitle } }`
const MOVE =
  'mutation ($id: ID!, $input: MoveOpportunityInput!) { moveOpportunity(id: $id, input: $input) { opportunity { id } } }'
const DISCARD = `mutation ($id: ID!, $reason: ID!) { discardOpportunity(id: $id, discardReasonId: $reason) {
  id discardedAt discardReasonId discardReasonName updatedAt } }`
const RESTORE = 'mutation ($id: ID!) { restoreOpportunity(id: $id) { id discardedAt discardReasonId updatedAt } }'
const DELETE = 'mutation ($id: ID!) { deleteOpportunity(id: $id) { id deleted } }'
const LINES = 'products { id productId name quantity unitPrice totalPrice discountPercent discountValue }'
const ADD_LINE = `mutation ($id: ID!, $input: AddOpportunityProductInput!) { addOpportunityProduct(id: $id, input: $input) {
  id value updatedAt ${LINES} } }`
const UPDATE_LINE = `mutation ($id: ID!, $input: UpdateOpportunityProductInput!) {
  updateOpportunityProduct(lineId: $id, input: $input) { id value updatedAt ${LINES} } }`
const REMOVE_LINE = `mutation ($id: ID!) { removeOpportunityProduct(lineId: $id) { id value updatedAt ${LINES} } }`
const COMMENT = 'id content userName createdAt'
const ADD_COMMENT = `mutation ($id: ID!, $input: OpportunityCommentInput!) {
  addOpportunityComment(id: $id, input: $input) { ${COMMENT} } }`
const UPDATE_COMMENT = `mutation ($id: ID!, $input: OpportunityCommentInput!) {
  updateOpportunityComment(commentId: $id, input: $input) { ${COMMENT} } }`
const DELETE_COMMENT = 'mutation ($id: ID!) { deleteOpportunityComment(commentId: $id) { id deleted } }'

/** What the only root field of an answer holds. */
function dataOf({ status, body }: Answer): Shown {
  expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined })
  return Object.values(body.data)[0] as Shown
}

const failureOf = ({ body }: Answer) => {
  const { code, requiredPermission, details } = body.errors[0].extensions
  const fields = details?.map(({ path }: Shown) => path.join('.'))
  return { code, ...(requiredPermission && { requiredPermission }), ...(fields && { fields }) }
}

const ask = async (client: Client, query: string, variables: object) =>
  dataOf(await client.graphql(query, { ...variables }))

/** An opportunity with a product and a comment, by whose ids they can be changed. */
async function withParts() {
  const subject = await makeSubject(service, {
    value: 10,
    products: [{ name: 'Kit', unitPrice: 10 }],
    comments: ['old'],
  })
  const { products, comments } = await subject.read()
  const reason = await makeDiscardReason(service.database, subject.accountId)
  return { ...subject, lineId: products[0].id as string, commentId: comments[0].id as string, reason: reason.id }
}
type Whole = Awaited<ReturnType<typeof withParts>>

const WRITE = 'opportunities:write'
const MUTATIONS: [string, string, 'id' | 'lineId' | 'commentId', (subject: Whole) => object, string][] = [
  ['updateOpportunity', UPDATE, 'id', () => ({ input: { name: 'Eva' } }), WRITE],
  ['moveOpportunity', MOVE, 'id', ({ stages }) => ({ input: { stageId: stages.won } }), WRITE],
  ['discardOpportunity', DISCARD, 'id', ({ reason }) => ({ reason }), WRITE],
  ['restoreOpportunity', RESTORE, 'id', () => ({}), WRITE],
  ['deleteOpportunity', DELETE, 'id', () => ({}), 'opportunities:delete'],
  ['addOpportunityProduct', ADD_LINE, 'id', () => ({ input: { name: 'x', unitPrice: 1 } }), WRITE],
  ['updateOpportunityProduct', UPDATE_LINE, 'lineId', () => ({ input: { unitPrice: 1 } }), WRITE],
  ['removeOpportunityProduct', REMOVE_LINE, 'lineId', () => ({}), WRITE],
  ['addOpportunityComment', ADD_COMMENT, 'id', () => ({ input: { content: 'x' } }), WRITE],
  ['updateOpportunityComment', UPDATE_COMMENT, 'commentId', () => ({ input: { content: 'x' } }), WRITE],
  ['deleteOpportunityComment', DELETE_COMMENT, 'commentId', () => ({}), WRITE],
]

describe.each(MUTATIONS)('%s', (_, query, target, more, permission) => {
  test('needs a key with the permission', async () => {
    const subject = await withParts()
    const before = await dumpOf(service.database, subject.accountId)
    const variables = { id: subject[target], ...more(subject) }
    expect(failureOf(await createClient(service.origin).graphql(query, variables))).toEqual({ code: 'MISSING_API_KEY' })
    const others = ['opportunities:read', WRITE, 'opportunities:delete', 'contacts:*'].filter(
      (one) => one !== permission,
    )
    const { secret } = await makeKey(service.database, subject.accountId, { permissions: others })
    const refused = failureOf(await createClient(service.origin, secret).graphql(query, variables))
    expect(refused).toEqual({ code: 'INSUFFICIENT_PERMISSIONS', requiredPermission: permission })
    const { api_key, ...after } = await dumpOf(service.database, subject.accountId)
    expect({ ...after, api_key: before.api_key }).toEqual(before)
    const permissions = permissionsFor(query)
    const { secret: allowed } = await makeKey(service.database, subject.accountId, { permissions })
    await ask(createClient(service.origin, allowed), query, variables)
  })

  test('finds nothing of another account, and no id that is unknown or none', async () => {
    const [subject, stranger] = [await withParts(), await withParts()]
    const before = await dumpOf(service.database, subject.accountId)
    for (const id of [subject[target], randomUUID(), 'nobody', '']) {
      const answer = await stranger.client.graphql(query, { id, ...more(stranger) })
      expect(failureOf(answer)).toEqual({ code: 'NOT_FOUND' })
    }
    expect(await dumpOf(service.database, subject.accountId)).toEqual(before)
  })
})

describe('value, currency, probability and the expected end', () => {
  const SALE = { value: 12345.67, currency: 'usd', probability: 60, expectedCloseDate: '2026-12-31' }

  test('are kept when an opportunity is created, with a title and a job title of their own', async () => {
    const { accountId, client } = await makeTenant(service)
    const sector = await makeSector(service.database, accountId)
    const input = { name: 'Ana', title: 'Roof', jobTitle: 'Buyer', source: 'LIST', sectorId: sector.id, ...SALE }
    const created = await ask(client, CREATE, { input })
    const { name, jobTitle, ...kept } = input
    expect(created).toEqual({ ...kept, currency: 'USD', id: created.id, contactName: 'Ana', contactTitle: 'Buyer' })
    const { data } = (await client.get(`/opportunities/${created.id}`)).body
    expect(data).toMatchObject({ value: 12345.67, currency: 'USD', probability: 60, expected_close_date: '2026-12-31' })
    expect((await client.get(`/opportunities/${created.id}/history`)).body.data).toMatchObject([{ to_value: 12345.67 }])
  })

  test('are changed, and each change of the value is a step of the history', async () => {
    const subject = await makeSubject(service)
    const { client, accountId, id } = subject
    const [sector, campaign] = [
      await makeSector(service.database, accountId),
      await makeCampaign(service.database, accountId),
    ]
    const input = { ...SALE, title: 'Shed', source: 'PAID_TRAFFIC', sectorId: sector.id, campaignId: campaign.id }
    const shown = { ...input, currency: 'USD', id, contactName: 'Roof', contactTitle: null }
    expect(await ask(client, UPDATE, { id, input })).toEqual(shown)
    const before = await dumpOf(service.database, accountId)
    expect(await ask(client, UPDATE, { id, input })).toEqual(shown)
    expect(await dumpOf(service.database, accountId)).toEqual(before)
    await ask(client, UPDATE, { id, input: { value: 0.1 } })
    const none = { probability: null, expectedCloseDate: null, sectorId: null, campaignId: '' }
    expect(await ask(client, UPDATE, { id, input: none })).toMatchObject({
      ...{ probability: null, expectedCloseDate: null, sectorId: null, campaignId: null, value: 0.1 },
    })
    const steps = (await subject.history()).map(({ action, from_value, to_value, from_stage_id }) => [
      ...[action, from_value, to_value, from_stage_id],
    ])
    expect(steps).toEqual([
      ['value_changed', 0, 12345.67, null],
      ['value_changed', 12345.67, 0.1, null],
    ])
  })

  test.each([
    ['value', -0.01],
    ['value', 0.001],
    ['value', 1_000_000_000_000],
    ['value', null],
    ['currency', 'XYZW'],
    ['currency', null],
    ['probability', -1],
    ['probability', 101],
    ['title', ' '],
    ['score', 3e9],
    ['source', null],
  ])('%s cannot be %j', async (name, value) => {
    const { client, id, read } = await makeSubject(service)
    const before = await read()
    const answer = await client.graphql(UPDATE, { id, input: { [name]: value, jobTitle: 'x' } })
    expect(failureOf(answer)).toEqual({ code: 'VALIDATION_ERROR', fields: [`input.${name}`] })
    expect(await read()).toEqual(before)
  })

  test.each(['2026-02-30', 'soon', '2026-12-31T00:00:00Z'])('the expected end cannot be %s', async (date) => {
    const { client, id } = await makeSubject(service)
    const { body } = await client.graphql(UPDATE, { id, input: { expectedCloseDate: date } })
    expect(body.errors).toHaveLength(1)
    expect(body.errors[0].message).toMatch(/expectedCloseDate|date/)
  })
})

describe('products', () => {
  const totals = ({ products, value }: Shown) => [value, ...products.map(({ totalPrice }: Shown) => totalPrice)]

  test.each([
    [{ quantity: 3, unitPrice: 0.1 }, 0.3],
    [{ quantity: 0.5, unitPrice: 0.01 }, 0.01],
    [{ quantity: 0.333, unitPrice: 10 }, 3.33],
    [{ quantity: 1, unitPrice: 1.05, discountPercent: 50 }, 0.53],
    [{ quantity: 1, unitPrice: 1.01, discountPercent: 50 }, 0.51],
    [{ quantity: 1, unitPrice: 2.01, discountPercent: 50 }, 1.01],
    [{ quantity: 1.005, unitPrice: 1 }, 1.01],
    [{ quantity: 1.015, unitPrice: 1, discountPercent: 0 }, 1.02],
    [{ quantity: 1, unitPrice: 100, discountPercent: 33.33 }, 66.67],
    [{ quantity: 1, unitPrice: 100, discountPercent: 33.33, discountValue: 0.67 }, 66],
    [{ quantity: 2, unitPrice: 1990.5, discountPercent: 10, discountValue: 50 }, 3532.9],
    [{ quantity: 1, unitPrice: 10, discountValue: 10.01 }, 0],
    [{ quantity: 1, unitPrice: 10, discountPercent: 100 }, 0],
    [{ quantity: 1, unitPrice: 999_999_999_999.99 }, 999_999_999_999.99],
    [{ unitPrice: 0 }, 0],
  ])('of %j come to %d', async (line, total) => {
    const { client, id, read } = await makeSubject(service, { value: 5 })
    expect(totals(await ask(client, ADD_LINE, { id, input: { name: 'Kit', ...line } }))).toEqual([total, total])
    expect(await read()).toMatchObject({ value: total, products: [{ total_price: total }] })
  })

  test('add up to the value, to the cent, through all changes; each is a step of the history', async () => {
    const subject = await makeSubject(service, { value: 99 })
    const { client, id } = subject
    const add = (unitPrice: number) => ask(client, ADD_LINE, { id, input: { name: `at ${unitPrice}`, unitPrice } })
    expect(totals(await add(0.1))).toEqual([0.1, 0.1])
    expect(totals(await add(0.2))).toEqual([0.3, 0.1, 0.2])
    const three = await add(0.7)
    expect(totals(three)).toEqual([1, 0.1, 0.2, 0.7])
    const [first, second, third] = three.products.map((line: Shown) => line.id)
    expect(totals(await ask(client, UPDATE_LINE, { id: second, input: { quantity: 10 } }))).toEqual([2.8, 0.1, 2, 0.7])
    expect(totals(await ask(client, UPDATE_LINE, { id: first, input: { discountValue: 0.05 } }))).toEqual([
      ...[2.75, 0.05, 2, 0.7],
    ])
    expect(totals(await ask(client, REMOVE_LINE, { id: second.toUpperCase() }))).toEqual([0.75, 0.05, 0.7])
    await ask(client, UPDATE_LINE, { id: first, input: { discountValue: null, name: 'Renamed' } })
    expect(totals(await ask(client, REMOVE_LINE, { id: third }))).toEqual([0.1, 0.1])
    expect(totals(await ask(client, REMOVE_LINE, { id: first }))).toEqual([0])
    const values = (await subject.history()).map(({ from_value, to_value }) => [from_value, to_value])
    const through = [99, 0.1, 0.3, 1, 2.8, 2.75, 0.75, 0.8, 0.1, 0]
    expect(values).toEqual(through.slice(1).map((value, i) => [through[i], value]))
    for (const query of [REMOVE_LINE, UPDATE_LINE]) {
      expect(failureOf(await client.graphql(query, { id: first, input: {} }))).toEqual({ code: 'NOT_FOUND' })
    }
  })

  test('take name and price of the list unless told otherwise', async () => {
    const { client, id, accountId } = await makeSubject(service)
    const product = await makeProduct(service.database, accountId, { name: 'Kit', defaultPrice: 1990.55 })
    await ask(client, ADD_LINE, { id, input: { productId: product.id } })
    const input = { productId: product.id.toUpperCase(), name: 'Kit XL', unitPrice: 0, quantity: 2 }
    const { products } = await ask(client, ADD_LINE, { id, input })
    const rest = { id: expect.any(String), productId: product.id, discountPercent: null, discountValue: null }
    expect(products).toEqual([
      { ...rest, name: 'Kit', quantity: 1, unitPrice: 1990.55, totalPrice: 1990.55 },
      { ...rest, name: 'Kit XL', quantity: 2, unitPrice: 0, totalPrice: 0 },
    ])
    const change = `mutation { updateProduct(id: "${product.id}", input: { name: "New", defaultPrice: 1 }) { id } }`
    await ask(client, change, {})
    await ask(client, `mutation { deleteProduct(id: "${product.id}") { id } }`, {})
    const shown = await ask(client, `query ($id: ID!) { opportunity(id: $id) { ${LINES} } }`, { id })
    expect(shown.products).toEqual(products)
  })

  test.each([
    [{}, ['input.name', 'input.unitPrice']],
    [{ name: 'x' }, ['input.unitPrice']],
    [{ unitPrice: 1, name: ' ' }, ['input.name']],
    [{ name: 'x', unitPrice: -1 }, ['input.unitPrice']],
    [{ name: 'x', unitPrice: 0.001 }, ['input.unitPrice']],
    [{ name: 'x', unitPrice: 1, quantity: 0 }, ['input.quantity']],
    [{ name: 'x', unitPrice: 1, quantity: -1 }, ['input.quantity']],
    [{ name: 'x', unitPrice: 1, quantity: 0.0001 }, ['input.quantity']],
    [{ name: 'x', unitPrice: 1, quantity: 1e9 }, ['input.quantity']],
    [{ name: 'x', unitPrice: 1, discountPercent: 100.01 }, ['input.discountPercent']],
    [{ name: 'x', unitPrice: 1, discountPercent: 0.001, quantity: 0 }, ['input.quantity', 'input.discountPercent']],
    [{ name: 'x', unitPrice: 1, discountPercent: -1 }, ['input.discountPercent']],
    [{ name: 'x', unitPrice: 1, discountValue: -1 }, ['input.discountValue']],
    [{ name: 'x', unitPrice: 999_999_999_999.99, quantity: 2 }, ['input.quantity', 'input.unitPrice']],
    [{ productId: randomUUID() }, ['input.productId']],
    [{ productId: 'kit' }, ['input.productId']],
  ])('cannot be %j', async (input, fields) => {
    const { client, id, accountId } = await withParts()
    const before = await dumpOf(service.database, accountId)
    expect(failureOf(await client.graphql(ADD_LINE, { id, input }))).toEqual({ code: 'VALIDATION_ERROR', fields })
    expect(await dumpOf(service.database, accountId)).toEqual(before)
  })

  test('cannot be changed to what they could not be, nor be one of another account or a deleted one', async () => {
    const { client, id, lineId, accountId } = await withParts()
    const theirs = await makeProduct(service.database, (await makeTenant(service)).accountId)
    const gone = await makeProduct(service.database, accountId, { deletedAt: new Date() })
    const before = await dumpOf(service.database, accountId)
    for (const [input, fields] of [
      [{ quantity: 0 }, ['input.quantity']],
      [{ name: null }, ['input.name']],
      [{ unitPrice: null }, ['input.unitPrice']],
      [{ quantity: 999_999_999, unitPrice: 9e11 }, ['input.quantity', 'input.unitPrice']],
    ]) {
      const answer = await client.graphql(UPDATE_LINE, { id: lineId, input })
      expect(failureOf(answer)).toEqual({ code: 'VALIDATION_ERROR', fields })
    }
    for (const productId of [theirs.id, gone.id]) {
      const answer = await client.graphql(ADD_LINE, { id, input: { productId } })
      expect(failureOf(answer)).toEqual({ code: 'VALIDATION_ERROR', fields: ['input.productId'] })
    }
    const most = { name: 'x', unitPrice: 999_999_999_999.99 }
    const sum = await client.graphql(ADD_LINE, { id, input: most }) // and 10 are there already
    expect(failureOf(sum)).toEqual({ code: 'VALIDATION_ERROR', fields: ['input.quantity', 'input.unitPrice'] })
    expect(await dumpOf(service.database, accountId)).toEqual(before)
  })

  test('decide the value: it cannot be set to another meanwhile', async () => {
    const { client, id, lineId, read } = await withParts()
    const refused = await client.graphql(UPDATE, { id, input: { value: 11, title: 'x' } })
    expect(failureOf(refused)).toEqual({ code: 'VALIDATION_ERROR', fields: ['input.value'] })
    expect(await read()).toMatchObject({ value: 10, title: 'Roof' })
    await ask(client, UPDATE, { id, input: { value: 10, title: 'Shed' } })
    await ask(client, REMOVE_LINE, { id: lineId })
    expect(await ask(client, UPDATE, { id, input: { value: 11 } })).toMatchObject({ value: 11, title: 'Shed' })
  })

  test('are two hundred at most', async () => {
    const products = Array.from({ length: 199 }, () => ({}))
    const { client, id, read } = await makeSubject(service, { products })
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => client.graphql(ADD_LINE, { id, input: { name: 'x', unitPrice: 1 } })),
    )
    expect(answers.filter(({ body }) => !body.errors)).toHaveLength(1)
    expect((await read()).products).toHaveLength(200)
  })

  test('that are added at the same time all count', async () => {
    const subject = await makeSubject(service)
    const { client, id } = subject
    const add = (i: number) => ask(client, ADD_LINE, { id, input: { name: `${i}`, unitPrice: i + 0.01 } })
    await Promise.all([...Array.from({ length: 10 }, (_, i) => add(i)), subject.move({ stage_id: subject.stages.won })])
    expect(await subject.read()).toMatchObject({ value: 45.1, stage_name: 'won' })
    const values = (await subject.history()).filter(({ action }) => action === 'value_changed')
    expect(values).toHaveLength(10)
    expect(values.map(({ from_value }) => from_value)).toEqual([
      0,
      ...values.slice(0, -1).map(({ to_value }) => to_value),
    ])
  })

  test('and the value that is set at the same time never contradict each other', async () => {
    for (let round = 0; round < 5; round++) {
      const { client, id, read } = await makeSubject(service)
      await Promise.all([
        client.graphql(ADD_LINE, { id, input: { name: 'x', unitPrice: 7 } }),
        client.graphql(UPDATE, { id, input: { value: 11 } }),
      ])
      expect(await read()).toMatchObject({ value: 7 })
    }
  })

  test('are a change of the opportunity, unless they change to what they are', async () => {
    const subject = await withParts()
    const { client, id, lineId } = subject
    const input = { name: 'Kit', quantity: 1, unitPrice: 10, discountPercent: null, discountValue: null }
    await expectMoved(subject, false, () => ask(client, UPDATE_LINE, { id: lineId, input }))
    await expectMoved(subject, false, () => ask(client, UPDATE_LINE, { id: lineId, input: {} }))
    await expectMoved(subject, true, () => ask(client, UPDATE_LINE, { id: lineId, input: { name: 'Other' } }))
    await expectMoved(subject, true, () => ask(client, ADD_LINE, { id, input: { name: 'Free', unitPrice: 0 } }))
    await expectMoved(subject, true, () => ask(client, REMOVE_LINE, { id: lineId }))
  })
})

describe('comments', () => {
  test('are added, changed and deleted, which is a change of the opportunity', async () => {
    const subject = await withParts()
    const { client, id, commentId } = subject
    let added: Shown = {}
    await expectMoved(subject, true, async () => {
      added = await ask(client, ADD_COMMENT, { id, input: { content: '  a\r\n"b" 😀 ' } })
    })
    const by = { userName: expect.stringMatching(/^Key \d+$/), createdAt: expect.stringMatching(/Z$/) }
    expect(added).toEqual({ id: expect.any(String), content: 'a\n"b" 😀', ...by })
    await expectMoved(subject, false, () =>
      ask(client, UPDATE_COMMENT, { id: added.id, input: { content: ' a\n"b" 😀' } }),
    )
    await expectMoved(subject, true, async () => {
      const changed = await ask(client, UPDATE_COMMENT, { id: added.id, input: { content: 'c' } })
      expect(changed).toEqual({ ...added, content: 'c' })
    })
    expect((await subject.read()).comments).toEqual([
      expect.objectContaining({ id: commentId, content: 'old' }),
      { id: added.id, content: 'c', user_name: added.userName, created_at: added.createdAt },
    ])
    await expectMoved(subject, true, async () => {
      expect(await ask(client, DELETE_COMMENT, { id: commentId })).toEqual({ id: commentId, deleted: true })
    })
    for (const query of [DELETE_COMMENT, UPDATE_COMMENT]) {
      const answer = await client.graphql(query, { id: commentId, input: { content: 'x' } })
      expect(failureOf(answer)).toEqual({ code: 'NOT_FOUND' })
    }
  })

  test.each(['', ' ', 'a\0', 'x'.repeat(20_001)])('cannot be what is empty, too long or not text', async (content) => {
    const { client, id, commentId } = await withParts()
    for (const [query, target] of [
      [ADD_COMMENT, id],
      [UPDATE_COMMENT, commentId],
    ] as const) {
      const answer = await client.graphql(query, { id: target, input: { content } })
      expect(failureOf(answer)).toEqual({ code: 'VALIDATION_ERROR', fields: ['input.content'] })
    }
  })
})

describe('a discard', () => {
  const ids = async (client: Client, isActive: boolean) => {
    const query =
      'query ($isActive: Boolean) { opportunities(filter: {isActive: $isActive}) { items { id } pagination { total } } }'
    const { items, pagination } = await ask(client, query, { isActive })
    expect(pagination.total).toBe(items.length)
    return items.map(({ id }: Shown) => id)
  }

  test('makes an opportunity count as lost wherever it stands, until it is restored', async () => {
    const subject = await withParts()
    const { client, id, reason, stages } = subject
    await subject.move({ stage_id: stages.won })
    expect([await ids(client, true), await ids(client, false)]).toEqual([[id], []])
    await expectMoved(subject, true, async () => {
      const discarded = await ask(client, DISCARD, { id, reason: reason.toUpperCase() })
      expect(discarded).toMatchObject({ discardedAt: expect.any(String), discardReasonId: reason })
    })
    expect([await ids(client, true), await ids(client, false)]).toEqual([[], [id]])
    const shown = await subject.read()
    expect(shown).toMatchObject({ discard_reason_id: reason, stage_id: stages.won, won_at: expect.any(String) })
    await expectMoved(subject, false, () => ask(client, DISCARD, { id, reason }))
    const other = await makeDiscardReason(service.database, subject.accountId, { name: 'Other' })
    expect(await ask(client, DISCARD, { id, reason: other.id })).toMatchObject({
      ...{ discardedAt: shown.discarded_at, discardReasonName: 'Other' },
    })
    await expectMoved(subject, true, async () => {
      expect(await ask(client, RESTORE, { id })).toMatchObject({ discardedAt: null, discardReasonId: null })
    })
    await expectMoved(subject, false, () => ask(client, RESTORE, { id }))
    expect([await ids(client, true), await ids(client, false)]).toEqual([[id], []])
  })

  test('keeps its reason through moves, and leaves that of a loss when it is taken back', async () => {
    const subject = await withParts()
    const { client, id, reason, stages } = subject
    await ask(client, DISCARD, { id, reason })
    await subject.move({ stage_id: stages.sent })
    expect(await subject.read()).toMatchObject({ discard_reason_id: reason, discarded_at: expect.any(String) })
    await subject.move({ stage_id: stages.lost })
    expect(await ask(client, RESTORE, { id })).toMatchObject({ discardedAt: null, discardReasonId: reason })
    expect(await ids(client, false)).toEqual([id])
    await subject.move({ stage_id: stages.sent })
    expect(await subject.read()).toMatchObject({ discard_reason_id: null, lost_at: null })
  })

  test('wants a reason of the account that was not deleted', async () => {
    const subject = await withParts()
    const theirs = await makeDiscardReason(service.database, (await makeTenant(service)).accountId)
    const gone = await makeDiscardReason(service.database, subject.accountId, { deletedAt: new Date() })
    const before = await subject.read()
    for (const reason of [theirs.id, gone.id, randomUUID(), 'budget', '', ' ']) {
      const answer = await subject.client.graphql(DISCARD, { id: subject.id, reason })
      expect(failureOf(answer)).toEqual({ code: 'VALIDATION_ERROR', fields: ['discardReasonId'] })
    }
    expect(await subject.read()).toEqual(before)
  })
})

describe('a list', () => {
  const LIST = `query ($filter: OpportunityFilter, $sort: OpportunitySort, $page: Int, $limit: Int) {
    opportunities(filter: $filter, sort: $sort, page: $page, limit: $limit) { items { title } pagination { total } } }`
  const titles = async (client: Client, filter: object) => {
    const { items, pagination } = await ask(client, LIST, { filter, sort: { by: 'TITLE', order: 'ASC' } })
    expect(pagination.total).toBe(items.length)
    return items.map(({ title }: Shown) => title).join('')
  }

  test('is filtered by sector, contact and whether it is active, alone and together', async () => {
    const { accountId, client } = await makeTenant(service)
    const { database } = service
    const sector = await makeSector(database, accountId)
    const contact = await makeContact(database, accountId)
    const lostAt = new Date()
    await makeOpportunity(database, accountId, { title: 'a', sectorId: sector.id, contact })
    await makeOpportunity(database, accountId, { title: 'b', sectorId: sector.id, lostAt })
    await makeOpportunity(database, accountId, { title: 'c', contact, discardedAt: lostAt })
    await makeOpportunity(database, accountId, { title: 'd', wonAt: lostAt, contact: null })
    await makeOpportunity(database, accountId, { title: 'e', wonAt: lostAt, lostAt })
    const of = { sectorId: sector.id, contactId: contact.id }
    expect(await titles(client, {})).toBe('abcde')
    expect(await titles(client, { sectorId: of.sectorId })).toBe('ab')
    expect(await titles(client, { contactId: of.contactId.toUpperCase() })).toBe('ac')
    expect(await titles(client, { isActive: true })).toBe('ad')
    expect(await titles(client, { isActive: false })).toBe('bce')
    expect(await titles(client, { ...of, isActive: true })).toBe('a')
    expect(await titles(client, { sectorId: of.sectorId, isActive: false })).toBe('b')
    expect(await titles(client, { ...of, isActive: null, search: null })).toBe('a')
    for (const id of [randomUUID(), 'none', '']) {
      expect(await titles(client, { sectorId: id })).toBe('')
      expect(await titles(client, { contactId: id })).toBe('')
    }
  })

  const AROUND = `{ opportunities(limit: 50) { items {
    id title contact { name tags { name } } pipeline { name } stage { name } owner { name } sector { name }
    campaign { name } products { name totalPrice } comments { content } } } }`

  test('of fifty with all that is around them takes eight statements', async () => {
    const { accountId, client } = await makeTenant(service)
    const { database } = service
    const tag = await makeTag(database, accountId, { name: 'Hot' })
    for (let i = 0; i < 50; i++) {
      await makeOpportunity(database, accountId, {
        title: `No ${i}`,
        contact: await makeContact(database, accountId, { name: `Contact ${i}`, tags: [tag] }),
        ownerUserId: (await makeUser(database, accountId, { name: `Owner ${i}` })).id,
        sectorId: (await makeSector(database, accountId, { name: `Sector ${i}` })).id,
        campaignId: (await makeCampaign(database, accountId, { name: `Campaign ${i}` })).id,
        products: [{ name: `Product ${i}`, unitPrice: i }],
        comments: [`Comment ${i}`],
      })
    }
    const { result, statements } = await service.statementsOf(() => client.graphql(AROUND))
    const { items } = dataOf(result)
    expect(items).toEqual(
      Array.from({ length: 50 }, (_, n) => 49 - n).map((i) => ({
        id: expect.any(String),
        title: `No ${i}`,
        contact: { name: `Contact ${i}`, tags: [{ name: 'Hot' }] },
        pipeline: { name: 'Sales' },
        stage: { name: 'New' },
        owner: { name: `Owner ${i}` },
        sector: { name: `Sector ${i}` },
        campaign: { name: `Campaign ${i}` },
        products: [{ name: `Product ${i}`, totalPrice: i }],
        comments: [{ content: `Comment ${i}` }],
      })),
    )
    expect(statements).toHaveLength(8)
  })

  test('asks the database for no column, join or part that is not selected', async () => {
    const { client } = await withParts()
    await client.get('/opportunities')
    const { statements } = await service.statementsOf(() => client.graphql('{ opportunities { items { title } } }'))
    const [text, ...more] = statements
    expect(more).toEqual([])
    expect(text).not.toMatch(/join (contact|pipeline|stage|campaign|app_user|sector)|opportunity_product|o"?\."?notes/)
  })

  test('shows what is around an opportunity only to keys that may read that', async () => {
    const { accountId } = await withParts()
    const { secret } = await makeKey(service.database, accountId, { permissions: ['opportunities:read'] })
    const client = createClient(service.origin, secret)
    for (const [field, permission] of [
      ['contact', 'contacts:read'],
      ['pipeline', 'pipelines:read'],
      ['stage', 'pipelines:read'],
      ['owner', 'users:read'],
      ['sector', 'sectors:read'],
      ['campaign', 'campaigns:read'],
      ['discardReason', 'discard_reasons:read'],
    ]) {
      const answer = await client.graphql(`{ opportunities { items { ${field} { id } } } }`)
      expect(failureOf(answer)).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', requiredPermission: permission })
    }
    await ask(
      client,
      '{ opportunities { items { contactName pipelineName products { name } comments { content } } } }',
      {},
    )
  })
})

test('a write answers with what is asked of it, around the opportunity too', async () => {
  const { client, id, stages }: Subject = await withParts()
  const around = 'title contact { name } stage { name } pipeline { name } products { name } comments { content }'
  const shown = {
    ...{ title: 'Eva', contact: { name: 'Eva' }, pipeline: { name: 'Every kind' } },
    ...{ products: [{ name: 'Kit' }], comments: [{ content: 'old' }] },
  }
  const update = `mutation ($id: ID!) { updateOpportunity(id: $id, input: {name: "Eva"}) { ${around} } }`
  expect(await ask(client, update, { id })).toEqual({ ...shown, stage: { name: 'start' } })
  const move = `mutation ($id: ID!) { moveOpportunity(id: $id, input: {stageId: "${stages.won}"}) { opportunity { ${around} } } }`
  expect(await ask(client, move, { id })).toEqual({ opportunity: { ...shown, stage: { name: 'won' } } })
})
