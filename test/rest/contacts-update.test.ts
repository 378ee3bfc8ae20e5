import { randomUUID } from 'node:crypto'
import { Account } from '../../src/domains/accounts/index.js'
import type { Tag } from '../../src/domains/reference/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, createClient } from '../support/client.js'
import { makeContact, makeKey, makeTag, makeTenant, type Tenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const WHOLE = {
  name: 'Zoë Ferreira',
  email: 'Zoe@X.test',
  phone: '+5511999990000',
  company: 'Acme',
  title: 'Buyer',
  location: 'Lisboa',
  linkedin_profile_url: 'https://www.linkedin.com/in/zoe',
  custom_fields: { a: 1, b: { c: [true, null] } },
}
type Field = keyof typeof WHOLE
const TEXTS = Object.keys(WHOLE).filter((name) => name !== 'custom_fields') as Field[]
const OPTIONAL = TEXTS.filter((name) => name !== 'name')

/** Other values than those of WHOLE. */
const OTHER = {
  name: 'Eva Lima',
  email: 'eva@x.test',
  phone: '+351912345678',
  company: 'Umbrella',
  title: 'Seller',
  location: 'Porto',
  linkedin_profile_url: 'https://www.linkedin.com/in/eva',
  custom_fields: { d: 'e' },
}

interface Subject extends Tenant {
  path: string
  tags: Tag[]
  /** The contact as the API shows it. */
  read(): Promise<Record<string, unknown>>
  put(body: unknown): Promise<Answer>
}

/** An account with four tags, and a contact with a value in every field and the first two of the tags. */
async function makeSubject(): Promise<Subject> {
  const tenant = await makeTenant(service)
  const { accountId, client } = tenant
  const tags: Tag[] = []
  for (const name of ['A', 'B', 'C', 'D']) tags.push(await makeTag(service.database, accountId, { name }))
  const created = await client.post('/contacts', { ...WHOLE, tags: [tags[0]!.id, tags[1]!.id] })
  expect(created.status).toBe(201)
  const path = `/contacts/${created.body.data.id}`
  const read = async () => (await client.get(path)).body.data
  return { ...tenant, path, tags, read, put: (body) => client.put(path, body) }
}

const tagsOf = (...tags: Tag[]) => tags.map(({ id, name, color }) => ({ id, name, color }))
const idsOf = (tags: readonly { id: string }[]) => tags.map(({ id }) => id)
const faultsOf = ({ status, body }: Answer) => ({ status, code: body.error?.code, details: body.error?.details })
const timeOf = (timestamp: unknown) => Date.parse(timestamp as string)
const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status).toSorted()

/** The answer shows the contact as it was but for these fields, later than before, and so does the next read. */
async function expectOnly(subject: Subject, body: object, changed: Record<string, unknown>): Promise<void> {
  const before = await subject.read()
  const answer = await subject.put(body)
  expect(answer.status).toBe(200)
  const { notes, attribution, ...shown } = before
  const { updated_at } = answer.body.data
  expect(answer.body).toEqual({ success: true, data: { ...shown, ...changed, updated_at } })
  expect(timeOf(updated_at)).toBeGreaterThan(timeOf(before.updated_at))
  expect(await subject.read()).toEqual({ ...answer.body.data, notes, attribution })
}

describe('changes what is given and nothing else', () => {
  test.each(Object.entries(OTHER))('%s alone', async (field, value) => {
    const subject = await makeSubject()
    await expectOnly(subject, { [field]: value }, { [field]: value })
  })

  test('all fields and the tags together', async () => {
    const subject = await makeSubject()
    const [, , c, d] = subject.tags
    await expectOnly(subject, { ...OTHER, tags: [d!.id, c!.id] }, { ...OTHER, tags: tagsOf(c!, d!) })
  })

  test.each(OPTIONAL.flatMap((field) => [null, '', ' \n\t '].map((empty) => [field, empty] as const)))(
    '%s of %j is emptied',
    async (field, empty) => {
      const subject = await makeSubject()
      await expectOnly(subject, { [field]: empty }, { [field]: null })
    },
  )

  test('custom fields are replaced whole, and emptied by null only', async () => {
    const subject = await makeSubject()
    await expectOnly(subject, { custom_fields: { b: {} } }, { custom_fields: { b: {} } })
    await expectOnly(subject, { custom_fields: {} }, { custom_fields: {} })
    await expectOnly(subject, { custom_fields: null }, { custom_fields: null })
    expect(faultsOf(await subject.put({ custom_fields: '' }))).toMatchObject({
      status: 400,
      details: [{ field: 'custom_fields' }],
    })
  })

  test('texts are trimmed and have LF for CRLF', async () => {
    const subject = await makeSubject()
    await expectOnly(subject, { name: '  Eva \t', company: 'a\r\nb' }, { name: 'Eva', company: 'a\nb' })
  })

  test('other contacts of the account stay as they are', async () => {
    const { accountId, client, put, tags } = await makeSubject()
    const bystander = await makeContact(service.database, accountId, { tags: [tags[0]!] })
    const before = (await client.get(`/contacts/${bystander.id}`)).body.data
    expect((await put({ ...OTHER, tags: [] })).status).toBe(200)
    expect((await client.get(`/contacts/${bystander.id}`)).body.data).toEqual(before)
  })

  test('a field that PUT does not have is ignored with a warning, or refused when the caller is strict', async () => {
    const subject = await makeSubject()
    const before = await subject.read()
    const sent = { source: 'form', id: randomUUID(), updated_at: '2020-01-01T00:00:00.000Z' }
    const { status, body } = await subject.put(sent)
    expect(status).toBe(200)
    expect(body.warnings.map(({ field }: { field: string }) => field)).toEqual(Object.keys(sent))
    const strict = await subject.client.put(
      subject.path,
      { name: 'Eva', source: 'form' },
      { Prefer: 'handling=strict' },
    )
    expect(faultsOf(strict)).toMatchObject({ status: 400, details: [{ field: 'source' }] })
    expect(await subject.read()).toEqual(before)
  })
})

describe('the tags', () => {
  test('that are sent replace all that the contact has', async () => {
    const subject = await makeSubject()
    const [a, b, c, d] = subject.tags as [Tag, Tag, Tag, Tag]
    await expectOnly(subject, { tags: idsOf([c, a, b]) }, { tags: tagsOf(a, b, c) })
    await expectOnly(subject, { tags: [b.id] }, { tags: tagsOf(b) })
    await expectOnly(subject, { tags: [d.id.toUpperCase(), c.id, d.id] }, { tags: tagsOf(c, d) })
  })

  test.each([[[]], [null]])('are all removed by %j', async (tags) => {
    await expectOnly(await makeSubject(), { tags }, { tags: [] })
  })

  test.each([
    ['that nobody has', async () => randomUUID()],
    ['of another account', async () => (await makeTag(service.database, (await makeTenant(service)).accountId)).id],
  ])('with one %s are refused, and the rest of the call changes nothing', async (_, strange) => {
    const subject = await makeSubject()
    const before = await subject.read()
    const answer = await subject.put({ name: 'Eva', tags: [subject.tags[2]!.id, await strange()] })
    expect(faultsOf(answer)).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      details: [{ field: 'tags', message: 'item 2 is not the id of a tag' }],
    })
    expect(await subject.read()).toEqual(before)
  })
})

describe('what changes nothing leaves updated_at', () => {
  test('an empty object', async () => {
    const subject = await makeSubject()
    const before = await subject.read()
    const { status, body } = await subject.put({})
    expect(status).toBe(200)
    expect(await subject.read()).toEqual(before)
    expect(before).toMatchObject(body.data)
  })

  test.each<[string, (tags: Tag[]) => object]>([
    ['every field as it is', () => WHOLE],
    [
      'the same tags in another order, in capitals and twice',
      ([a, b]) => ({ tags: [b!.id, a!.id.toUpperCase(), b!.id] }),
    ],
    ['custom fields with their members in another order', () => ({ custom_fields: { b: { c: [true, null] }, a: 1 } })],
    ['the phone in another spelling', () => ({ phone: '(11) 99999-0000' })],
    ['a name with white space around it', () => ({ name: ' Zoë Ferreira\n' })],
  ])('%s', async (_, bodyOf) => {
    const subject = await makeSubject()
    const before = await subject.read()
    const { status, body } = await subject.put(bodyOf(subject.tags))
    expect({ status, updated_at: body.data.updated_at }).toEqual({ status: 200, updated_at: before.updated_at })
    expect(await subject.read()).toEqual(before)
  })

  test('emptying what is empty', async () => {
    const { client } = await makeTenant(service)
    const created = (await client.post('/contacts', { name: 'Bare' })).body.data
    const empty = { ...Object.fromEntries(OPTIONAL.map((field) => [field, ''])), custom_fields: null, tags: [] }
    const { status, body } = await client.put(`/contacts/${created.id}`, empty)
    expect({ status, data: body.data }).toEqual({ status: 200, data: created })
  })
})

test('the phone is normalised for the country of the account, as in a new contact', async () => {
  const subject = await makeSubject()
  await expectOnly(subject, { phone: '(11) 98888-7777' }, { phone: '+5511988887777' })
  await service.database.fork().nativeUpdate(Account, { id: subject.accountId }, { country: 'PT' })
  await expectOnly(subject, { phone: '912 345 678' }, { phone: '+351912345678' })
  await expectOnly(subject, { phone: 'ask Maria' }, { phone: 'ask Maria' })
})

describe('the email', () => {
  test.each(['ana@x.test', 'ANA@X.TEST', ' Ana@x.test '])(
    'of another contact is a conflict that names it: %s',
    async (email) => {
      const subject = await makeSubject()
      const { id } = await makeContact(service.database, subject.accountId, { email: 'Ana@x.test' })
      const before = await subject.read()
      const { status, body } = await subject.put({ name: 'Eva', email })
      expect({ status, body }).toEqual({
        status: 409,
        body: {
          success: false,
          error: {
            code: 'DUPLICATE_ERROR',
            message: expect.any(String),
            details: [{ field: 'email', message: expect.any(String), existing_id: id }],
            request_id: expect.any(String),
          },
        },
      })
      expect(await subject.read()).toEqual(before)
    },
  )

  test('of the contact itself may be sent in another case, and is then kept so', async () => {
    await expectOnly(await makeSubject(), { email: 'ZOE@x.TEST' }, { email: 'ZOE@x.TEST' })
  })

  test('of a contact in another account is no conflict', async () => {
    await makeContact(service.database, (await makeTenant(service)).accountId, { email: 'eva@x.test' })
    await expectOnly(await makeSubject(), { email: 'eva@x.test' }, { email: 'eva@x.test' })
  })

  test('that a contact gave up can be taken', async () => {
    const subject = await makeSubject()
    expect((await subject.put({ email: null })).status).toBe(200)
    const { id } = await makeContact(service.database, subject.accountId)
    expect((await subject.client.put(`/contacts/${id}`, { email: WHOLE.email })).status).toBe(200)
  })
})

describe('invalid input', () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ['a name of null', { name: null }, ['name']],
    ['an empty name', { name: '' }, ['name']],
    ['a name of white space', { name: ' \n ' }, ['name']],
    ['a name that is no text', { name: ['Eva'] }, ['name']],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, ['name']],
    ['a malformed email', { email: 'eva' }, ['email']],
    ['a phone that is a number', { phone: 912345678 }, ['phone']],
    ['a control character', { title: 'a\u0007' }, ['title']],
    ['tags that are no list', { tags: 'A' }, ['tags']],
    ['a tag id that is no uuid', { tags: ['A'] }, ['tags']],
    ['a tag id of null', { tags: [null] }, ['tags']],
    ['custom fields that are a list', { custom_fields: [] }, ['custom_fields']],
    ['several faults', { name: '', email: 'x', company: 5, tags: ['A'] }, ['name', 'email', 'company', 'tags']],
  ])('%s is refused by name, and nothing is changed', async (_, sent, fields) => {
    const subject = await makeSubject()
    const before = await subject.read()
    const answer = faultsOf(await subject.put({ location: 'Porto', ...sent }))
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    const named = new Set(answer.details.map(({ field }: { field: string }) => field))
    expect([...named].toSorted()).toEqual(fields.toSorted())
    expect(await subject.read()).toEqual(before)
  })
})

describe('who may change a contact', () => {
  test('nobody without a key, or with one that does not exist', async () => {
    const { path, read } = await makeSubject()
    const before = await read()
    for (const [key, code] of [
      [undefined, 'MISSING_API_KEY'],
      ['fl_live_nonsense', 'INVALID_API_KEY'],
    ] as const) {
      expect(faultsOf(await createClient(service.origin, key).put(path, OTHER))).toMatchObject({ status: 401, code })
    }
    expect(await read()).toEqual(before)
  })

  test('only keys that may write contacts; others learn nothing of contact and input', async () => {
    const { accountId, path, read } = await makeSubject()
    const before = await read()
    const putWith = async (permissions: string[], at: string, body: unknown) => {
      const { secret } = await makeKey(service.database, accountId, { permissions })
      return createClient(service.origin, secret).put(at, body)
    }
    for (const [at, body] of [
      [path, OTHER],
      [path, { name: '' }],
      [path, '{ malformed'],
      [`/contacts/${randomUUID()}`, OTHER],
    ] as const) {
      const { status, body: answer } = await putWith(['contacts:read', 'contacts:delete', 'tags:*'], at, body)
      expect(status).toBe(403)
      expect(answer.error).toEqual({
        code: 'INSUFFICIENT_PERMISSIONS',
        message: expect.any(String),
        required_permission: 'contacts:write',
        request_id: expect.any(String),
      })
    }
    expect(await read()).toEqual(before)
    for (const permission of ['contacts:write', 'contacts:*']) {
      expect((await putWith([permission], path, { company: permission })).status).toBe(200)
      expect((await read()).company).toBe(permission)
    }
  })

  test('not another account: to it the contact is as unknown as one that does not exist', async () => {
    const { path, read } = await makeSubject()
    const { client } = await makeTenant(service)
    const before = await read()
    const strip = ({ status, body: { error } }: Answer) => ({ status, error: { ...error, request_id: '' } })
    const unknown = strip(await client.put(`/contacts/${randomUUID()}`, OTHER))
    expect(unknown).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } })
    expect(strip(await client.put(path, OTHER))).toEqual(unknown)
    expect(await read()).toEqual(before)
  })

  test.each(['1', 'nobody', '%00', '%F0%9F%98%80', `${randomUUID()}0`, randomUUID().replaceAll('-', '')])(
    'an id that cannot be one is not found: %s',
    async (id) => {
      const { client } = await makeTenant(service)
      expect(faultsOf(await client.put(`/contacts/${id}`, OTHER))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    },
  )
})

test('faults count in order: input, then existence, then conflict', async () => {
  const { accountId, client, path } = await makeSubject()
  await makeContact(service.database, accountId, { email: 'ana@x.test' })
  const theirs = await makeContact(service.database, (await makeTenant(service)).accountId)
  const codeOf = async (at: string, body: unknown) => (await client.put(at, body)).body.error.code
  const taken = { email: 'ana@x.test' }
  for (const at of [`/contacts/${randomUUID()}`, `/contacts/${theirs.id}`, '/contacts/nobody']) {
    expect(await codeOf(at, '{ malformed')).toBe('VALIDATION_ERROR')
    expect(await codeOf(at, { ...taken, name: '' })).toBe('VALIDATION_ERROR')
    expect(await codeOf(at, { ...taken, tags: [randomUUID()] })).toBe('VALIDATION_ERROR')
    expect(await codeOf(at, taken)).toBe('NOT_FOUND')
  }
  expect(await codeOf(path, { ...taken, name: '' })).toBe('VALIDATION_ERROR')
  expect(await codeOf(path, { ...taken, tags: [randomUUID()] })).toBe('VALIDATION_ERROR')
  expect(await codeOf(path, taken)).toBe('DUPLICATE_ERROR')
})

describe('parallel changes', () => {
  const VARIANTS: [Field | 'tags', (i: number, tags: Tag[]) => unknown][] = [
    ['name', (i) => `Name ${i}`],
    ['email', (i) => `mail${i}@x.test`],
    ['phone', (i) => `+55119999911${i + 10}`],
    ['company', (i) => `Company ${i}`],
    ['title', (i) => `Title ${i}`],
    ['location', (i) => `Location ${i}`],
    ['linkedin_profile_url', (i) => `https://www.linkedin.com/in/${i}`],
    ['custom_fields', (i) => ({ i })],
    ['tags', (i, tags) => [tags[i % 4]!.id]],
  ]

  test('of different fields lose nothing, and each answer shows its own', async () => {
    const { put, read, tags } = await makeSubject()
    const bare = { ...(await put({ tags: [] })).body.data }
    const sent = Array.from({ length: 20 }, (_, i) => {
      const [field, variant] = VARIANTS[i % VARIANTS.length]!
      return { field, value: variant(i, tags) }
    })
    const answers = await Promise.all(sent.map(({ field, value }) => put({ [field]: value })))
    expect(statusesOf(answers)).toEqual(Array(20).fill(200))
    const shown = (data: Record<string, unknown>, field: string) =>
      field === 'tags' ? idsOf(data.tags as Tag[]) : data[field]
    answers.forEach(({ body }, i) => {
      expect(shown(body.data, sent[i]!.field)).toEqual(sent[i]!.value)
    })
    const after = await read()
    for (const [field] of VARIANTS) {
      const values = sent.filter((one) => one.field === field).map(({ value }) => value)
      expect(values).toContainEqual(shown(after, field))
    }
    const times = answers.map(({ body }) => timeOf(body.data.updated_at))
    expect(timeOf(after.updated_at)).toBe(Math.max(...times))
    expect(Math.min(...times)).toBeGreaterThan(timeOf(bare.updated_at))
  })

  test('of the tags end in one of the sets that were sent, never in a mix', async () => {
    const { put, read, tags } = await makeSubject()
    const SETS = [[0], [0, 1], [1, 2, 3], [2], [3, 0], [], [0, 1, 2, 3]].map((set) => set.map((i) => tags[i]!))
    const sent = Array.from({ length: 20 }, (_, i) => SETS[i % SETS.length]!)
    const answers = await Promise.all(sent.map((set) => put({ tags: idsOf(set) })))
    expect(statusesOf(answers)).toEqual(Array(20).fill(200))
    const byName = (set: Tag[]) => tagsOf(...set.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    answers.forEach(({ body }, i) => {
      expect(body.data.tags).toEqual(byName(sent[i]!))
    })
    expect(SETS.map(byName)).toContainEqual((await read()).tags)
  })

  test('of twenty contacts to one email give it to one, and the others are told who', async () => {
    const { accountId, client } = await makeTenant(service)
    const ids: string[] = []
    for (let i = 0; i < 20; i++) ids.push((await makeContact(service.database, accountId)).id)
    const answers = await Promise.all(ids.map((id) => client.put(`/contacts/${id}`, { email: 'ana@x.test' })))
    const winners = answers.filter(({ status }) => status === 200)
    expect(winners).toHaveLength(1)
    const conflict = { field: 'email', message: expect.any(String), existing_id: winners[0]!.body.data.id }
    expect(answers.filter(({ status }) => status !== 200).map(faultsOf)).toEqual(
      Array(19).fill({ status: 409, code: 'DUPLICATE_ERROR', details: [conflict] }),
    )
  })

  test('that pass an email around end in an answer each: done, or a conflict', async () => {
    const { accountId, client } = await makeTenant(service)
    const ids: string[] = []
    for (let i = 0; i < 6; i++) ids.push((await makeContact(service.database, accountId)).id)
    const statuses = new Set<number>()
    const pass = async (id: string) => {
      for (let i = 0; i < 20; i++) {
        const { status } = await client.put(`/contacts/${id}`, { email: i % 2 ? null : 'ana@x.test' })
        statuses.add(status)
      }
    }
    await Promise.all(ids.map(pass))
    expect([...statuses].filter((status) => status !== 409)).toEqual([200])
  })
})
