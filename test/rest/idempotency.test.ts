import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type App, startApp } from '../../src/app.js'
import { readConfig } from '../../src/config.js'
import { once, Scope, sweepIdempotencyRecords } from '../../src/database/index.js'
import { createLogger } from '../../src/http/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Answer, type Client, createClient } from '../support/client.js'
import { makeKey, makeTag, makeTenant } from '../support/factories.js'
import { hold as holdAccount, untilHeld } from '../support/holding.js'

const TTL_HOURS = 24
const STRICT = { Prefer: 'handling=strict' }

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ idempotencyTtlHours: TTL_HOURS })
})
afterAll(() => service.stop())

const totalOf = async (client: Client): Promise<number> => (await client.get('/contacts')).body.pagination.total
const faultsOf = ({ status, body }: Answer) => ({ status, code: body.error?.code, details: body.error?.details })
const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'
const create = (client: Client, key: string, body: unknown = { name: 'Ana' }, headers: Record<string, string> = {}) =>
  client.post('/contacts', body, { 'Idempotency-Key': key, ...headers })

/** Calls that all were answered as the first, whose contact is the account's only one. */
async function expectOneContact(client: Client, answers: Answer[]): Promise<void> {
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers[0]!.status).toBe(201)
  expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1)
  expect((await client.get('/contacts')).body.data).toEqual([answers[0]!.body.data])
}

describe('a key', () => {
  test.each([
    ['one character', '!'],
    ['255 characters', 'k'.repeat(255)],
    ['every visible character', '!"#$%&\'()*+,-./0123456789:;<=>?@A[\\]^_`a{|}~'],
  ])('may be %s', async (_, key) => {
    const { client } = await makeTenant(service)
    await expectOneContact(client, [await create(client, key), await create(client, key)])
  })

  test.each([
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['with a tab', 'a\tb'],
    ['with a letter outside ASCII', 'chav\u00e9'],
    ['given twice', 'a, b'],
  ])('%s is refused by name', async (_, key) => {
    const { client } = await makeTenant(service)
    const answer = await create(client, key)
    const details = [{ field: 'Idempotency-Key', message: expect.any(String) }]
    expect(faultsOf(answer)).toEqual({ status: 400, code: 'VALIDATION_ERROR', details })
    expect(await totalOf(client)).toBe(0)
  })

  test('that is refused is named together with what is wrong in the body', async () => {
    const { client } = await makeTenant(service)
    const { details } = faultsOf(await create(client, 'a b', { name: '', email: 'x' }))
    const named = details.map(({ field }: { field: string }) => field)
    expect(named.toSorted()).toEqual(['Idempotency-Key', 'email', 'name'])
  })

  test('works on whatever is created or changed', async () => {
    const { client } = await makeTenant(service)
    const { id } = (await client.post('/contacts', { name: 'Ana' })).body.data
    const headers = { 'Idempotency-Key': 'k' }
    const put = (name: string) => client.put(`/contacts/${id}`, { name }, headers)
    const first = await put('Eva')
    await client.put(`/contacts/${id}`, { name: 'Ida' })
    const again = await put('Eva')
    expect([again.status, again.text, isReplay(first), isReplay(again)]).toEqual([200, first.text, false, true])
    expect((await client.get(`/contacts/${id}`)).body.data.name).toBe('Ida')
    expect((await put('Ana')).status).toBe(422)
  })

  test('is told to have no effect where there is none', async () => {
    const { client } = await makeTenant(service)
    const { id } = (await client.post('/contacts', { name: 'Ana' })).body.data
    const headers = { 'Idempotency-Key': 'k' }
    const field = 'Idempotency-Key'
    const read = await client.get('/contacts', headers)
    expect(read.body.warnings).toEqual([{ field, message: 'has no effect on GET and was ignored' }])
    const strict = await client.delete(`/contacts/${id}`, { ...headers, ...STRICT })
    expect(faultsOf(strict).details).toEqual([{ field, message: 'has no effect on DELETE' }])
    const deleted = await client.delete(`/contacts/${id}`, headers)
    expect([deleted.status, deleted.body.warnings]).toEqual([
      200,
      [{ field, message: 'has no effect on DELETE and was ignored' }],
    ])
  })
})

describe('a repeat', () => {
  test('has the status and the very bytes of the first answer, and a request id of its own', async () => {
    const { accountId, client } = await makeTenant(service)
    const tag = await makeTag(service.database, accountId, { name: 'Ü "quoted"' })
    const sent = { name: 'Zoë \u2028 😀', custom_fields: { b: 1.5e-7, a: ['<&>', null] }, tags: [tag.id] }
    const first = await create(client, 'k', sent, { 'X-Request-Id': 'first' })
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
    for (const id of ['second', 'third']) {
      const repeat = await create(client, 'k', sent, { 'X-Request-Id': id })
      expect([repeat.status, repeat.text, isReplay(repeat)]).toEqual([201, first.text, true])
      expect(repeat.headers.get('x-request-id')).toBe(id)
      expect(repeat.headers.get('content-type')).toBe(first.headers.get('content-type'))
    }
    expect(await totalOf(client)).toBe(1)
  })

  test('counts against the allowance like any call', async () => {
    const { client } = await makeTenant(service, { rateLimit: 3 })
    const remaining = [await create(client, 'k'), await create(client, 'k'), await create(client, 'k')].map(
      ({ headers }) => headers.get('x-ratelimit-remaining'),
    )
    expect(remaining).toEqual(['2', '1', '0'])
    expect((await create(client, 'k')).status).toBe(429)
  })

  test('may spell the body in another way', async () => {
    const { client } = await makeTenant(service)
    const spellings = [
      '{"name":"Ana","company":"Acme","custom_fields":{"a":{"x":1,"y":[{"p":1,"q":2}]},"10":0,"9":0}}',
      '{ "custom_fields" : {"9":0, "10":0, "a":{"y":[{"q":2, "p":1.0}], "x":1}},\n "company":"A\\u0063me", "name":"Ana" }',
    ]
    await expectOneContact(client, [await create(client, 'k', spellings[0]), await create(client, 'k', spellings[1])])
  })

  test.each<[string, unknown]>([
    ['another value', { name: 'Eva', custom_fields: { a: [1, 2] } }],
    ['a further member', { name: 'Ana', custom_fields: { a: [1, 2] }, company: 'Acme' }],
    ['a further member that is null', { name: 'Ana', custom_fields: { a: [1, 2] }, company: null }],
    ['a member less', { name: 'Ana' }],
    ['a list in another order', { name: 'Ana', custom_fields: { a: [2, 1] } }],
    ['a number for a text', { name: 'Ana', custom_fields: { a: ['1', 2] } }],
    ['a member that is unknown', { name: 'Ana', custom_fields: { a: [1, 2] }, nickname: 'An' }],
    ['an own __proto__', '{"name":"Ana","custom_fields":{"a":[1,2],"__proto__":{}}}'],
  ])('with %s is refused, and nothing happens', async (_, other) => {
    const { client } = await makeTenant(service)
    const first = await create(client, 'k', { name: 'Ana', custom_fields: { a: [1, 2] } })
    expect(first.status).toBe(201)
    const refused = await create(client, 'k', other)
    expect(faultsOf(refused)).toEqual({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED', details: undefined })
    expect(isReplay(refused)).toBe(false)
    expect((await client.get('/contacts')).body.data).toEqual([first.body.data])
  })

  test('with a body that cannot be read hears what is wrong with it', async () => {
    const { client } = await makeTenant(service)
    await create(client, 'k')
    expect(faultsOf(await create(client, 'k', { name: 7 }))).toMatchObject({
      status: 400,
      details: [{ field: 'name' }],
    })
    expect((await create(client, 'k', '{ malformed')).status).toBe(400)
  })

  test('by a key that may not write learns nothing', async () => {
    const { accountId, client } = await makeTenant(service)
    await create(client, 'k')
    const { secret } = await makeKey(service.database, accountId, { permissions: ['contacts:read'] })
    expect((await create(createClient(service.origin, secret), 'k')).status).toBe(403)
    expect((await create(createClient(service.origin), 'k')).status).toBe(401)
  })

  test('replays the warnings of the first answer', async () => {
    const { client } = await makeTenant(service)
    const sent = { name: 'Ana', nickname: 'An' }
    const answers = [await create(client, 'k', sent), await create(client, 'k', sent)]
    expect(answers[0]!.body.warnings).toEqual([{ field: 'nickname', message: expect.any(String) }])
    await expectOneContact(client, answers)
  })

  test('of a strict caller is refused for what would warn, and replayed otherwise', async () => {
    const { client } = await makeTenant(service)
    const odd = { name: 'Ana', nickname: 'An' }
    expect((await create(client, 'odd', odd, STRICT)).status).toBe(400)
    const lenient = await create(client, 'odd', odd)
    expect([lenient.status, isReplay(lenient)]).toEqual([201, false]) // the refusal was not remembered
    expect(faultsOf(await create(client, 'odd', odd, STRICT))).toMatchObject({
      status: 400,
      details: [{ field: 'nickname' }],
    })
    const first = await create(client, 'plain', { name: 'Eva' })
    const strict = await create(client, 'plain', { name: 'Eva' }, STRICT)
    expect([strict.status, strict.text, isReplay(strict)]).toEqual([201, first.text, true])
    expect(strict.headers.get('preference-applied')).toBe('handling=strict')
  })

  test('shows the contact as it was created, whatever became of it since', async () => {
    const { client } = await makeTenant(service)
    const first = await create(client, 'k')
    await client.put(`/contacts/${first.body.data.id}`, { name: 'Eva' })
    expect((await create(client, 'k')).text).toBe(first.text)
  })
})

describe('the scope of a key', () => {
  test('is the account: two API keys of it share it', async () => {
    const { accountId, client } = await makeTenant(service)
    const { secret } = await makeKey(service.database, accountId)
    await expectOneContact(client, [await create(client, 'k'), await create(createClient(service.origin, secret), 'k')])
  })

  test('is the account: another one may use the same key for something else', async () => {
    const clients = [(await makeTenant(service)).client, (await makeTenant(service)).client]
    for (const [i, client] of clients.entries()) {
      await expectOneContact(client, [
        await create(client, 'k', { name: `Ana ${i}` }),
        await create(client, 'k', { name: `Ana ${i}` }),
      ])
    }
  })

  test('is the operation: another one may use the same key', async () => {
    const { accountId } = await makeTenant(service)
    const run = (operation: string, body: string) => {
      const call = { operation, key: 'k', requestHash: Buffer.from('hash') }
      return once(Scope.ofSystem(service.database, accountId), call, TTL_HOURS, async () => ({ status: 201, body }))
    }
    expect(await run('CreateThis', 'this')).toEqual({ kind: 'fresh', status: 201, body: 'this' })
    expect(await run('CreateThat', 'that')).toEqual({ kind: 'fresh', status: 201, body: 'that' })
    expect(await run('CreateThis', 'again')).toEqual({ kind: 'replayed', status: 201, body: 'this' })
  })

  test('tells keys apart by case', async () => {
    const { client } = await makeTenant(service)
    for (const key of ['k', 'K']) expect(isReplay(await create(client, key))).toBe(false)
    expect(await totalOf(client)).toBe(2)
  })
})

describe('a failed call', () => {
  test('for its input is not remembered', async () => {
    const { client } = await makeTenant(service)
    expect((await create(client, 'k', { name: '' })).status).toBe(400)
    expect((await create(client, 'k', { name: 'Ana', tags: [randomUUID()] })).status).toBe(400)
    await expectOneContact(client, [await create(client, 'k'), await create(client, 'k')])
  })

  test('for a conflict is not remembered', async () => {
    const { client } = await makeTenant(service)
    const { id } = (await client.post('/contacts', { name: 'Ana', email: 'ana@x.test' })).body.data
    const sent = { name: 'Eva', email: 'ana@x.test' }
    for (let i = 0; i < 2; i++) {
      const refused = await create(client, 'k', sent)
      expect([refused.status, isReplay(refused)]).toEqual([409, false])
    }
    await client.delete(`/contacts/${id}`)
    await expectOneContact(client, [await create(client, 'k', sent), await create(client, 'k', sent)])
  })

  /** Makes the transaction of whoever stores a row of the account fail at its very end; returns how to undo that. */
  const failAtCommit = async (table: string, accountId: string) => {
    const name = `fail_${accountId.replaceAll('-', '')}`
    await service.database.pool.query(`
      create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'hindered'; end $$;
      create constraint trigger ${name} after insert on ${table} deferrable initially deferred
        for each row when (new.account_id = '${accountId}') execute function ${name}()`)
    return () => service.database.pool.query(`drop function ${name} cascade`)
  }

  test.each(['contact', 'idempotency_record'])(
    'stores neither contact nor key when %s fails at the commit',
    async (table) => {
      const { accountId, client } = await makeTenant(service)
      const release = await failAtCommit(table, accountId)
      const failed = await create(client, 'k')
      expect(faultsOf(failed)).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' })
      expect(failed.text).not.toContain('hindered')
      expect(await totalOf(client)).toBe(0)
      const kept = await service.database.pool.query('select from idempotency_record where account_id = $1', [
        accountId,
      ])
      expect(kept.rowCount).toBe(0)
      await release()
      await expectOneContact(client, [await create(client, 'k'), await create(client, 'k')])
    },
  )
})

const hold = (accountId: string, url = service.databaseUrl) => holdAccount(accountId, url)

describe('repeats at the same time', () => {
  test('create one contact and all get its answer', async () => {
    const { client } = await makeTenant(service)
    const sent = { name: 'Ana', email: 'ana@x.test' }
    await expectOneContact(client, await Promise.all(Array.from({ length: 20 }, () => create(client, 'k', sent))))
  })

  test('of different keys with one email create one contact, and the others conflict', async () => {
    const { client } = await makeTenant(service)
    const sent = { name: 'Ana', email: 'ana@x.test' }
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => create(client, `k${i}`, sent)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(19).fill(409)])
    expect(await totalOf(client)).toBe(1)
  })

  test('with another body are refused once the first is done, not before', async () => {
    const { accountId, client } = await makeTenant(service)
    const release = await hold(accountId)
    const first = create(client, 'k')
    await untilHeld(service.database)
    const other = create(client, 'k', { name: 'Eva' })
    expect(await Promise.race([other, delay(100, 'waits')])).toBe('waits')
    await release()
    expect((await first).status).toBe(201)
    expect((await other).status).toBe(422)
  })

  test('go on when the first fails: one of them runs, the others wait for it and replay', async () => {
    const { accountId, client } = await makeTenant(service)
    const name = `hindrance_${accountId.replaceAll('-', '')}`
    await service.database.pool.query(`
      create sequence ${name};
      create function ${name}() returns trigger language plpgsql security definer as $$ begin
        perform pg_sleep(0.2);
        if nextval('public.${name}') = 1 then raise exception 'hindered'; end if;
        return new; end $$;
      create trigger ${name} before insert on contact for each row when (new.account_id = '${accountId}')
        execute function ${name}()`)
    const { result, statements } = await service.statementsOf(() =>
      Promise.all(Array.from({ length: 20 }, () => create(client, 'k'))),
    )
    const [failed, ...more] = result.filter(({ status }) => status !== 201)
    expect([failed!.status, more]).toEqual([500, []])
    await expectOneContact(
      client,
      result.filter((answer) => answer !== failed),
    )
    // Nobody asks the database again and again whether it is his turn.
    expect(statements.filter((text) => text.includes('claim_idempotency_key'))).toHaveLength(19)
  })

  test('hold no connection while they wait', async () => {
    const small = await startTestApp({ poolSize: 2 })
    try {
      const { accountId, client } = await makeTenant(small)
      const release = await hold(accountId, small.databaseUrl)
      const first = create(client, 'k')
      await untilHeld(small.database)
      const repeats = Array.from({ length: 20 }, () => create(client, 'k'))
      await delay(100)
      const before = Date.now()
      for (let i = 0; i < 5; i++) expect(await totalOf(client)).toBe(0)
      expect(Date.now() - before).toBeLessThan(4000) // a GET that had to wait would fail after five seconds
      expect(await Promise.race([first, ...repeats, 'nobody is answered'])).toBe('nobody is answered')
      await release()
      await expectOneContact(client, await Promise.all([first, ...repeats]))
    } finally {
      await small.stop()
    }
  })
})

describe('another process on the same database', () => {
  let second: TestApp
  beforeAll(async () => {
    second = await startTestApp({ databaseUrl: service.databaseUrl, idempotencyTtlHours: TTL_HOURS })
  })
  afterAll(() => second.stop())

  test('replays what the first one answered', async () => {
    const { client, key } = await makeTenant(service)
    const elsewhere = createClient(second.origin, key)
    await expectOneContact(client, [await create(client, 'k'), await create(elsewhere, 'k')])
    expect((await create(elsewhere, 'k', { name: 'Eva' })).status).toBe(422)
  })

  test('takes part in twenty parallel repeats, and still one contact is created', async () => {
    const { client, key } = await makeTenant(service)
    const clients = [client, createClient(second.origin, key)]
    await expectOneContact(
      client,
      await Promise.all(Array.from({ length: 20 }, (_, i) => create(clients[i % 2]!, 'k'))),
    )
  })

  test('waits for a call that runs in the first one', async () => {
    const { accountId, client, key } = await makeTenant(service)
    const release = await hold(accountId)
    const first = create(client, 'k')
    await untilHeld(service.database)
    const repeat = create(createClient(second.origin, key), 'k')
    expect(await Promise.race([repeat, delay(300, 'waits')])).toBe('waits')
    await release()
    await expectOneContact(client, await Promise.all([first, repeat]))
  })
})

describe('a repeat that has waited long enough', () => {
  const WAIT_MS = 400
  let impatient: App
  beforeAll(async () => {
    const config = { ...readConfig({}), port: 0 }
    const logger = createLogger('silent')
    impatient = await startApp({ config, logger, database: service.database, idempotencyWaitMs: WAIT_MS })
  })
  afterAll(() => impatient.stop())

  test.each([
    ['the same process', () => impatient.port],
    ['another process', () => service.app.port],
  ])('is told that the first still runs in %s, and can replay later', async (_, portOf) => {
    const { accountId, client, key } = await makeTenant(service)
    const repeating = createClient(`http://127.0.0.1:${impatient.port}`, key)
    const release = await hold(accountId)
    const first = create(createClient(`http://127.0.0.1:${portOf()}`, key), 'k')
    await untilHeld(service.database)
    const before = Date.now()
    const refused = await create(repeating, 'k')
    expect(Date.now() - before).toBeGreaterThan(WAIT_MS / 2)
    expect(faultsOf(refused)).toMatchObject({ status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' })
    expect(refused.headers.get('retry-after')).toBe(String(refused.body.error.retry_after))
    expect(isReplay(refused)).toBe(false)
    await release()
    await expectOneContact(client, [await first, await create(repeating, 'k')])
  })
})

describe('the time that an answer is kept', () => {
  /** Makes the kept answers of an account older. */
  const age = (accountId: string, by: string) =>
    service.database.pool.query(
      'update idempotency_record set created_at = created_at - $2::interval where account_id = $1',
      [accountId, by],
    )

  test('ends after the hours that are set: a repeat then runs anew, and with another body too', async () => {
    const { accountId, client } = await makeTenant(service)
    const first = await create(client, 'k')
    await age(accountId, `${TTL_HOURS} hours -1 minute`)
    expect((await create(client, 'k')).text).toBe(first.text)
    await age(accountId, '1 minute')
    const again = await create(client, 'k', { name: 'Eva' })
    expect([again.status, isReplay(again)]).toEqual([201, false])
    expect((await create(client, 'k', { name: 'Eva' })).text).toBe(again.text)
    expect(await totalOf(client)).toBe(2)
  })

  test('ends for the answer of a deleted contact as well', async () => {
    const { accountId, client } = await makeTenant(service)
    const { id } = (await create(client, 'k')).body.data
    await client.delete(`/contacts/${id}`)
    expect((await create(client, 'k')).status).toBe(410)
    await age(accountId, `${TTL_HOURS} hours`)
    await expectOneContact(client, [await create(client, 'k'), await create(client, 'k')])
  })

  test('over, the answer is swept away, and no other', async () => {
    await sweepIdempotencyRecords(service.database, TTL_HOURS) // what the other tests left
    const [old, young] = [await makeTenant(service), await makeTenant(service)]
    for (const { client } of [old, young]) for (const key of ['a', 'b']) await create(client, key)
    await age(old.accountId, `${TTL_HOURS} hours`)
    await age(young.accountId, `${TTL_HOURS} hours -1 minute`)
    expect(await sweepIdempotencyRecords(service.database, TTL_HOURS)).toBe(2)
    expect(await sweepIdempotencyRecords(service.database, TTL_HOURS)).toBe(0)
    const left = await service.database.pool.query(
      'select account_id from idempotency_record where account_id = any($1)',
      [[old.accountId, young.accountId]],
    )
    expect(left.rows).toEqual(Array(2).fill({ account_id: young.accountId }))
    expect([isReplay(await create(old.client, 'a')), isReplay(await create(young.client, 'a'))]).toEqual([false, true])
  })
})
