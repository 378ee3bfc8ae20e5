import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { BEGINNING, COPIED, type Copy, waysOf } from '../support/copying.js'
import { defaultPipelineOf } from '../support/factories/pipelines.js'
import { makeTenant, type Tenant } from '../support/factories.js'

const FULL = process.env.FULL === 'true'
const STORM_MS = FULL ? 30_000 : 3500
const WRITERS = 5
const READERS_OF_A_WAY = 2
const LIMIT = 7
const RECORDS = 60

let services: TestApp[]
beforeAll(async () => {
  const first = await startTestApp({ poolSize: 20 })
  services = [first, await startTestApp({ poolSize: 20 }, undefined, first)]
})
afterAll(async () => {
  for (const service of services.toReversed()) await service.stop()
})

const GONE = '23503' // the conversation was deleted while a message of it was stored
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const some = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!

interface Writes {
  insert: string
  change: string
  remove: string
}

/** How records of each list come, change and go: `$1` is the account, `$2` the record or what a new one needs. */
const WRITES: Record<keyof typeof COPIED, Writes> = {
  contacts: {
    insert: `insert into contact (id, account_id, name) values (gen_random_uuid(), $1, coalesce($2, 'x')) returning id`,
    change: 'update contact set company = gen_random_uuid()::text where account_id = $1 and id = $2',
    remove: 'delete from contact where account_id = $1 and id = $2',
  },
  opportunities: {
    insert: `insert into opportunity (id, account_id, title, currency, pipeline_id, stage_id)
      select gen_random_uuid(), $1, 'x', 'BRL', s.pipeline_id, s.id from stage s where s.id = $2 returning id`,
    change: 'update opportunity set notes = gen_random_uuid()::text where account_id = $1 and id = $2',
    remove: 'delete from opportunity where account_id = $1 and id = $2',
  },
  conversations: {
    insert: `with c as (insert into conversation (id, account_id, channel) values (gen_random_uuid(), $1,
      coalesce($2, 'WHATSAPP')) returning id, account_id) select id from c`,
    change: `insert into message (id, account_id, conversation_id, sender_type, content, channel, sent_at)
      select gen_random_uuid(), $1, id, 'lead', 'Hello', 'WHATSAPP', now() - interval '1 day' from conversation
      where account_id = $1 and id = $2`,
    remove: 'delete from conversation where account_id = $1 and id = $2',
  },
}

/** Writes of all kinds until a time, each in a transaction that takes a while: most to what was read of late. */
async function storm(kind: keyof typeof COPIED, tenant: Tenant, ids: string[], read: Copy, until: number) {
  const { insert, change, remove } = WRITES[kind]
  const given = kind === 'opportunities' ? await stageOf(tenant) : null
  const { pool } = services[0]!.database
  let writes = 0
  // On a busy machine the storm takes longer, but is none the less one.
  while (Date.now() < until || writes <= RECORDS / WRITERS) {
    const client = await pool.connect()
    try {
      await client.query('begin')
      const dice = Math.random()
      const known = [...read.keys()].slice(-20)
      const id = dice < 0.7 && known.length > 0 ? some(known) : some(ids)
      if (dice < 0.15) {
        const { rows } = await client.query(insert, [tenant.accountId, given])
        if (kind === 'conversations') await client.query(change, [tenant.accountId, rows[0].id])
        ids.push(rows[0].id)
      } else await client.query(dice < 0.3 ? remove : change, [tenant.accountId, id])
      await pause(Math.random() * 30)
      await client.query('commit')
      writes++
    } catch (error) {
      await client.query('rollback')
      if ((error as { code?: string }).code !== GONE) throw error
    } finally {
      client.release()
    }
    await pause(Math.random() * 10)
  }
  return writes
}

const stageOf = async ({ accountId }: Tenant) =>
  (await defaultPipelineOf(services[0]!.database, accountId)).stageIds[0]!

test.each(Object.keys(COPIED) as (keyof typeof COPIED)[])(
  'copies of %s lose nothing while what was read is changed and deleted',
  async (kind) => {
    const tenant = await makeTenant(services[0]!)
    const { pool } = services[0]!.database
    const given = kind === 'opportunities' ? await stageOf(tenant) : null
    const ids: string[] = []
    for (let i = 0; i < RECORDS; i++) {
      const { rows } = await pool.query(WRITES[kind].insert, [tenant.accountId, given])
      if (kind === 'conversations') await pool.query(WRITES[kind].change, [tenant.accountId, rows[0].id])
      ids.push(rows[0].id)
    }
    // Each call goes to whichever process has time for it.
    const clients = services.map(({ origin }) => createClient(origin, tenant.key))
    const client = () => some(clients)
    const until = Date.now() + STORM_MS
    const readers = Object.entries(waysOf(COPIED[kind], LIMIT)).flatMap(([way, run]) =>
      Array.from({ length: READERS_OF_A_WAY }, () => ({ way, run, copy: new Map() as Copy, from: BEGINNING })),
    )
    const read: Copy = new Map()
    const writing = Array.from({ length: WRITERS }, () => storm(kind, tenant, ids, read, until))
    let storming = true
    const written = Promise.all(writing).finally(() => {
      storming = false
    })
    const reading = readers.map(async (reader) => {
      do {
        reader.from = await reader.run(client, reader.from, reader.copy)
        for (const [id, at] of [...reader.copy].slice(-LIMIT)) read.set(id, at)
        await pause(Math.random() * 20)
      } while (storming)
    })
    const [writes] = await Promise.all([written, ...reading])
    for (const reader of readers) await reader.run(client, reader.from, reader.copy)

    const { table, column } = { ...TABLES[kind] }
    const { rows: left } = await pool.query<{ id: string; at: string }>(
      `select id, ${column} as at from ${table} where account_id = $1`,
      [tenant.accountId],
    )
    expect(left.length).toBeGreaterThan(LIMIT)
    expect(writes.reduce((sum, each) => sum + each)).toBeGreaterThan(RECORDS)
    for (const { way, copy } of readers) {
      const lost = left.filter(({ id, at }) => copy.get(id) !== at)
      expect({ way, lost }).toEqual({ way, lost: [] })
    }
  },
  120_000,
)

const TABLES = {
  contacts: { table: 'contact', column: 'updated_at' },
  opportunities: { table: 'opportunity', column: 'updated_at' },
  conversations: { table: 'conversation', column: 'last_message_at' },
}
