import { createServer } from 'node:net'
import { jest } from '@jest/globals'
import pg from 'pg'
import { assembly } from '../../../src/assembly.js'
import { migrations } from '../../../src/database/migrations/index.js'
import { Authenticator, apiKeyCredentials } from '../../../src/domains/accounts/index.js'
import { startTestApp, type TestApp } from '../../support/app.js'
import { createClient } from '../../support/client.js'
import { createDatabase } from '../../support/cluster.js'
import { EVERYTHING, makeKey, makeTenant } from '../../support/factories.js'
import { expectFailure, type Finished, run as runWith } from './run.js'

// Each command is a real process: a second each, and many on a busy machine.
jest.setTimeout(120_000)

const MIGRATIONS = migrations.map(({ name }) => name)
const PASSWORD = 'sesame-open-17'

let service: TestApp
let empty: Awaited<ReturnType<typeof createDatabase>>

beforeAll(async () => {
  ;[service, empty] = await Promise.all([startTestApp(), createDatabase({ empty: true })])
})
afterAll(async () => {
  await service.stop()
  await empty.drop()
})

/** Runs a command on the test's database. */
function run(...args: string[]): Promise<Finished> {
  return runWith(args, { DATABASE_URL: service.databaseUrl })
}

/** Runs a command with --json and returns the object; stdout must hold that one line and nothing else. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  return JSON.parse(stdout)
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

describe('migrate', () => {
  const migrate = (...args: string[]) => runWith(['migrate', ...args], { DATABASE_URL: empty.url })

  test('what needs the tables says that `fairlead migrate` comes first', async () => {
    const settings = { DATABASE_URL: empty.url }
    const refused = await Promise.all([
      runWith(['account', 'create', '--name', 'Acme'], settings),
      runWith(['serve', '--port', '0', '--no-migrate'], settings),
    ])
    const says = `the database lacks ${MIGRATIONS[0]}`
    for (const finished of refused) {
      expectFailure(finished, { code: 1, says })
      expect(finished.stderr).toMatch(/run `fairlead migrate` first/)
    }
  })

  test('five at once apply each migration once, and each waits until that is done', async () => {
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => migrate('--json')))
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
    const applied = all.map(({ stdout }) => JSON.parse(stdout).applied)
    expect(applied.sort((a, b) => b.length - a.length)).toEqual([MIGRATIONS, [], [], [], []])
    const rows = await query<{ name: string }>(empty.url, 'select name from migration order by id')
    expect(rows.map(({ name }) => name)).toEqual(MIGRATIONS)
  })

  test('a further time has nothing to do', async () => {
    expect(await migrate()).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' })
  })
})

describe('account and key', () => {
  test('an account and a key of it are made, and the key works', async () => {
    const account = await json('account', 'create', '--name', '  Acme Ltda. ')
    expect(account).toEqual({ account_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    const named = await service.database.pool.query('select name from account where id = $1', [account.account_id])
    expect(named.rows).toEqual([{ name: 'Acme Ltda.' }])

    const options = ['--account', account.account_id, '--name', 'CI', '--permissions', 'contacts:read, tags:*']
    const made = await json('key', 'create', ...options, '--rate-limit', '7')
    const permissions = ['contacts:read', 'tags:*']
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: expect.stringMatching(/^fl_live_[0-9A-Za-z]{38}$/),
      prefix: expect.any(String),
      permissions,
      rate_limit: 7,
    })
    expect(made.key.startsWith(made.prefix)).toBe(true)

    const answer = await createClient(service.origin, made.key).get('/')
    expect(answer.status).toBe(200)
    expect(answer.body.data).toMatchObject({
      account: { id: account.account_id },
      key: { id: made.id, name: 'CI', permissions },
      rate_limit: { limit: 7 },
    })
    expect((await createClient(service.origin, made.key).post('/contacts', { name: 'A' })).status).toBe(403)
  })

  test('keys are listed without their secrets, of one account or of all', async () => {
    const { accountId, keyId: first, key: secret } = await makeTenant(service)
    const { key: second } = await makeKey(service.database, accountId, { permissions: ['tags:read'] })
    const [one, all, table] = await Promise.all([
      run('key', 'list', '--account', accountId, '--json'),
      json('key', 'list'),
      run('key', 'list', '--account', accountId),
    ])
    expect(JSON.parse(one.stdout).keys).toEqual([
      expect.objectContaining({ id: second.id, name: second.name, revoked_at: null, permissions: ['tags:read'] }),
      expect.objectContaining({ id: first, account_id: accountId, prefix: secret.slice(0, 14), last_used_at: null }),
    ])
    expect(all.keys.length).toBeGreaterThan(2)
    expect(one.stdout + table.stdout).not.toContain(secret)
    const lines = table.stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^id +prefix +name +permissions +ends$/)
    expect(lines[1]).toMatch(new RegExp(`^${second.id}  .* ${second.name} +tags:read +in force$`))
    expect(lines).toHaveLength(3)
  })

  test('a key can end by itself, and be rotated with an overlap', async () => {
    const { accountId, keyId, key, client } = await makeTenant(service)
    const options = ['--account', accountId, '--name', 'CI', '--permissions', 'tags:read', '--expires', '2099-01-31']
    expect(await json('key', 'create', ...options)).toMatchObject({ expires_at: '2099-01-31T00:00:00.000Z' })
    const rotated = await json('key', 'rotate', keyId, '--overlap', '0')
    expect(rotated).toMatchObject({
      key: expect.not.stringContaining(key),
      permissions: EVERYTHING,
      rate_limit: 1_000_000,
    })
    expect((await createClient(service.origin, rotated.key).get('/')).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect((await client.get('/')).status).toBe(401)
  })

  test('a revoked key stops working in a running server within a second, and keeps its moment', async () => {
    const { keyId: id, client } = await makeTenant(service)
    expect((await client.get('/tags')).status).toBe(200)

    const revoked = await json('key', 'revoke', id)
    expect(revoked).toEqual({ id, revoked_at: expect.stringMatching(/Z$/) })
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const refused = await client.get('/tags')
    expect([refused.status, refused.body.error.code]).toEqual([401, 'INVALID_API_KEY'])

    const [again, human] = await Promise.all([json('key', 'revoke', id), run('key', 'revoke', id)])
    expect(again).toEqual(revoked)
    expect(human.stdout).toBe(`Key ${id} is revoked.\n`)
  })

  test('for people, the results are sentences', async () => {
    const account = await run('account', 'create', '--name', 'Plain')
    const id = /^Account ([0-9a-f-]{36}) was created\.\n$/.exec(account.stdout)?.[1]
    expect(id).toBeDefined()
    const key = await run('key', 'create', '--account', id!, '--name', 'K', '--permissions', 'contacts:*')
    const [sentence, secret, ...rest] = key.stdout.split('\n')
    expect(sentence).toMatch(/^Key [0-9a-f-]{36} was created\. It is shown only now:$/)
    expect(rest).toEqual([''])
    const known = await new Authenticator(service.database, [apiKeyCredentials(assembly.permissions)]).authenticate(
      secret,
    )
    expect(known.viewer).toMatchObject({ accountId: id, permissions: ['contacts:*'] })
  })

  test('what the service refuses is a failure with one sentence', async () => {
    const key = (name: string, ...more: string[]) => {
      return ['key', 'create', '--account', 'nobody', '--name', name, '--permissions', ...more]
    }
    const refusals: [string[], number, string, RegExp][] = [
      [['account', 'create', '--name', '  '], 2, 'VALIDATION_ERROR', /^The name must not be empty\.$/],
      [['account', 'create', '--name', 'x'.repeat(256)], 2, 'VALIDATION_ERROR', /^The name must have at most 255 char/],
      [key(' ', '*'), 2, 'VALIDATION_ERROR', /^The name must not be empty\.$/],
      [key('é'.repeat(256), '*'), 2, 'VALIDATION_ERROR', /^The name must have at most 255 characters\.$/],
      [key('K\u0007', '*'), 2, 'VALIDATION_ERROR', /^The name must not contain control characters\.$/],
      [key('K', 'contacts:fly,tags:read'), 2, 'VALIDATION_ERROR', /^Unknown permission: contacts:fly\.$/],
      [key('K', ','), 2, 'VALIDATION_ERROR', /^A key needs at least one permission\.$/],
      [key('K', '*', '--rate-limit', '0'), 2, 'VALIDATION_ERROR', /^The rate limit must be/],
      [key('K', '*', '--rate-limit', '5'), 1, 'NOT_FOUND', /^There is no account nobody\.$/],
      [['key', 'revoke', 'nothing'], 1, 'NOT_FOUND', /^There is no key nothing\.$/],
    ]
    const finished = []
    for (const [args] of refusals) finished.push(await run(...args, '--json'))
    for (const [i, [, code, error, says]] of refusals.entries()) {
      expectFailure(finished[i]!, { code, says: /^fairlead: /, json: { code: error, says } })
    }
    const plain = await run(...key(' ', '*'))
    expectFailure(plain, { code: 2, says: /^fairlead: The name must not be empty\.\n$/ })
  })
})

test('demo makes forty contacts and five tags, and replaces an earlier demo whose key then is refused', async () => {
  const first = await json('demo')
  expect(Object.keys(first).sort()).toEqual(['account_id', 'agency_key', 'agency_token', 'api_key', 'ids', 'user'])
  expect(first.ids.tags).toHaveLength(5)
  const before = createClient(service.origin, first.api_key)
  const contacts = await before.get('/contacts?limit=1')
  const tags = await before.get('/tags')
  expect([contacts.body.pagination.total, tags.body.pagination.total]).toEqual([40, 5])
  expect(contacts.headers.get('x-ratelimit-limit')).toBe('100000')
  const listed = tags.body.data.map(({ id, name }: { id: string; name: string }) => ({ id, name }))
  expect(first.ids.tags).toEqual(expect.arrayContaining(listed))

  const second = await run('demo')
  const [sentence, key, person, agency, token, ...rest] = second.stdout.split('\n')
  expect(sentence).toMatch(/^Demo account [0-9a-f-]{36} was made\. Its API key, shown only now:$/)
  expect(person).toMatch(/^Sign in at \/graphql as \S+@\S+ with the password \S{10,}$/)
  expect(agency).toMatch(/^The demo agency has the key ag_[0-9a-f]{24}\. Its token, shown only now:$/)
  expect(token).toMatch(/^fl_agency_\w+$/)
  expect(rest).toEqual([''])
  await new Promise((resolve) => setTimeout(resolve, 1000))
  expect((await before.get('/tags')).status).toBe(401)
  const after = await createClient(service.origin, key).get('/contacts?limit=1')
  expect([after.status, after.body.pagination.total]).toEqual([200, 40])
  const demos = await service.database.pool.query('select count(*)::int as count from account where is_demo')
  expect(demos.rows).toEqual([{ count: 1 }])
})

describe('usage', () => {
  test('help lists every command, and each command its options', async () => {
    const [all, key, version] = await Promise.all([runWith(['--help']), runWith(['help', 'key']), runWith(['-V'])])
    expect(all.code).toBe(0)
    for (const name of ['serve', 'worker', 'migrate', 'demo', 'account', 'key']) {
      expect(all.stdout).toMatch(new RegExp(`^  ${name}\\b.*\\w`, 'm'))
    }
    expect(key.code).toBe(0)
    expect(key.stdout).toMatch(/create .*[\s\S]*list .*[\s\S]*revoke .*<id>/)
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })

  test.each([
    ['an unknown command', ['frobnicate'], /unknown command 'frobnicate'/],
    ['an unknown option', ['migrate', '--fast'], /unknown option '--fast'/],
    ['a missing option', ['key', 'create', '--name', 'K', '--permissions', '*'], /required option '--account <id>'/],
    ['a missing value', ['account', 'create', '--name'], /argument missing/],
    ['a missing argument', ['key', 'revoke'], /missing required argument 'id'/],
    ['a port that is none', ['serve', '--port', '70000'], /'70000' is invalid. It must be a number from 0 to 65535/],
    ['a rate limit that is no number', ['key', 'create', '--rate-limit', '1e3'], /It must be a whole number/],
    ['no command at all', [], /Usage: fairlead/],
  ])('%s is misuse: code 2, and a word about it', async (_, args, says) => {
    expectFailure(await runWith(args), { code: 2, says })
  })

  test('with --json, misuse is told on stdout too, and help is no failure', async () => {
    const missing = await runWith(['key', 'create', '--name', 'K', '--permissions', '*', '--json'])
    const says = /^required option '--account <id>' not specified$/
    expectFailure(missing, { code: 2, says: /required option/, json: { code: 'INVALID_USAGE', says } })
    expect((await runWith(['key', 'create', '--json', '--help'])).stdout).toMatch(/^Usage: /)
  })
})

describe('settings', () => {
  test('every bad one is named at once, and no password is printed', async () => {
    const finished = await runWith(['migrate', '--json'], {
      DATABASE_URL: `mysql://root:${PASSWORD}@127.0.0.1/app`,
      PUBLIC_URL: `ftp://someone:${PASSWORD}@example.com`,
      PORT: '99999',
      LOG_LEVEL: 'loud',
      TRUST_PROXY: 'maybe',
      DATABASE_POOL_SIZE: '1',
      DATABASE_WAIT_MS: 'soon',
      DATABASE_STATEMENT_MS: '0',
      DATABASE_LOCK_MS: '1s',
    })
    expectFailure(finished, { code: 2, says: /^fairlead: /, json: { code: 'INVALID_SETTING', says: /PORT must be/ } })
    const named = finished.stderr.match(/[A-Z_]{4,}(?= must be )/g)
    expect(named?.sort()).toEqual(
      [
        'DATABASE_LOCK_MS',
        'DATABASE_POOL_SIZE',
        'DATABASE_STATEMENT_MS',
        'DATABASE_URL',
        'DATABASE_WAIT_MS',
        'LOG_LEVEL',
        'PORT',
        'PUBLIC_URL',
        'TRUST_PROXY',
      ].sort(),
    )
    expect(finished.stderr).not.toContain(PASSWORD)
    expect(finished.stderr).toContain('PORT must be a port number, not "99999"')
  })

  test.each([
    ['without slashes', `postgres:app:${PASSWORD}@127.0.0.1/app`],
    ['with an @ in the password', `postgres://app:x@y${PASSWORD}#@127.0.0.1/app`],
    ['with a stray percent sign', `postgres://app:${PASSWORD}%@127.0.0.1/app`],
    ['without a database', `postgres://app:${PASSWORD}@127.0.0.1`],
    ['that is no address', `host=127.0.0.1 password=${PASSWORD}`],
  ])('a database address %s is refused without being printed', async (_, address) => {
    const finished = await runWith(['key', 'list'], { DATABASE_URL: address })
    expectFailure(finished, { code: 2, says: /DATABASE_URL must be an address like postgres:\/\// })
    expect(finished.stderr).not.toContain(PASSWORD)
  })
})

describe('a database that cannot be used', () => {
  const at = (change: Partial<URL>): string => Object.assign(new URL(service.databaseUrl), change).href
  const list = (address: string) => runWith(['key', 'list'], { DATABASE_URL: address, DATABASE_WAIT_MS: '700' })

  test('is told of by what is wrong with it', async () => {
    const faults: [string, RegExp][] = [
      [at({ port: '1' }), /does not accept connections: check DATABASE_URL/],
      [at({ hostname: 'db.invalid' }), /host (is unknown|cannot be looked up): check DATABASE_URL/],
      [at({ password: PASSWORD }), /refuses the password: check DATABASE_URL/],
      [at({ pathname: '/nowhere' }), /does not exist: create it/],
      [at({ search: '?sslmode=require' }), /cannot be reached: .*does not support SSL/],
    ]
    const finished = await Promise.all(faults.map(([address]) => list(address)))
    for (const [i, [address, says]] of faults.entries()) {
      expectFailure(finished[i]!, { code: 1, says })
      expect(finished[i]!.stderr).not.toContain(new URL(address).password)
    }
  })

  test('is told of when it says nothing', async () => {
    // It reads, or the connection would never end on this side.
    const silent = createServer((socket) => socket.resume())
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = silent.address() as { port: number }
      const finished = await list(at({ port: String(port) }))
      expectFailure(finished, { code: 1, says: /the database cannot be reached: check DATABASE_URL/ })
    } finally {
      silent.close()
    }
  })

  test('parameters of the address reach the server', async () => {
    const address = at({ search: '?application_name=cli-test&options=-c%20search_path%3Dnowhere' })
    expectFailure(await list(address), { code: 1, says: /run `fairlead migrate` first/ })
  })
})

test('users and operators are created with a temporary password, as JSON and for people', async () => {
  const { accountId } = await makeTenant(service)
  const as = ['--email', `bia.${Date.now()}@example.com`]
  const user = await json('user', 'create', '--account', accountId, ...as, '--role', 'manager')
  expect(user).toEqual({ id: expect.any(String), email: as[1], temporary_password: expect.stringMatching(/^\w{12}$/) })
  const taken = await run('operator', 'create', ...as, '--json')
  expect([taken.code, JSON.parse(taken.stdout).error.code]).toEqual([1, 'DUPLICATE_ERROR'])
  const { code, stdout } = await run('operator', 'create', '--email', `op.${Date.now()}@example.com`)
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Operator .* was created\..*\n\w{12}\n$/),
  })
})
