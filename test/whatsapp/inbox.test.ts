import { setTimeout as delay } from 'node:timers/promises'
import { startInboxWorker } from '../../src/domains/inbox/index.js'
import { claimNotices, recordNotice } from '../../src/domains/inbox/record.service.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeChannelAccount } from '../support/factories/channels.js'
import { makeTenant } from '../support/factories.js'
import { type LocalWhatsApp, type Person, startLocalWhatsApp } from '../support/whatsapp/index.js'

let service: TestApp
let whatsapp: LocalWhatsApp
const now = Date.parse('2026-03-01T10:00:00Z')

beforeEach(async () => {
  const settings = { apiBase: 'http://127.0.0.1:9', appSecrets: ['secret'], verifyToken: 'token' }
  service = await startTestApp({ encryptionKey: Buffer.alloc(32), whatsapp: settings })
  const url = `${service.origin}/webhooks/whatsapp`
  const webhook = { url, appSecret: 'secret', verifyToken: 'token' }
  whatsapp = await startLocalWhatsApp({ clock: () => new Date(now), deliveries: 'manual', webhook })
})
afterEach(async () => {
  await whatsapp.stop()
  await service.stop()
})

const rows = async <Row extends object>(sql: string, values: unknown[] = []) =>
  (await service.database.pool.query<Row>(sql, values)).rows
const waiting = () => rows<{ what: { content: string }; attempts: number }>('select * from channel_notice order by id')

/** Waits for something to be so. */
async function until(so: () => Promise<boolean>) {
  for (const end = Date.now() + 20_000; Date.now() < end; await delay(10)) if (await so()) return
  throw new Error('it never was so')
}

/** An account with a number, and people who write to it; nothing is recorded yet. */
async function told(...saying: [name: string, texts: string[]][]) {
  const { accountId, client } = await makeTenant(service)
  const number = whatsapp.addNumber()
  await makeChannelAccount(service.database, accountId, { externalId: number.id })
  const people = saying.map(([name], i) => whatsapp.addPerson({ phone: `551191234000${i}`, name }))
  // In turns, as people write at the same time.
  for (let i = 0; saying.some(([, texts]) => i < texts.length); i++) {
    for (const [who, [, texts]] of saying.entries()) {
      const text = texts[i]
      if (text !== undefined) whatsapp.says(people[who]!, number, text)
    }
  }
  await whatsapp.deliver({ together: true })
  return { client, number, people }
}

/** What is recorded of a person, in its order. */
const textsOf = async (name: string) => {
  const found = await rows<{ content: string }>(
    `select m.content from message m join conversation c on c.id = m.conversation_id join contact p on p.id = c.contact_id
     where p.name = $1 order by m.sent_at, m.id`,
    [name],
  )
  return found.map(({ content }) => content)
}

const workers = (count: number, log: (error: unknown) => void) =>
  Array.from({ length: count }, () => startInboxWorker({ database: service.database, log, pollMs: 5 }))

/** Has workers record until nothing waits. */
async function recordAll(count = 1) {
  const faults: unknown[] = []
  const all = workers(count, (error) => faults.push(error))
  await until(async () => (await waiting()).length === 0)
  await Promise.all(all.map((worker) => worker.stop()))
  expect(faults).toEqual([])
}

// A second ago, since a time is kept to the millisecond and rounded up it would not have come yet.
const leaseEnds = () => rows(`update channel_notice set due_at = now() - interval '1 s'`)
const texts = (count: number, what = 'number') => Array.from({ length: count }, (_, i) => `${what} ${i}`)

describe('a worker that dies', () => {
  test('before it has claimed leaves what was stored to the next', async () => {
    await told(['Ana', texts(3)])
    expect(await textsOf('Ana')).toEqual([])
    expect(await waiting()).toHaveLength(3)
    await recordAll()
    expect(await textsOf('Ana')).toEqual(texts(3))
  })

  test('before it has recorded what it claimed leaves that alone to its time, then to the next', async () => {
    await told(['Ana', texts(3)], ['Bia', texts(1, 'of Bia')])
    expect(await claimNotices(service.database, 1)).toMatchObject([{ what: { content: 'number 0' } }])
    const [worker] = workers(1, () => {})
    await until(async () => (await textsOf('Bia')).length === 1)
    await worker!.stop()
    expect(await textsOf('Ana')).toEqual([])
    await leaseEnds()
    await recordAll()
    expect(await textsOf('Ana')).toEqual(texts(3))
  })

  test('after it has recorded, and before that was noted, has it recorded once', async () => {
    await told(['Ana', texts(3)])
    const [claimed] = await claimNotices(service.database, 64)
    await recordNotice(service.database, claimed!)
    expect(await textsOf('Ana')).toEqual(['number 0'])
    expect(await waiting()).toHaveLength(3)
    await leaseEnds()
    await recordAll()
    expect(await textsOf('Ana')).toEqual(texts(3))
  })
})

test('two that record the same at one time, since it took one too long, record it once', async () => {
  await told(['Ana', texts(1)])
  const [first] = await claimNotices(service.database, 1)
  await leaseEnds()
  const [second] = await claimNotices(service.database, 1)
  expect(second).toMatchObject({ id: first!.id, attempts: 2 })
  await Promise.all([recordNotice(service.database, first!), recordNotice(service.database, second!)])
  expect(await textsOf('Ana')).toEqual(texts(1))
})

test('several workers share what waits, and what each person wrote stays in its order', async () => {
  const names = ['Ana', 'Bia', 'Caio', 'Davi', 'Eva', 'Fabio']
  await told(...names.map((name): [string, string[]] => [name, texts(20, name)]))
  await recordAll(4)
  for (const name of names) expect(await textsOf(name)).toEqual(texts(20, name))
})

test('what cannot be recorded holds up what the same person wrote after it, and nobody else', async () => {
  await rows(`create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`)
  await rows(`create trigger refuse before insert on message for each row when (new.content = 'number 1')
    execute function refuse()`)
  await told(['Ana', texts(3)], ['Bia', texts(10, 'of Bia')])
  const faults: string[] = []
  const all = workers(2, (error) => faults.push(String(error)))
  await until(async () => faults.length > 0 && (await textsOf('Bia')).length === 10)
  expect(await textsOf('Ana')).toEqual(['number 0'])
  expect((await waiting()).map(({ what }) => what.content)).toEqual(['number 1', 'number 2'])
  await rows('drop trigger refuse on message')
  await until(async () => (await waiting()).length === 0)
  await Promise.all(all.map((worker) => worker.stop()))
  expect(faults[0]).toContain('not now')
  expect(await textsOf('Ana')).toEqual(texts(3))
})

describe('a contact that is erased', () => {
  const stored = () => rows<{ text: string }>('select what::text as text from channel_notice order by id')
  const contactIds = async () =>
    (await rows<{ id: string }>('select id from contact order by created_at')).map(({ id }) => id)

  /** Ana and Bia are known, and have written again since. */
  async function writtenAgain() {
    const { client, number, people } = await told(['Ana', ['first']], ['Bia', ['of Bia']])
    await recordAll()
    const [ana, bia] = people as [Person, Person]
    whatsapp.says(ana, number, 'a secret')
    whatsapp.says({ ...ana, hidden: true }, number, 'a second secret')
    whatsapp.says(bia, number, 'of Bia again')
    whatsapp.receipt({ id: whatsapp.world.messageId(), numberId: number.id, to: ana, body: {}, at: now }, 'delivered')
    await whatsapp.deliver()
    const [row] = await rows<{ id: string }>("select id from contact where name = 'Ana'")
    return { ana, erase: () => client.call('DELETE', `/contacts/${row!.id}`) }
  }

  test('takes along what she sent and nobody has recorded, by phone and by user id, and nothing of others', async () => {
    const { ana, erase } = await writtenAgain()
    expect(await stored()).toHaveLength(4)
    expect((await erase()).status).toBe(200)
    const left = await stored()
    expect(left).toMatchObject([
      { text: expect.stringContaining('of Bia again') },
      { text: expect.stringContaining('"recipient": {}') },
    ])
    expect(JSON.stringify(left)).not.toMatch(new RegExp(`secret|${ana.waId}|${ana.userId}`))
    await recordAll()
    expect(await textsOf('Bia')).toEqual(['of Bia', 'of Bia again'])
    expect(await contactIds()).toHaveLength(1)
    expect(await rows("select from message where content like '%secret%'")).toEqual([])
  })

  test('is not made anew by what a worker had claimed before', async () => {
    const { erase } = await writtenAgain()
    const claimed = await claimNotices(service.database, 64)
    expect(claimed.map(({ what }) => 'content' in what && what.content)).toContain('a secret')
    expect((await erase()).status).toBe(200)
    for (const notice of claimed) await recordNotice(service.database, notice)
    expect(await contactIds()).toHaveLength(1)
    expect(await rows("select from message where content like '%secret%'")).toEqual([])
  })

  test('is known anew once she writes after it', async () => {
    const { client, number, people } = await told(['Ana', ['first']])
    await recordAll()
    expect((await client.call('DELETE', `/contacts/${(await contactIds())[0]}`)).status).toBe(200)
    whatsapp.says(people[0]!, number, 'after it')
    await whatsapp.deliver()
    await recordAll()
    expect(await textsOf('Ana')).toEqual(['after it'])
  })
})
