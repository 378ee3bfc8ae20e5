import { randomUUID } from 'node:crypto'
import type { Contact } from '../../src/domains/contacts/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { makeCampaign } from '../support/factories/campaigns.js'
import { makeContact, makeKey, makeTenant, type Tenant } from '../support/factories.js'
import { TIMESTAMP } from '../support/graphql.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const URL = 'https://www.linkedin.com/in/ana-souza'
const PERSON = { name: 'Ana Souza', linkedin_profile_url: URL }

interface Subject extends Tenant {
  campaignId: string
  add(body: object | string): ReturnType<Tenant['client']['post']>
  read(id: string): Promise<Record<string, unknown>>
  /** The contacts of the account, as /graphql shows them, oldest first. */
  contacts(): Promise<Record<string, unknown>[]>
}

const FIELDS = `id name email phone company title location linkedinProfileUrl headline about profilePicture source
  sourceChannel lastInteraction createdAt updatedAt extractedContacts { emails phones websites }`

async function makeSubject(channel: string | null = 'linkedin'): Promise<Subject> {
  const tenant = await makeTenant(service)
  const { id: campaignId } = await makeCampaign(service.database, tenant.accountId, { name: 'Spring', channel })
  const contacts = async () => {
    const query = `{ contacts(limit: 100, sort: { order: ASC }) { items { ${FIELDS} } } }`
    return (await tenant.client.graphql(query)).body.data.contacts.items
  }
  return {
    ...tenant,
    campaignId,
    add: (body) => tenant.client.post(`/campaigns/${campaignId}/contacts`, body),
    read: async (id) =>
      (await tenant.client.graphql(`query ($id: ID!) { contact(id: $id) { ${FIELDS} } }`, { id })).body.data.contact,
    contacts,
  }
}

const contact = ({ accountId }: Tenant, fields: Partial<Contact>) => makeContact(service.database, accountId, fields)

describe('a person who is no contact yet', () => {
  test('becomes one with all that was sent, approved in the campaign', async () => {
    const subject = await makeSubject()
    const sent = {
      ...PERSON,
      title: 'Head of Sales',
      company: 'Aurora',
      location: 'São Paulo',
      email: 'Ana@Example.com',
      phone: '(11) 98765-4321',
      about: 'Fifteen years.',
      profile_picture: 'https://example.com/ana.jpg',
      extracted_contacts: { emails: ['other@example.com'], phones: ['+5511900000000'], websites: null },
    }
    const { status, body } = await subject.add(sent)
    expect(status).toBe(201)
    const { id } = body.data.contact
    expect(body).toEqual({
      success: true,
      data: {
        campaign_contact: {
          id: expect.any(String),
          campaign_id: subject.campaignId,
          contact_id: id,
          status: 'approved',
          created_at: TIMESTAMP,
        },
        contact: { id, name: 'Ana Souza', profile_url: URL },
        campaign: { id: subject.campaignId, name: 'Spring' },
      },
      message: 'The contact is in the campaign.',
    })
    const stored = await subject.read(id)
    expect(stored).toEqual({
      id,
      name: 'Ana Souza',
      email: 'Ana@Example.com',
      phone: '+5511987654321',
      company: 'Aurora',
      title: 'Head of Sales',
      location: 'São Paulo',
      linkedinProfileUrl: URL,
      headline: null,
      about: 'Fifteen years.',
      profilePicture: 'https://example.com/ana.jpg',
      source: 'api',
      sourceChannel: 'linkedin',
      lastInteraction: TIMESTAMP,
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
      extractedContacts: { emails: ['other@example.com'], phones: ['+5511900000000'], websites: [] },
    })
    expect(Math.abs(Date.parse(stored.lastInteraction as string) - Date.now())).toBeLessThan(60_000)
  })

  test('gets email and phone from what was extracted where they were not sent', async () => {
    const subject = await makeSubject()
    const extracted = { emails: ['no address', 'first@example.com', 'x@example.com'], phones: ['', '11 98765-4321'] }
    const { body } = await subject.add({ ...PERSON, email: '', extracted_contacts: extracted })
    expect(await subject.read(body.data.contact.id)).toMatchObject({
      email: 'first@example.com',
      phone: '+5511987654321',
      extractedContacts: { emails: extracted.emails, phones: ['11 98765-4321'], websites: [] },
    })
  })

  test('of a campaign without a channel gets none', async () => {
    const subject = await makeSubject(null)
    const { body } = await subject.add(PERSON)
    expect(await subject.read(body.data.contact.id)).toMatchObject({ sourceChannel: null, lastInteraction: TIMESTAMP })
  })

  test('may have a profile address as long as there are, in any characters', async () => {
    const subject = await makeSubject()
    const long = Array.from({ length: 2048 }, (_, i) => String.fromCodePoint(0x1f300 + ((i * 7919) % 700))).join('')
    const { status, body } = await subject.add({ ...PERSON, linkedin_profile_url: long })
    expect({ status, url: body.data.contact.profile_url }).toEqual({ status: 201, url: long })
    expect((await subject.client.post('/contacts', { name: 'B', linkedin_profile_url: long })).status).toBe(201)
    expect((await subject.add({ ...PERSON, linkedin_profile_url: long })).status).toBe(409)
  })
})

describe('a contact is known', () => {
  test.each([
    URL,
    'http://www.linkedin.com/in/ana-souza',
    'www.linkedin.com/in/ana-souza/',
    'HTTPS://WWW.LinkedIn.com/in/Ana-Souza//',
    'https://www.linkedin.com/in/ana-souza/?utm_source=x&a=/b/',
    'https://www.linkedin.com/in/ana-souza#about',
  ])('by its profile, spelled as %s', async (linkedin_profile_url) => {
    const subject = await makeSubject()
    const { id } = await contact(subject, { name: 'Known', linkedinProfileUrl: URL })
    const { status, body } = await subject.add({ name: 'Other name', linkedin_profile_url })
    expect({ status, contact: body.data.contact }).toEqual({
      status: 201,
      contact: { id, name: 'Known', profile_url: URL },
    })
    expect(await subject.contacts()).toHaveLength(1)
  })

  test('not by a profile that is another', async () => {
    const subject = await makeSubject()
    for (const url of ['example.com/in/ana-souza', `${URL}-2`, `${URL}/details`, 'https://www.linkedin.com/in/ana']) {
      await contact(subject, { linkedinProfileUrl: url })
    }
    expect((await subject.add(PERSON)).body.data.contact.name).toBe('Ana Souza')
    expect(await subject.contacts()).toHaveLength(5)
  })

  test('not by addresses in which nothing is left to compare', async () => {
    const subject = await makeSubject()
    await contact(subject, { linkedinProfileUrl: 'https://' })
    expect((await subject.add({ name: 'Ana', linkedin_profile_url: '/?x' })).status).toBe(201)
    expect(await subject.contacts()).toHaveLength(2)
  })

  test('by its email, without regard to case, where no profile is the same', async () => {
    const subject = await makeSubject()
    const { id } = await contact(subject, { name: 'Known', email: 'ANA@example.com' })
    const { body } = await subject.add({ ...PERSON, email: 'ana@Example.com' })
    expect(body.data.contact).toEqual({ id, name: 'Known', profile_url: URL })
    expect(await subject.contacts()).toHaveLength(1)
  })

  test('by its profile before its email, and the oldest before others', async () => {
    const subject = await makeSubject()
    const byEmail = await contact(subject, { email: 'ana@example.com' })
    const newer = await contact(subject, { linkedinProfileUrl: URL, createdAt: new Date('2026-02-02') })
    const older = await contact(subject, { linkedinProfileUrl: `${URL}/`, createdAt: new Date('2026-01-01') })
    const { body } = await subject.add({ ...PERSON, email: 'ana@example.com', company: 'Filled' })
    expect(body.data.contact.id).toBe(older.id)
    expect(await subject.read(older.id)).toMatchObject({ email: null, company: 'Filled' }) // another has the email
    for (const { id } of [byEmail, newer])
      expect(await subject.read(id)).toMatchObject({ company: null, lastInteraction: null })
  })

  test('not when it is of another account', async () => {
    const [subject, other] = [await makeSubject(), await makeSubject()]
    await contact(other, { linkedinProfileUrl: URL, email: 'ana@example.com' })
    const before = await dumpOf(service.database, other.accountId)
    expect((await subject.add({ ...PERSON, email: 'ana@example.com' })).status).toBe(201)
    expect(await subject.contacts()).toHaveLength(1)
    expect(await dumpOf(service.database, other.accountId)).toEqual(before)
  })
})

describe('a known contact', () => {
  const SENT = {
    name: 'Sent',
    linkedin_profile_url: URL,
    title: 'sent',
    company: 'sent',
    location: 'sent',
    email: 'sent@example.com',
    phone: '+5511911111111',
    about: 'sent',
    profile_picture: 'https://example.com/sent.jpg',
    extracted_contacts: { emails: ['sent@example.com'], phones: [], websites: ['sent.example.com'] },
  }
  const filled = {
    title: 'sent',
    company: 'sent',
    location: 'sent',
    email: 'sent@example.com',
    phone: '+5511911111111',
    about: 'sent',
    profilePicture: 'https://example.com/sent.jpg',
    extractedContacts: SENT.extracted_contacts,
  }

  test('is filled where it is empty', async () => {
    const subject = await makeSubject('whatsapp')
    const nothing = { emails: [], phones: [], websites: [] }
    const made = await contact(subject, {
      name: 'Known',
      linkedinProfileUrl: URL,
      source: 'form',
      extractedContacts: nothing,
    })
    const before = await subject.read(made.id)
    await subject.add(SENT)
    expect(await subject.read(made.id)).toEqual({
      ...before,
      ...filled,
      sourceChannel: 'whatsapp',
      lastInteraction: TIMESTAMP,
      updatedAt: TIMESTAMP,
    })
  })

  test('keeps whatever it has', async () => {
    const subject = await makeSubject()
    const made = await contact(subject, {
      name: 'Known',
      email: 'kept@example.com',
      phone: '+5511922222222',
      company: 'kept',
      title: 'kept',
      location: 'kept',
      linkedinProfileUrl: `${URL}/`,
      headline: 'kept',
      about: 'kept',
      profilePicture: 'https://example.com/kept.jpg',
      source: 'form',
      sourceChannel: 'instagram',
      extractedContacts: { emails: [], phones: ['+5511933333333'], websites: [] },
      lastInteraction: new Date('2026-01-01'),
    })
    const before = await subject.read(made.id)
    await subject.add(SENT)
    const after = await subject.read(made.id)
    expect(after).toEqual({ ...before, sourceChannel: 'linkedin', lastInteraction: TIMESTAMP, updatedAt: TIMESTAMP })
    expect(after.lastInteraction).not.toBe(before.lastInteraction)
  })

  test('by email gets the profile where it has none, and keeps the one that it has', async () => {
    const subject = await makeSubject()
    const bare = await contact(subject, { email: 'bare@example.com' })
    const kept = await contact(subject, { email: 'kept@example.com', linkedinProfileUrl: 'linkedin.com/in/kept' })
    await subject.add({ ...PERSON, email: 'bare@example.com' })
    await subject.add({ ...PERSON, linkedin_profile_url: `${URL}-2`, email: 'kept@example.com' })
    expect((await subject.read(bare.id)).linkedinProfileUrl).toBe(URL)
    expect((await subject.read(kept.id)).linkedinProfileUrl).toBe('linkedin.com/in/kept')
  })

  test('with nothing to fill gets the channel of the campaign, and keeps its own where that has none', async () => {
    const subject = await makeSubject(null)
    const made = await contact(subject, { linkedinProfileUrl: URL, sourceChannel: 'instagram' })
    await subject.add(PERSON)
    expect(await subject.read(made.id)).toMatchObject({ sourceChannel: 'instagram', lastInteraction: TIMESTAMP })
  })
})

describe('twice', () => {
  test('is a conflict that tells the status, and changes nothing', async () => {
    const subject = await makeSubject()
    const { body } = await subject.add(PERSON)
    const { id } = body.data.campaign_contact
    const before = await dumpOf(service.database, subject.accountId)
    const again = await subject.add({ ...PERSON, company: 'not filled' })
    expect(again.status).toBe(409)
    expect(again.body.error).toMatchObject({ code: 'DUPLICATE_ERROR', existing_status: 'approved' })
    expect(await dumpOf(service.database, subject.accountId)).toEqual(before)
    await service.database.pool.query(`update campaign_contact set status = 'invite_sent' where id = $1`, [id])
    expect((await subject.add(PERSON)).body.error.existing_status).toBe('invite_sent')
  })

  test('in two campaigns is none', async () => {
    const subject = await makeSubject()
    const { id } = await makeCampaign(service.database, subject.accountId)
    const first = await subject.add(PERSON)
    const second = await subject.client.post(`/campaigns/${id}/contacts`, PERSON)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body.data.contact.id).toBe(first.body.data.contact.id)
  })

  test.each<[string, (i: number) => object]>([
    ['the same profile', () => PERSON],
    ['the same profile in other words', (i) => ({ ...PERSON, linkedin_profile_url: `${URL}?call=${i}` })],
  ])('at once, with %s, is one contact in the campaign and conflicts', async (_, body) => {
    const subject = await makeSubject()
    const answers = await Promise.all(Array.from({ length: 12 }, (__, i) => subject.add(body(i))))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(11).fill(409)])
    expect(await subject.contacts()).toHaveLength(1)
    const { campaign_contact } = await dumpOf(service.database, subject.accountId)
    expect(campaign_contact).toHaveLength(1)
  })

  test('at once, with one mailbox and profiles of their own, are as many people', async () => {
    const subject = await makeSubject()
    const send = (i: number) =>
      subject.add({ name: 'A', linkedin_profile_url: `${URL}-${i}`, email: 'same@example.com' })
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => send(i)))
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201))
    const emails = (await subject.contacts()).map(({ email }) => email)
    expect(emails.filter(Boolean)).toEqual(['same@example.com'])
    expect(answers.filter(({ body }) => body.warnings?.[0].field === 'email')).toHaveLength(11)
  })

  test('at once in two campaigns is one contact in both', async () => {
    const subject = await makeSubject()
    const { id } = await makeCampaign(service.database, subject.accountId)
    const calls = Array.from({ length: 12 }, (_, i) =>
      i % 2 ? subject.add(PERSON) : subject.client.post(`/campaigns/${id}/contacts`, PERSON),
    )
    const answers = await Promise.all(calls)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    expect(await subject.contacts()).toHaveLength(1)
  })
})

test('goes on beside the deletion of the contact: it comes in anew, or is gone from the campaign', async () => {
  const subject = await makeSubject()
  for (let round = 0; round < 5; round++) {
    const { id } = await contact(subject, { linkedinProfileUrl: `${URL}-${round}` })
    const sent = { ...PERSON, linkedin_profile_url: `${URL}-${round}`, company: 'filled' }
    const calls = [subject.add(sent), subject.client.delete(`/contacts/${id}`), subject.add(sent), subject.add(sent)]
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses[1]).toBe(200)
    for (const status of statuses.toSpliced(1, 1)) expect([201, 409]).toContain(status)
  }
  const { contact: contacts, campaign_contact } = await dumpOf(service.database, subject.accountId)
  expect(contacts!.length).toBe(campaign_contact!.length)
})

describe('is refused', () => {
  const long = 'x'.repeat(256)
  test.each<[object | string, string[]]>([
    [{}, ['name', 'linkedin_profile_url']],
    [{ name: ' ', linkedin_profile_url: '' }, ['name', 'linkedin_profile_url']],
    [{ name: null, linkedin_profile_url: null }, ['name', 'linkedin_profile_url']],
    [{ ...PERSON, name: 5, email: 'nobody' }, ['name', 'email']],
    [{ ...PERSON, name: long, title: long, company: long, location: long }, ['name', 'title', 'company', 'location']],
    [{ ...PERSON, linkedin_profile_url: 'x'.repeat(2049), phone: '1'.repeat(41) }, ['linkedin_profile_url', 'phone']],
    [{ ...PERSON, about: 'x'.repeat(20_001), profile_picture: 'x'.repeat(2049) }, ['about', 'profile_picture']],
    [{ ...PERSON, extracted_contacts: [] }, ['extracted_contacts']],
    [{ ...PERSON, extracted_contacts: { emails: 'a@b.co' } }, ['extracted_contacts.emails']],
  ])('with %j', async (body, fields) => {
    const subject = await makeSubject()
    const before = await dumpOf(service.database, subject.accountId)
    const answer = await subject.add(body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('VALIDATION_ERROR')
    expect(answer.body.error.details.map(({ field }: { field: string }) => field).toSorted()).toEqual(fields.toSorted())
    expect(await dumpOf(service.database, subject.accountId)).toEqual(before)
  })

  test('with a campaign that is unknown, no id, of another account or deleted', async () => {
    const [subject, other] = [await makeSubject(), await makeSubject()]
    const deleted = await makeCampaign(service.database, subject.accountId, { deletedAt: new Date() })
    const before = [await dumpOf(service.database, subject.accountId), await dumpOf(service.database, other.accountId)]
    for (const id of [randomUUID(), 'none', other.campaignId, deleted.id]) {
      const { status, body } = await subject.client.post(`/campaigns/${id}/contacts`, PERSON)
      expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
      expect((await subject.client.post(`/campaigns/${id}/contacts`, {})).status).toBe(400) // input counts first
    }
    const after = [await dumpOf(service.database, subject.accountId), await dumpOf(service.database, other.accountId)]
    expect(after).toEqual(before)
  })

  test('without a key, and with one that may not write campaigns', async () => {
    const subject = await makeSubject()
    const before = await dumpOf(service.database, subject.accountId)
    const path = `/campaigns/${subject.campaignId}/contacts`
    expect((await createClient(service.origin).post(path, PERSON)).status).toBe(401)
    const keyWith = async (permission: string) => {
      const { secret } = await makeKey(service.database, subject.accountId, { permissions: [permission] })
      return createClient(service.origin, secret)
    }
    for (const permission of ['campaigns:read', 'contacts:*', 'settings:write']) {
      const { status, body } = await (await keyWith(permission)).post(path, PERSON)
      expect(status).toBe(403)
      expect(body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', required_permission: 'campaigns:write' })
    }
    const { api_key: _, ...kept } = await dumpOf(service.database, subject.accountId)
    const { api_key: __, ...had } = before
    expect(kept).toEqual(had)
    expect((await (await keyWith('campaigns:write')).post(path, PERSON)).status).toBe(201)
  })
})

test('takes at most eleven statements', async () => {
  const subject = await makeSubject()
  await contact(subject, { linkedinProfileUrl: URL })
  const sent = { ...PERSON, phone: '+5511911111111' }
  const { result, statements } = await service.statementsOf(() => subject.add(sent))
  expect(result.status).toBe(201)
  expect(statements.length).toBeLessThanOrEqual(11)
})
