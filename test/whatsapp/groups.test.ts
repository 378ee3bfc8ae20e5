import { setTimeout as delay } from 'node:timers/promises'
import { startInboxWorker } from '../../src/domains/inbox/index.js'
import { claimNotices, recordNotice } from '../../src/domains/inbox/record.service.js'
import { readWebhook } from '../../src/integrations/channels/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeOpportunity } from '../support/factories/opportunities.js'
import { makeContact, makeTenant } from '../support/factories.js'
import { type LocalWhatsApp, startLocalWhatsApp } from '../support/whatsapp/index.js'

let service: TestApp
let whatsapp: LocalWhatsApp
let now: number

beforeAll(async () => {
  const settings = { apiBase: 'http://127.0.0.1:9', appSecrets: ['secret'], verifyToken: 'token' }
  service = await startTestApp({ encryptionKey: Buffer.alloc(32), whatsapp: settings })
  const url = `${service.origin}/webhooks/whatsapp`
  const webhook = { url, appSecret: 'secret', verifyToken: 'token' }
  whatsapp = await startLocalWhatsApp({ clock: () => new Date(now), deliveries: 'manual', webhook })
})
beforeEach(() => {
  now = Date.parse('2026-03-01T10:00:00Z')
})
afterAll(async () => {
  await whatsapp.stop()
  await service.stop()
})

const rows = async <Row extends object>(sql: string, values: unknown[] = []) =>
  (await service.database.pool.query<Row>(sql, values)).rows
const waiting = async () => (await rows('select from channel_notice')).length

/** Has a worker record all that was told. */
async function record() {
  const faults: unknown[] = []
  const worker = startInboxWorker({ database: service.database, log: (error) => faults.push(error), pollMs: 5 })
  while ((await waiting()) > 0 && faults.length === 0) await delay(5)
  await worker.stop()
  expect(faults).toEqual([])
}

interface Shown {
  id: string
  status: string
  is_group: boolean
  group_name: string | null
  contact_id: string | null
  last_message_at: string | null
  updated_at: string
}

/** An account with a number; `told` waits until all is recorded. */
async function world() {
  const { client, accountId } = await makeTenant(service)
  const number = whatsapp.addNumber()
  await makeChannelAccount(service.database, accountId, { externalId: number.id })
  const conversations = async () => (await client.get('/conversations')).body.data as Shown[]
  const told = async (how = {}) => {
    await whatsapp.deliver(how)
    await record()
  }
  const named = async () => (await conversations()).map(({ group_name }) => group_name)
  return { client, accountId, number, conversations, named, told }
}

test('a new group is a conversation by its name, which nobody has written in', async () => {
  const { number, conversations, client, told } = await world()
  whatsapp.makesGroup(number, 'Buyers of Norte')
  await told()
  const [conversation, ...more] = await conversations()
  expect(more).toEqual([])
  expect(conversation).toMatchObject({
    ...{ is_group: true, group_name: 'Buyers of Norte', status: 'manual', contact_id: null, last_message_at: null },
  })
  expect((await client.get(`/conversations/${conversation!.id}`)).body.data.messages).toEqual([])
  expect((await client.get('/contacts')).body.data).toEqual([])
})

test('what is written in the group afterwards stands in that conversation', async () => {
  const { number, conversations, client, told } = await world()
  const group = whatsapp.makesGroup(number, 'Buyers')
  whatsapp.says(whatsapp.addPerson({ phone: '5511912340001', name: 'Ana' }), number, 'Oi', { group })
  await told()
  const [conversation, ...more] = await conversations()
  expect(more).toEqual([])
  expect(conversation).toMatchObject({ group_name: 'Buyers', last_message_at: expect.any(String) })
  const { messages } = (await client.get(`/conversations/${conversation!.id}`)).body.data
  expect(messages).toMatchObject([{ content: 'Oi' }])
})

test('a group that was written in before gets its name, and is neither open again nor younger for it', async () => {
  const { number, conversations, told, accountId } = await world()
  const group = whatsapp.addGroup('Y2Fwcm9vbQ')
  whatsapp.says(whatsapp.addPerson({ phone: '5511912340001' }), number, 'Oi', { group })
  await told()
  expect(await conversations()).toMatchObject([{ group_name: null }])
  await rows("update conversation set status = 'closed' where account_id = $1", [accountId])
  const [before] = await conversations()
  whatsapp.renamesGroup(number, group, 'Buyers')
  await told()
  const [after] = await conversations()
  expect(after).toMatchObject({ group_name: 'Buyers', status: 'closed', last_message_at: before!.last_message_at })
  expect(after!.updated_at > before!.updated_at).toBe(true)
})

test('the name that was given last is kept, whatever comes late or twice, and what is told again changes nothing', async () => {
  const { number, named, conversations, told } = await world()
  const group = whatsapp.makesGroup(number, 'first')
  now += 1000
  whatsapp.renamesGroup(number, group, 'second')
  now += 1000
  whatsapp.renamesGroup(number, group, 'third')
  await told({ shuffle: true, twice: true })
  expect(await named()).toEqual(['third'])
  const before = await conversations()
  whatsapp.renamesGroup(number, group, 'third')
  whatsapp.renamesGroup(number, group, 'late', { timestamp: String(now / 1000 - 1) })
  await told({ together: true })
  expect(await conversations()).toEqual(before)
  // Back to what it was called first: a name is late by its time, not by what it is.
  now += 1000
  whatsapp.renamesGroup(number, group, 'first')
  await told()
  expect(await named()).toEqual(['first'])
})

test('of two names of one second the one that was told last is kept', async () => {
  const { number, named, told } = await world()
  const group = whatsapp.makesGroup(number, 'first')
  whatsapp.renamesGroup(number, group, 'second')
  await told()
  expect(await named()).toEqual(['second'])
})

test('ten webhooks of names of one group at once leave one conversation with the last name', async () => {
  const { number, named, conversations, told } = await world()
  const group = whatsapp.makesGroup(number, 'name 0')
  for (let i = 1; i < 10; i++) {
    now += 1000
    whatsapp.renamesGroup(number, group, `name ${i}`)
  }
  await whatsapp.deliver({ shuffle: true })
  // More at once than a worker would let be, which keeps to the order in which they came.
  const notices = await rows<{ id: string; kind: 'whatsapp'; numberId: string; what: never }>(
    'select id, kind, number_id as "numberId", what from channel_notice order by id',
  )
  expect(notices).toHaveLength(10)
  await Promise.all(notices.map((notice) => recordNotice(service.database, { ...notice, attempts: 1 })))
  expect(await named()).toEqual(['name 9'])
  await told()
  expect(await conversations()).toHaveLength(1)
})

test('a group that was not made, and a name that was not taken, name nothing', async () => {
  const { number, named, told } = await world()
  whatsapp.makesGroup(number, 'not made', { fails: true })
  await told()
  expect(await named()).toEqual([])
  const group = whatsapp.makesGroup(number, 'Buyers')
  now += 1000
  whatsapp.renamesGroup(number, group, 'not taken', { fails: true })
  const profile_picture = { mime_type: 'image/jpeg', sha256: 'x' }
  whatsapp.tellGroup(number, 'group_settings_update', {
    type: 'group_settings_update',
    group_id: group,
    profile_picture,
  })
  whatsapp.tellGroup(number, 'group_lifecycle_update', { type: 'group_delete', group_id: group })
  await told()
  expect(await named()).toEqual(['Buyers'])
})

test('the group of another account that has the same id is another one, and so is that of another number', async () => {
  const [one, other] = [await world(), await world()]
  const second = whatsapp.addNumber()
  await makeChannelAccount(service.database, one.accountId, { externalId: second.id })
  const id = whatsapp.makesGroup(one.number, 'of one')
  whatsapp.makesGroup(second, 'of its second number', { id })
  whatsapp.makesGroup(other.number, 'of the other', { id })
  whatsapp.makesGroup(whatsapp.addNumber(), 'of nobody', { id })
  await one.told({ together: true })
  expect((await one.named()).toSorted()).toEqual(['of its second number', 'of one'])
  expect(await other.named()).toEqual(['of the other'])
})

test('a name is kept as one line that can be stored, and nothing of who is in the group', async () => {
  const { number, named, told } = await world()
  const subject = `Buyers\n\u0007 of\t Norte 🏡${'x'.repeat(60)}`
  const group = whatsapp.makesGroup(number, subject)
  const added_participants = [{ input: '5511912340009', wa_id: '5511912340009' }]
  const more = { type: 'group_create', group_id: group, subject, added_participants }
  whatsapp.tellGroup(number, 'group_lifecycle_update', more)
  await whatsapp.deliver()
  expect(JSON.stringify(await rows('select what from channel_notice'))).not.toContain('5511912340009')
  await told()
  expect(await named()).toEqual([`Buyers of Norte 🏡${'x'.repeat(60)}`])
})

test.each([
  ['without an id', { group_id: undefined }],
  ['with an id that is none', { group_id: 'a b' }],
  ['without a subject', { subject: undefined }],
  ['with a subject of blanks', { subject: ' \n ' }],
  ['with a subject that is no text', { subject: { text: 'Buyers' } }],
  ['that is no object', 'group'],
])('a group %s tells nothing', (_, change) => {
  const group = { group_id: 'Y2F', type: 'group_create', request_id: 'A', timestamp: '1750000000', subject: 'Buyers' }
  const telling = (groups: unknown, field = 'group_lifecycle_update') => {
    const value = { messaging_product: 'whatsapp', metadata: { phone_number_id: '1' }, groups }
    return readWebhook({ object: 'whatsapp_business_account', entry: [{ changes: [{ field, value }] }] })
  }
  expect(telling([typeof change === 'string' ? change : { ...group, ...change }])).toEqual([])
  expect(telling(group)).toEqual([])
  expect(telling([group], 'group_participants_update')).toEqual([])
  expect(telling([group])).toMatchObject([{ numberId: '1', lane: '1 Y2F', what: { about: 'group', name: 'Buyers' } }])
  const long = telling([{ ...group, subject: 'é'.repeat(300), timestamp: '99999999999' }])
  expect(long).toMatchObject([{ what: { name: 'é'.repeat(255) } }])
  expect((long[0]!.what.at as string) <= new Date().toISOString()).toBe(true)
})

describe('a contact whose opportunity a group is about, and who is erased,', () => {
  /** A group that is about Ana's opportunity, and its next name, which nobody has recorded. */
  async function aboutAna() {
    const made = await world()
    const { number, accountId, told, client } = made
    const group = whatsapp.makesGroup(number, 'a secret of Ana')
    await told()
    const ana = await makeContact(service.database, accountId, { name: 'Ana' })
    const { id } = await makeOpportunity(service.database, accountId, { contact: ana })
    await rows('update conversation set opportunity_id = $2 where account_id = $1', [accountId, id])
    now += 1000
    whatsapp.renamesGroup(number, group, 'a second secret of Ana')
    whatsapp.makesGroup(number, 'Others')
    whatsapp.says(whatsapp.addPerson({ phone: '5511912340002' }), number, 'of Bia', { group })
    await whatsapp.deliver()
    const erase = async () => expect((await client.call('DELETE', `/contacts/${ana.id}`)).status).toBe(200)
    return { ...made, group, erase }
  }
  const kept = async () =>
    (await rows("select from conversation where group_name like '%secret%'")).length +
    (await rows("select from channel_notice where what::text like '%secret%'")).length

  test('takes along what it was called, and what it is called next, and nothing of others', async () => {
    const { erase, told, named, number, group } = await aboutAna()
    expect(await kept()).toBe(2)
    await erase()
    expect(await kept()).toBe(0)
    expect(await waiting()).toBe(2)
    await told()
    // The one that was erased, the other group, and the group anew, with what Bia has written.
    expect((await named()).toSorted()).toEqual(['Others', null, null])
    now += 1000
    whatsapp.renamesGroup(number, group, 'after it')
    await told()
    expect((await named()).toSorted()).toEqual(['Others', 'after it', null])
  })

  test('does not leave it to who had claimed the name before', async () => {
    const { erase, told } = await aboutAna()
    const claimed = await claimNotices(service.database, 64)
    expect(JSON.stringify(claimed)).toContain('a second secret')
    await erase()
    for (const notice of claimed) await recordNotice(service.database, notice)
    expect(await kept()).toBe(0)
    await rows("update channel_notice set due_at = now() - interval '1 s'")
    await told()
    expect(await kept()).toBe(0)
  })

  test('does not leave it to who records the name at the same moment', async () => {
    const { erase, told } = await aboutAna()
    const [claimed] = (await claimNotices(service.database, 64)).filter(({ what }) => what.about === 'group')
    await Promise.all([erase(), recordNotice(service.database, claimed!)])
    expect(await kept()).toBe(0)
    await rows("update channel_notice set due_at = now() - interval '1 s'")
    await told()
    expect(await kept()).toBe(0)
  })
})
