import { randomUUID } from 'node:crypto'
import { Contact, ContactNote, ContactTouch } from '../../src/domains/contacts/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, type Client, createClient } from '../support/client.js'
import { makeContact, makeKey, makeTag, makeTenant, type Tenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const ADD_NOTE = `mutation ($id: ID!, $input: ContactNoteInput!) {
  addContactNote(contactId: $id, input: $input) { id note createdAt } }`
const UPDATE_NOTE = `mutation ($id: ID!, $input: ContactNoteInput!) {
  updateContactNote(id: $id, input: $input) { id note createdAt } }`
const DELETE_NOTE = 'mutation ($id: ID!) { deleteContactNote(id: $id) { id deleted } }'
const ATTRIBUTION = `attribution { firstUtmSource firstUtmMedium firstUtmCampaign firstChannel firstLandingUrl firstTouch
  lastTouch touchCount firstSeenAt lastSeenAt }`
const RECORD_TOUCH = `mutation ($id: ID!, $input: RecordTouchInput!) {
  recordContactTouch(contactId: $id, input: $input) { id updatedAt ${ATTRIBUTION} } }`
const UPDATE_CONTACT = `mutation ($id: ID!, $input: UpdateContactInput!) { updateContact(id: $id, input: $input) {
  id name headline about profilePicture source updatedAt extractedContacts { emails phones websites } } }`
const DELETE_CONTACT = 'mutation ($id: ID!) { deleteContact(id: $id) { id deleted } }'

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** The single field of a call's answer; a call that failed fails the test. */
function dataOf({ body }: Answer) {
  expect(body.errors).toBeUndefined()
  return Object.values(body.data)[0] as Answer['body']
}

function failureOf({ body }: Answer) {
  const { message: _, path: __, ...rest } = body.errors[0]
  return { ...rest.extensions, data: body.data ?? null }
}

/** A contact with a note, as the API knows them. */
interface Subject extends Tenant {
  id: string
  noteId: string
  read(): Promise<Record<string, unknown>>
}

async function makeSubject(): Promise<Subject> {
  const tenant = await makeTenant(service)
  const { id } = await makeContact(service.database, tenant.accountId, { notes: ['called'] })
  const read = async () => (await tenant.client.get(`/contacts/${id}`)).body.data
  return { ...tenant, id, noteId: (await read()).notes[0].id, read }
}

/** Every mutation that changes a contact that exists, with a target and an input that are good. */
const MUTATIONS: { name: string; query: string; target: 'id' | 'noteId'; input?: object; permission: string }[] = [
  { name: 'addContactNote', query: ADD_NOTE, target: 'id', input: { note: 'x' }, permission: 'contacts:write' },
  {
    name: 'updateContactNote',
    query: UPDATE_NOTE,
    target: 'noteId',
    input: { note: 'x' },
    permission: 'contacts:write',
  },
  { name: 'deleteContactNote', query: DELETE_NOTE, target: 'noteId', permission: 'contacts:write' },
  { name: 'recordContactTouch', query: RECORD_TOUCH, target: 'id', input: {}, permission: 'contacts:write' },
  { name: 'updateContact', query: UPDATE_CONTACT, target: 'id', input: { name: 'Eva' }, permission: 'contacts:write' },
  { name: 'deleteContact', query: DELETE_CONTACT, target: 'id', permission: 'contacts:delete' },
]

describe.each(MUTATIONS)('$name', ({ query, target, input, permission }) => {
  const send = (client: Client, id: string) => client.graphql(query, { id, input })

  test('needs a key', async () => {
    const subject = await makeSubject()
    const before = await subject.read()
    const answer = await send(createClient(service.origin), subject[target])
    expect(failureOf(answer)).toEqual({ code: 'MISSING_API_KEY', data: null })
    expect(await subject.read()).toEqual(before)
  })

  test('needs the permission', async () => {
    const subject = await makeSubject()
    const before = await subject.read()
    const others = ['contacts:read', 'contacts:write', 'contacts:delete', 'tags:*'].filter((one) => one !== permission)
    const { secret } = await makeKey(service.database, subject.accountId, { permissions: others })
    for (const id of [subject[target], randomUUID()]) {
      expect(failureOf(await send(createClient(service.origin, secret), id))).toEqual({
        code: 'INSUFFICIENT_PERMISSIONS',
        requiredPermission: permission,
        data: null,
      })
    }
    expect(await subject.read()).toEqual(before)
    const permissions = [permission, 'contacts:read']
    const { secret: allowed } = await makeKey(service.database, subject.accountId, { permissions })
    expect(dataOf(await send(createClient(service.origin, allowed), subject[target]))).toMatchObject({
      id: expect.any(String),
    })
  })

  test('finds nothing of another account, and no id that is unknown or none', async () => {
    const subject = await makeSubject()
    const stranger = await makeSubject()
    const before = await subject.read()
    for (const id of [subject[target], randomUUID(), 'nobody', '']) {
      expect(failureOf(await send(stranger.client, id))).toEqual({ code: 'NOT_FOUND', data: null })
    }
    expect(await subject.read()).toEqual(before)
  })
})

/** The work moves the contact's updated_at forward. */
async function expectMoved(subject: Subject, work: () => Promise<unknown>): Promise<void> {
  const before = await subject.read()
  await work()
  const after = await subject.read()
  expect(Date.parse(after.updated_at as string)).toBeGreaterThan(Date.parse(before.updated_at as string))
  expect(after.created_at).toBe(before.created_at)
}

describe('notes', () => {
  test('are added, changed and deleted, and the contact is changed thereby', async () => {
    const subject = await makeSubject()
    const { client, id, noteId, read } = subject
    const [old] = (await read()).notes as [object]
    let added: Answer['body']
    await expectMoved(subject, async () => {
      added = dataOf(await client.graphql(ADD_NOTE, { id, input: { note: '  wrote\r\n"back" ü 😀 ' } }))
    })
    expect(added).toEqual({ id: expect.any(String), note: 'wrote\n"back" ü 😀', createdAt: TIMESTAMP })
    const shown = { id: added.id, note: added.note, created_at: added.createdAt }
    expect((await read()).notes).toEqual([old, shown])

    await expectMoved(subject, async () => {
      const changed = dataOf(await client.graphql(UPDATE_NOTE, { id: added.id, input: { note: 'met' } }))
      expect(changed).toEqual({ ...added, note: 'met' })
    })
    expect((await read()).notes).toEqual([old, { ...shown, note: 'met' }])

    await expectMoved(subject, async () => {
      const deleted = dataOf(await client.graphql(DELETE_NOTE, { id: noteId.toUpperCase() }))
      expect(deleted).toEqual({ id: noteId, deleted: true })
    })
    expect((await read()).notes).toEqual([{ ...shown, note: 'met' }])
    for (const [query, input] of [
      [DELETE_NOTE, undefined],
      [UPDATE_NOTE, { note: 'called' }],
    ] as const) {
      expect(failureOf(await client.graphql(query, { id: noteId, input }))).toMatchObject({ code: 'NOT_FOUND' })
    }
  })

  test('that get the text they have leave the contact unchanged', async () => {
    const { client, noteId, read } = await makeSubject()
    const before = await read()
    const kept = dataOf(await client.graphql(UPDATE_NOTE, { id: noteId, input: { note: ' called ' } }))
    expect(kept).toMatchObject({ id: noteId, note: 'called' })
    expect(await read()).toEqual(before)
  })

  test.each([
    ['empty', ''],
    ['of white space', ' \n '],
    ['of 20,001 characters', 'x'.repeat(20_001)],
    ['with a NUL character', 'a\u0000b'],
    ['with half a surrogate pair', 'a\ud800'],
  ])('%s are refused', async (_, note) => {
    const { client, id, noteId, read } = await makeSubject()
    const before = await read()
    for (const answer of [
      await client.graphql(ADD_NOTE, { id, input: { note } }),
      await client.graphql(UPDATE_NOTE, { id: noteId, input: { note } }),
      await client.graphql(ADD_NOTE, { id: randomUUID(), input: { note } }), // input counts before existence
    ]) {
      expect(failureOf(answer)).toEqual({
        code: 'VALIDATION_ERROR',
        details: [{ path: ['input', 'note'], message: expect.any(String) }],
        data: null,
      })
    }
    expect(await read()).toEqual(before)
  })

  test('may have 20,000 characters as people count them', async () => {
    const { client, id } = await makeSubject()
    const note = '😀'.repeat(20_000)
    expect(dataOf(await client.graphql(ADD_NOTE, { id, input: { note } })).note).toBe(note)
  })

  test('of which twenty are added at once are all kept', async () => {
    const { client, id, read } = await makeSubject()
    const texts = Array.from({ length: 20 }, (_, i) => `note ${i}`)
    await Promise.all(texts.map(async (note) => dataOf(await client.graphql(ADD_NOTE, { id, input: { note } }))))
    const notes = (await read()).notes as { note: string }[]
    expect(notes.map(({ note }) => note).toSorted()).toEqual(['called', ...texts].toSorted())
  })

  test('are deleted once, however many try, and not changed after that', async () => {
    for (let round = 0; round < 5; round++) {
      const { client, noteId, read } = await makeSubject()
      const deletes = Array.from({ length: 8 }, () => client.graphql(DELETE_NOTE, { id: noteId }))
      const changes = Array.from({ length: 4 }, (_, i) =>
        client.graphql(UPDATE_NOTE, { id: noteId, input: { note: `n${i}` } }),
      )
      const outcome = ({ body }: Answer) => body.errors?.[0].extensions.code ?? 'done'
      const deleted = (await Promise.all(deletes)).map(outcome)
      expect(deleted.toSorted()).toEqual([...Array(7).fill('NOT_FOUND'), 'done'])
      for (const changed of (await Promise.all(changes)).map(outcome)) expect(['done', 'NOT_FOUND']).toContain(changed)
      expect((await read()).notes).toEqual([])
    }
  })

  test('are not changed by somebody who waited while they were deleted', async () => {
    const { accountId, client, id, noteId } = await makeSubject()
    const em = service.database.fork()
    em.setFilterParams('tenant', { account: accountId })
    await em.begin()
    await em.nativeUpdate(Contact, { id }, { title: 'held' })
    const change = client.graphql(UPDATE_NOTE, { id: noteId, input: { note: 'late' } })
    const late = client.graphql(DELETE_NOTE, { id: noteId })
    const { pool } = service.database
    const held = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    while ((await pool.query(held)).rowCount !== 2) await new Promise((resolve) => setTimeout(resolve, 5))
    await em.nativeDelete(ContactNote, { id: noteId })
    await em.commit()
    for (const answer of [await change, await late]) expect(failureOf(answer)).toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('attribution', () => {
  const LANDING = 'https://x.test/?utm_source=google'
  const SECOND = {
    channel: 'paid_search',
    landingUrl: LANDING,
    referrer: 'https://google.com/',
    utmSource: 'google',
    utmMedium: 'cpc',
    utmCampaign: 'spring',
    utmTerm: 'crm',
    utmContent: 'a',
    gclid: 'G1',
    fbclid: 'F1',
    msclkid: 'M1',
    ttclid: 'T1',
    liFatId: 'L1',
    occurredAt: '2026-02-01T10:00:00.500Z',
  }
  const SECOND_RAW = {
    channel: 'paid_search',
    landing_url: LANDING,
    referrer: 'https://google.com/',
    utm_source: 'google',
    utm_medium: 'cpc',
    utm_campaign: 'spring',
    utm_term: 'crm',
    utm_content: 'a',
    gclid: 'G1',
    fbclid: 'F1',
    msclkid: 'M1',
    ttclid: 'T1',
    li_fat_id: 'L1',
  }

  /** The same by GraphQL, asked alone and in a list, and by REST, in whose spelling it is returned. */
  async function attributionOf({ client, id }: Subject) {
    const rest = (await client.get(`/contacts/${id}`)).body.data.attribution
    const alone = dataOf(await client.graphql(`query ($id: ID!) { contact(id: $id) { ${ATTRIBUTION} } }`, { id }))
    const list = dataOf(await client.graphql(`{ contacts { items { ${ATTRIBUTION} } } }`))
    expect(list.items).toEqual([alone])
    const { attribution } = alone
    const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const spelled = attribution && Object.entries(attribution).map(([name, value]) => [snake(name), value])
    expect(spelled && Object.fromEntries(spelled)).toEqual(rest)
    return rest
  }

  test('is null without touches', async () => {
    expect(await attributionOf(await makeSubject())).toBeNull()
  })

  test('shows the first and the last touch by the time of the visit, not of its recording', async () => {
    const subject = await makeSubject()
    const { client, id } = subject
    const record = async (input: object) => dataOf(await client.graphql(RECORD_TOUCH, { id, input }))

    let recorded: Answer['body']
    await expectMoved(subject, async () => {
      recorded = await record(SECOND)
    })
    expect(recorded).toEqual({
      id,
      updatedAt: (await subject.read()).updated_at,
      attribution: {
        firstUtmSource: 'google',
        firstUtmMedium: 'cpc',
        firstUtmCampaign: 'spring',
        firstChannel: 'paid_search',
        firstLandingUrl: LANDING,
        firstTouch: SECOND_RAW,
        lastTouch: SECOND_RAW,
        touchCount: 1,
        firstSeenAt: '2026-02-01T10:00:00.500Z',
        lastSeenAt: '2026-02-01T10:00:00.500Z',
      },
    })
    await record({ utmSource: 'newsletter', utmMedium: '', occurredAt: '2026-02-01T12:00:00.499+02:00' })
    await record({ channel: 'email', landingUrl: null, occurredAt: '2026-03-01T00:00:00.000Z' })
    expect(await attributionOf(subject)).toEqual({
      first_utm_source: 'newsletter',
      first_utm_medium: null,
      first_utm_campaign: null,
      first_channel: null,
      first_landing_url: null,
      first_touch: { utm_source: 'newsletter' },
      last_touch: { channel: 'email' },
      touch_count: 3,
      first_seen_at: '2026-02-01T10:00:00.499Z',
      last_seen_at: '2026-03-01T00:00:00.000Z',
    })
  })

  test('takes a touch without a time, and without anything else, as of now', async () => {
    const subject = await makeSubject()
    const before = Date.now()
    dataOf(await subject.client.graphql(RECORD_TOUCH, { id: subject.id, input: {} }))
    const { first_seen_at, ...rest } = await attributionOf(subject)
    expect(Math.abs(Date.parse(first_seen_at) - before)).toBeLessThan(30_000)
    expect(rest).toMatchObject({ first_touch: {}, last_touch: {}, touch_count: 1, last_seen_at: first_seen_at })
  })

  test('orders touches of the same moment by their ids', async () => {
    const subject = await makeSubject()
    const em = service.database.fork()
    for (const [start, channel] of [
      ['7', 'second'],
      ['f', 'last'],
      ['0', 'first'],
    ] as const) {
      const touch = { channel, raw: { channel }, occurredAt: new Date('2026-02-01T10:00:00.000Z') }
      const id = `${start}0000000-0000-4000-8000-000000000000`
      em.create(ContactTouch, { ...touch, id, contact: subject.id, accountId: subject.accountId })
    }
    await em.flush()
    expect(await attributionOf(subject)).toMatchObject({
      first_channel: 'first',
      first_touch: { channel: 'first' },
      last_touch: { channel: 'last' },
      touch_count: 3,
    })
  })

  test('is of the contact alone, and counts touches that come together', async () => {
    const subject = await makeSubject()
    const { client, accountId, id } = subject
    const other = await makeContact(service.database, accountId)
    await Promise.all(
      [other.id, ...Array<string>(20).fill(id)].map(async (target, i) =>
        dataOf(await client.graphql(RECORD_TOUCH, { id: target, input: { utmTerm: `t${i}` } })),
      ),
    )
    expect((await subject.read()).attribution).toMatchObject({ touch_count: 20 })
    expect((await client.get(`/contacts/${other.id}`)).body.data.attribution).toMatchObject({
      touch_count: 1,
      first_touch: { utm_term: 't0' },
    })
  })

  test.each([
    ['a channel of 256 characters', { channel: 'x'.repeat(256) }, 'channel'],
    ['a landing page of 2,049 characters', { landingUrl: 'x'.repeat(2049) }, 'landingUrl'],
    ['a click id with a control character', { liFatId: 'a\u0007' }, 'liFatId'],
    ['a time of null', { occurredAt: null }, 'occurredAt'],
  ])('refuses %s', async (_, input, field) => {
    const { client, id, read } = await makeSubject()
    const before = await read()
    expect(failureOf(await client.graphql(RECORD_TOUCH, { id, input }))).toEqual({
      code: 'VALIDATION_ERROR',
      details: [{ path: ['input', field], message: expect.any(String) }],
      data: null,
    })
    expect(await read()).toEqual(before)
  })

  test.each(['yesterday', '2026-02-30T00:00:00.000Z', 7])('refuses a time of %j', async (occurredAt) => {
    const { client, id, read } = await makeSubject()
    const { body } = await client.graphql(RECORD_TOUCH, { id, input: { occurredAt } })
    expect(body).toMatchObject({ errors: [{ message: expect.stringContaining('occurredAt') }] })
    expect((await read()).attribution).toBeNull()
  })
})

describe('a contact through GraphQL', () => {
  const PROFILE = {
    headline: 'Building sales teams',
    about: 'Line\nline',
    profilePicture: 'https://x.test/ana.jpg',
    extractedContacts: { emails: ['a@x.test'], phones: ['+5511'], websites: ['x.test'] },
  }

  test('keeps what a profile brings beside the fields of REST', async () => {
    const subject = await makeSubject()
    const update = async (input: object) =>
      dataOf(await subject.client.graphql(UPDATE_CONTACT, { id: subject.id, input }))
    const before = await subject.read()
    await expectMoved(subject, async () => expect(await update(PROFILE)).toMatchObject(PROFILE))
    const after = await subject.read()
    expect({ ...after, updated_at: before.updated_at }).toEqual(before)

    const same = { ...PROFILE, headline: ` ${PROFILE.headline}`, about: 'Line\r\nline' }
    expect(await update(same)).toMatchObject({ ...PROFILE, updatedAt: after.updated_at })

    await expectMoved(subject, async () => {
      const lists = { emails: ['b@x.test', ''], phones: null }
      expect(await update({ extractedContacts: lists })).toMatchObject({
        ...PROFILE,
        extractedContacts: { emails: ['b@x.test'], phones: [], websites: [] },
      })
    })
    await expectMoved(subject, async () => {
      const empty = { headline: '', about: null, profilePicture: ' ', extractedContacts: null }
      const none = { headline: null, about: null, profilePicture: null, extractedContacts: null }
      expect(await update(empty)).toMatchObject(none)
    })
    expect(await update({ source: 'form' })).toMatchObject({ source: 'form' })
  })

  test.each<[string, object, (string | number)[]]>([
    ['a headline of 256 characters', { headline: 'x'.repeat(256) }, ['input', 'headline']],
    ['an about of 20,001 characters', { about: 'x'.repeat(20_001) }, ['input', 'about']],
    ['a picture of 2,049 characters', { profilePicture: 'x'.repeat(2049) }, ['input', 'profilePicture']],
    ['a name of null', { name: null }, ['input', 'name']],
    ['a source that is empty', { source: '' }, ['input', 'source']],
  ])('refuses %s', async (_, input, path) => {
    const { client, id, read } = await makeSubject()
    const before = await read()
    const answer = await client.graphql(UPDATE_CONTACT, { id, input: { location: 'Porto', ...input } })
    expect(failureOf(answer)).toEqual({
      code: 'VALIDATION_ERROR',
      details: [{ path, message: expect.any(String) }],
      data: null,
    })
    expect(await read()).toEqual(before)
  })

  test('leaves out an extracted phone that cannot be one, with a warning', async () => {
    const { client, id } = await makeSubject()
    const input = { extractedContacts: { phones: ['1', '1'.repeat(41)] } }
    const { body } = await client.graphql(UPDATE_CONTACT, { id, input })
    expect(body.data.updateContact.extractedContacts.phones).toEqual(['1'])
    expect(body.extensions.warnings).toEqual([
      { path: ['input', 'extractedContacts', 'phones', 1], message: expect.any(String) },
    ])
  })

  test('conflicts over an email as in REST', async () => {
    const { accountId, client, id } = await makeSubject()
    const other = await makeContact(service.database, accountId, { email: 'ana@x.test' })
    const answer = await client.graphql(UPDATE_CONTACT, { id, input: { email: 'ANA@x.test' } })
    expect(failureOf(answer)).toEqual({
      code: 'DUPLICATE_ERROR',
      details: [{ path: ['input', 'email'], message: expect.any(String), existingId: other.id }],
      data: null,
    })
  })

  test('is deleted with its notes and touches', async () => {
    const { client, id, noteId } = await makeSubject()
    dataOf(await client.graphql(RECORD_TOUCH, { id, input: { channel: 'email' } }))
    expect(dataOf(await client.graphql(DELETE_CONTACT, { id }))).toEqual({ id, deleted: true })
    expect((await client.get(`/contacts/${id}`)).status).toBe(404)
    for (const [query, target, input] of [
      [DELETE_CONTACT, id, undefined],
      [UPDATE_CONTACT, id, {}],
      [ADD_NOTE, id, { note: 'x' }],
      [RECORD_TOUCH, id, {}],
      [DELETE_NOTE, noteId, undefined],
    ] as const) {
      expect(failureOf(await client.graphql(query, { id: target, input }))).toMatchObject({ code: 'NOT_FOUND' })
    }
  })

  test('just created has its tags, and no notes and attribution', async () => {
    const { accountId, client } = await makeTenant(service)
    const tag = await makeTag(service.database, accountId)
    const query = `mutation ($input: CreateContactInput!) { createContact(input: $input) {
      headline tags { id } notes { id } attribution { touchCount } } }`
    const input = { name: 'Ana', headline: 'Hello', tagIds: [tag.id] }
    expect(dataOf(await client.graphql(query, { input }))).toEqual({
      headline: 'Hello',
      tags: [{ id: tag.id }],
      notes: [],
      attribution: null,
    })
  })
})

test('a list is read in as many statements with fifty contacts as with one, with tags, notes and attribution', async () => {
  const query = '{ contacts { items { name tags { name } notes { note } attribution { touchCount } } } }'
  const readIn = async (size: number) => {
    const { accountId, client } = await makeTenant(service)
    const tag = await makeTag(service.database, accountId)
    const em = service.database.fork()
    for (let i = 0; i < size; i++) {
      const { id } = await makeContact(service.database, accountId, { tags: [tag], notes: ['a', 'b'] })
      for (let j = 0; j <= i % 3; j++) em.create(ContactTouch, { contact: id, accountId, raw: {} })
    }
    await em.flush()
    const { result, statements } = await service.statementsOf(() => client.graphql(query))
    const items: Record<string, object[]>[] = dataOf(result).items
    expect(items).toHaveLength(size)
    expect(items.map(({ tags, notes }) => [tags!.length, notes!.length])).toEqual(Array(size).fill([1, 2]))
    expect(items.map(({ attribution }) => attribution)).toContainEqual({ touchCount: Math.min(size, 3) })
    return statements.filter((text) => /\bfrom\b/.test(text))
  }
  const [one, fifty] = [await readIn(1), await readIn(50)]
  expect(fifty).toEqual(one)
  expect(one).toHaveLength(1)
})
