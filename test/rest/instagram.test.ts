import { randomUUID } from 'node:crypto'
import { type InstagramAgent, InstagramAgentStatus } from '../../src/domains/instagram-agents/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Client, createClient } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { makeInstagramAgent } from '../support/factories/instagram.js'
import { makeKey, makeTenant, type Tenant } from '../support/factories.js'
import { TIMESTAMP } from '../support/graphql.js'

let service: TestApp
// Row security would hide a condition that a statement forgot; it is off unless an operator turns it on.
let unwalled: TestApp
beforeAll(async () => {
  ;[service, unwalled] = await Promise.all([startTestApp(), startTestApp({ rowSecurity: false })])
})
afterAll(() => Promise.all([service.stop(), unwalled.stop()]))

const at = (ms: number) => new Date(Date.parse('2026-03-01T12:00:00.000Z') + ms)

describe('the list of agents', () => {
  async function namesOf(client: Client, query = ''): Promise<string[]> {
    const { status, body } = await client.get(`/instagram-agents?${query}`)
    expect({ status, total: body.pagination?.total }).toEqual({ status: 200, total: body.data?.length })
    return body.data.map(({ name }: InstagramAgent) => name)
  }

  test('shows everything of an agent', async () => {
    const { accountId, client } = await makeTenant(service)
    const fields = { name: 'Architects', description: 'Studios.', status: InstagramAgentStatus.PAUSED }
    const agent = await makeInstagramAgent(service.database, accountId, {
      ...fields,
      searchNiche: 'architecture',
      searchLocation: 'Lisboa',
      totalLimit: 500,
      createdAt: at(5),
      usernames: ['a', 'b'],
    })
    const bare = await makeInstagramAgent(service.database, accountId, { name: 'Bare', createdAt: at(4) })
    const { body } = await client.get('/instagram-agents')
    expect(body).toEqual({
      success: true,
      data: [
        {
          id: agent.id,
          ...fields,
          search_niche: 'architecture',
          search_location: 'Lisboa',
          total_profiles_found: 2,
          total_limit: 500,
          created_at: '2026-03-01T12:00:00.005Z',
          updated_at: TIMESTAMP,
        },
        {
          id: bare.id,
          name: 'Bare',
          description: null,
          search_niche: null,
          search_location: null,
          status: 'active',
          total_profiles_found: 0,
          total_limit: null,
          created_at: '2026-03-01T12:00:00.004Z',
          updated_at: TIMESTAMP,
        },
      ],
      pagination: {
        page: 1,
        per_page: 50,
        total: 2,
        total_pages: 1,
        has_next: false,
        has_prev: false,
        next_cursor: null,
      },
    })
  })

  test('finds agents by their status, without regard to case; an unknown one finds none', async () => {
    const { accountId, client } = await makeTenant(service)
    for (const status of Object.values(InstagramAgentStatus)) {
      await makeInstagramAgent(service.database, accountId, { name: status, status })
    }
    for (const status of ['active', 'paused', 'completed', 'error']) {
      expect(await namesOf(client, `status=${status}`)).toEqual([status])
    }
    expect(await namesOf(client, 'status=Error')).toEqual(['error'])
    for (const unknown of ['broken', '%25', "'"]) expect(await namesOf(client, `status=${unknown}`)).toEqual([])
    expect(await namesOf(client, 'status=')).toHaveLength(4)
  })

  test.each(['', '&status=error'])(
    'has the newest first, equal ones by id, page by page, each once%s',
    async (filter) => {
      const { accountId, client } = await makeTenant(service)
      const status = InstagramAgentStatus.ERROR
      const make = (createdAt: Date) =>
        makeInstagramAgent(service.database, accountId, { id: randomUUID(), createdAt, status })
      for (let i = 0; i < 30; i++) await make(at(0))
      const [newest, oldest] = [await make(at(1)), await make(at(-1))]
      const ids: string[] = []
      for (let page = 1; page <= 5; page++) {
        const { body } = await client.get(`/instagram-agents?limit=7&page=${page}${filter}`)
        expect(body.pagination).toMatchObject({ page, per_page: 7, total: 32, total_pages: 5, has_next: page < 5 })
        ids.push(...body.data.map(({ id }: InstagramAgent) => id))
      }
      expect([ids[0], ids.at(-1)]).toEqual([newest.id, oldest.id])
      const ties = ids.slice(1, -1)
      expect(ties).toEqual([...new Set(ties)].toSorted().reverse())
      const past = (await client.get(`/instagram-agents?page=9${filter}`)).body
      expect(past).toMatchObject({
        data: [],
        pagination: { page: 9, total: 32, has_next: false, has_prev: true, next_cursor: null },
      })
    },
  )

  test.each(['', 'status=active', 'limit=1&page=2'])('takes one statement: %s', async (query) => {
    const { accountId, client } = await makeTenant(service)
    for (let i = 0; i < 3; i++) await makeInstagramAgent(service.database, accountId)
    const { result, statements } = await service.statementsOf(() => client.get(`/instagram-agents?${query}`))
    expect(result.body.data.length).toBeGreaterThan(0)
    expect(statements).toHaveLength(1)
  })

  test('needs a key that may read agents', async () => {
    const { accountId } = await makeTenant(service)
    const missing = await createClient(service.origin).get('/instagram-agents')
    expect([missing.status, missing.body.error.code]).toEqual([401, 'MISSING_API_KEY'])
    const invalid = await createClient(service.origin, 'fl_live_wrong').get('/instagram-agents')
    expect([invalid.status, invalid.body.error.code]).toEqual([401, 'INVALID_API_KEY'])
    const withPermission = async (permission: string) => {
      const { secret } = await makeKey(service.database, accountId, { permissions: [permission] })
      return createClient(service.origin, secret).get('/instagram-agents')
    }
    for (const permission of ['instagram_agents:read', 'instagram_agents:*', '*']) {
      expect((await withPermission(permission)).status).toBe(200)
    }
    const { status, body } = await withPermission('instagram_agents:write')
    expect(status).toBe(403)
    expect(body.error).toMatchObject({ required_permission: 'instagram_agents:read' })
  })

  test.each([
    ['with row security', () => service],
    ['without it', () => unwalled],
  ])('shows nothing of another account, %s', async (_, appOf) => {
    const app = appOf()
    const [mine, theirs] = [await makeTenant(app), await makeTenant(app)]
    await makeInstagramAgent(app.database, mine.accountId, { name: 'Mine' })
    await makeInstagramAgent(app.database, theirs.accountId, { name: 'Theirs' })
    expect(await namesOf(mine.client)).toEqual(['Mine'])
    expect(await namesOf(mine.client, 'status=active')).toEqual(['Mine'])
  })
})

describe('a profile', () => {
  interface Subject extends Tenant {
    agentId: string
    add(body: unknown): ReturnType<Client['post']>
    agent(): Promise<Record<string, unknown>>
  }

  async function makeSubject(overrides: Parameters<typeof makeInstagramAgent>[2] = {}): Promise<Subject> {
    const tenant = await makeTenant(service)
    const { id } = await makeInstagramAgent(service.database, tenant.accountId, { name: 'Architects', ...overrides })
    return {
      ...tenant,
      agentId: id,
      add: (body) => tenant.client.post(`/instagram-agents/${id}/profiles`, body),
      agent: async () => (await tenant.client.get('/instagram-agents')).body.data[0],
    }
  }

  const profilesOf = async ({ accountId }: Subject) =>
    (await dumpOf(service.database, accountId)).instagram_profile!.map((row) => JSON.parse(row))

  test('is added with all that was sent, and counted', async () => {
    const subject = await makeSubject()
    const before = await subject.agent()
    const sent = {
      username: 'atelier.rio',
      display_name: 'Atelier Rio',
      profile_url: 'https://example.com/atelier',
      bio: 'Architecture\nand interiors.',
      external_url: 'https://atelier-rio.example',
      followers_count: 2_147_483_647,
      following_count: 0,
      posts_count: 220,
      extracted_contacts: { emails: ['oi@atelier.example', ''], phones: ['+55 11'], websites: ['atelier.example'] },
    }
    const { status, body } = await subject.add(sent)
    expect(status).toBe(201)
    expect(body).toEqual({
      success: true,
      data: {
        profile: {
          ...sent,
          extracted_contacts: { ...sent.extracted_contacts, emails: ['oi@atelier.example'] },
          source: 'api',
          added_at: TIMESTAMP,
        },
        agent: { id: subject.agentId, name: 'Architects', total_profiles_found: 1 },
      },
      message: 'The profile was added.',
    })
    const after = await subject.agent()
    expect(after).toEqual({ ...before, total_profiles_found: 1 }) // a kept count is no change of the agent
  })

  test('has defaults for whatever was not sent, was null or empty', async () => {
    const subject = await makeSubject()
    const empty = { display_name: '', profile_url: null, bio: ' ', external_url: null, followers_count: null }
    const defaults = (username: string) => ({
      username,
      display_name: username,
      profile_url: `https://www.instagram.com/${username}/`,
      bio: '',
      followers_count: null,
      following_count: null,
      posts_count: null,
      external_url: '',
      extracted_contacts: { emails: [], phones: [], websites: [] },
      source: 'api',
      added_at: TIMESTAMP,
    })
    expect((await subject.add({ username: 'bare' })).body.data.profile).toEqual(defaults('bare'))
    const sent = { username: 'empty', ...empty, extracted_contacts: { emails: null } }
    expect((await subject.add(sent)).body.data.profile).toEqual(defaults('empty'))
  })

  test.each([
    ['@Atelier.Rio', 'atelier.rio', 'https://www.instagram.com/atelier.rio/'],
    ['  @ ATELIER_rio ', 'atelier_rio', 'https://www.instagram.com/atelier_rio/'],
    ['@@x', 'x', 'https://www.instagram.com/x/'],
    ['a@b', 'a@b', 'https://www.instagram.com/a@b/'],
    ['a/b?c#d%e', 'a/b?c#d%e', 'https://www.instagram.com/a%2Fb%3Fc%23d%25e/'],
    ['Ção', 'ção', 'https://www.instagram.com/ção/'],
  ])('named "%s" is kept as "%s"', async (username, kept, profile_url) => {
    const subject = await makeSubject()
    const { status, body } = await subject.add({ username })
    expect(status).toBe(201)
    expect(body.data.profile).toMatchObject({ username: kept, display_name: kept, profile_url })
  })

  test('of 255 characters of any kind is added', async () => {
    const subject = await makeSubject()
    for (const username of ['😀'.repeat(255), '%'.repeat(255), 'é'.repeat(255)]) {
      expect((await subject.add({ username })).status).toBe(201)
    }
  })

  test.each<[unknown, string[]]>([
    [{}, ['username']],
    [{ username: '' }, ['username']],
    [{ username: ' @ ' }, ['username']],
    [{ username: null, bio: 5 }, ['username', 'bio']],
    [{ username: 'İ'.repeat(200) }, ['username']], // which is longer in lower case
    [{ username: 'x'.repeat(256), display_name: 'x'.repeat(256) }, ['username', 'display_name']],
    [
      { username: 'a', followers_count: -1, following_count: 1.5, posts_count: '7' },
      ['followers_count', 'following_count', 'posts_count'],
    ],
    [{ username: 'a', followers_count: 2_147_483_648, posts_count: true }, ['followers_count', 'posts_count']],
    ['{"username": "a", "followers_count": 1e400}', ['followers_count']],
    [{ username: 'a', extracted_contacts: 'none' }, ['extracted_contacts']],
    [{ username: 'a', bio: 'x'.repeat(20_001), external_url: 'x'.repeat(2049) }, ['bio', 'external_url']],
  ])('is refused with %j, and nothing is stored', async (body, fields) => {
    const subject = await makeSubject()
    const before = await dumpOf(service.database, subject.accountId)
    const answer = await subject.add(body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('VALIDATION_ERROR')
    expect(answer.body.error.details.map(({ field }: { field: string }) => field).toSorted()).toEqual(fields.toSorted())
    expect(await dumpOf(service.database, subject.accountId)).toEqual(before)
  })

  test('that the agent has is a conflict, and nothing is stored; another agent takes it', async () => {
    const subject = await makeSubject()
    const other = await makeInstagramAgent(service.database, subject.accountId, { createdAt: at(0) })
    await subject.add({ username: 'same' })
    const before = await dumpOf(service.database, subject.accountId)
    const { status, body } = await subject.add({ username: '@SAME', bio: 'other' })
    expect(status).toBe(409)
    expect(body.error).toMatchObject({ code: 'DUPLICATE_ERROR', details: [{ field: 'username' }] })
    expect(await dumpOf(service.database, subject.accountId)).toEqual(before)
    expect((await subject.client.post(`/instagram-agents/${other.id}/profiles`, { username: 'same' })).status).toBe(201)
  })

  test('beyond the limit of the agent is refused before anything else of it counts', async () => {
    const subject = await makeSubject({ totalLimit: 2, usernames: ['one'] })
    expect((await subject.add({ username: 'two' })).status).toBe(201)
    const before = await dumpOf(service.database, subject.accountId)
    const { status, body } = await subject.add({ username: 'three' })
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'LIMIT_REACHED' })
    expect((await subject.add({ username: 'one' })).body.error.code).toBe('DUPLICATE_ERROR')
    expect((await subject.add({ username: '' })).body.error.code).toBe('VALIDATION_ERROR')
    expect(await dumpOf(service.database, subject.accountId)).toEqual(before)
  })

  test('is counted exactly when many are added at once, some of them twice', async () => {
    const subject = await makeSubject()
    const calls = Array.from({ length: 40 }, (_, i) => subject.add({ username: `user${i % 25}` }))
    const answers = await Promise.all(calls)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(25)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(15)
    const counts = answers.flatMap(({ body }) => body.data?.agent.total_profiles_found ?? [])
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, i) => i + 1))
    expect((await subject.agent()).total_profiles_found).toBe(25)
    expect(await profilesOf(subject)).toHaveLength(25)
  })

  test('never comes beyond the limit, however many are added at once', async () => {
    const subject = await makeSubject({ totalLimit: 7 })
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => subject.add({ username: `user${i}` })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(7)
    expect(answers.filter(({ body }) => body.error?.code === 'LIMIT_REACHED')).toHaveLength(23)
    expect((await subject.agent()).total_profiles_found).toBe(7)
    expect(await profilesOf(subject)).toHaveLength(7)
  })

  test('needs an agent of the account', async () => {
    const [subject, other] = [await makeSubject(), await makeSubject()]
    const before = [await dumpOf(service.database, subject.accountId), await dumpOf(service.database, other.accountId)]
    for (const id of [randomUUID(), 'none', other.agentId]) {
      const { status, body } = await subject.client.post(`/instagram-agents/${id}/profiles`, { username: 'a' })
      expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
      expect((await subject.client.post(`/instagram-agents/${id}/profiles`, {})).status).toBe(400) // input counts first
    }
    const after = [await dumpOf(service.database, subject.accountId), await dumpOf(service.database, other.accountId)]
    expect(after).toEqual(before)
  })

  test('needs a key that may write agents', async () => {
    const subject = await makeSubject()
    const path = `/instagram-agents/${subject.agentId}/profiles`
    expect((await createClient(service.origin).post(path, { username: 'a' })).status).toBe(401)
    const keyWith = async (permission: string) => {
      const { secret } = await makeKey(service.database, subject.accountId, { permissions: [permission] })
      return createClient(service.origin, secret)
    }
    for (const permission of ['instagram_agents:read', 'campaigns:*', 'settings:write']) {
      const { status, body } = await (await keyWith(permission)).post(path, { username: 'a' })
      expect(status).toBe(403)
      expect(body.error).toMatchObject({ required_permission: 'instagram_agents:write' })
    }
    expect(await profilesOf(subject)).toEqual([])
    expect((await (await keyWith('instagram_agents:write')).post(path, { username: 'a' })).status).toBe(201)
  })

  test('takes three statements', async () => {
    const subject = await makeSubject()
    const { result, statements } = await service.statementsOf(() => subject.add({ username: 'a' }))
    expect(result.status).toBe(201)
    const own = statements.filter((text) => !/set_config/.test(text))
    expect(own).toEqual(['begin', expect.stringContaining('instagram_profile'), 'commit'])
  })
})
