import { randomUUID } from 'node:crypto'
import { Scope } from '../../src/database/index.js'
import { nextOwner, type OwnerQuestion, type RoundRobinRule } from '../../src/domains/pipelines/index.js'
import { Sector } from '../../src/domains/reference/index.js'
import type { User } from '../../src/domains/users/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { dumpOf } from '../support/dump.js'
import { makePipeline, makeRule } from '../support/factories/pipelines.js'
import { makeUser } from '../support/factories/users.js'
import { makeTenant, type Tenant } from '../support/factories.js'
import { dataOf, describeGuards, failureOf, faultsOf, TIMESTAMP } from '../support/graphql.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const RULE = 'id sectorId pipelineId isActive createdAt updatedAt members { id name email role isActive }'
const LIST = `{ roundRobinRules { ${RULE} } }`
const SET = `mutation ($input: RoundRobinRuleInput!) { setRoundRobinRule(input: $input) { ${RULE} } }`
const DELETE = 'mutation ($id: ID!) { deleteRoundRobinRule(id: $id) { id deleted } }'

const makeUsers = (tenant: Tenant, count: number, overrides: Partial<User> = {}) =>
  Promise.all(Array.from({ length: count }, () => makeUser(service.database, tenant.accountId, overrides)))
const idsOf = (records: { id: string }[]) => records.map(({ id }) => id)

async function makeSector({ accountId }: Tenant, overrides: Partial<Sector> = {}): Promise<Sector> {
  const em = service.database.fork()
  const sector = em.create(Sector, { name: `Sector ${randomUUID()}`, ...overrides, accountId })
  await em.flush()
  return sector
}

describeGuards(
  () => service,
  [
    {
      name: 'setRoundRobinRule',
      query: SET,
      permission: 'settings:write',
      variables: async (tenant) => ({ input: { userIds: idsOf(await makeUsers(tenant, 1)) } }),
    },
    {
      name: 'deleteRoundRobinRule',
      query: DELETE,
      permission: 'settings:write',
      id: 'id',
      variables: async ({ accountId }) => ({ id: (await makeRule(service.database, accountId)).id }),
    },
  ],
)

class Undo extends Error {}

/** Asks for an owner in a transaction of its own, which is kept or rolled back. */
async function turn({ accountId }: Tenant, question: OwnerQuestion = {}, undo = false): Promise<string | null> {
  const db = Scope.ofSystem(service.database, accountId)
  let owner: string | null = null
  try {
    await db.transaction(async () => {
      owner = await nextOwner(db, question)
      if (undo) throw new Undo()
    })
  } catch (error) {
    if (!(error instanceof Undo)) throw error
  }
  return owner
}

describe('a rule', () => {
  test('is set for the account, a sector or a pipeline, with its members in their order', async () => {
    const tenant = await makeTenant(service)
    const users = await makeUsers(tenant, 3)
    const [sector, pipeline] = [await makeSector(tenant), await makePipeline(service.database, tenant.accountId)]
    const order = [users[2]!, users[0]!, users[1]!]
    const set = async (target: object | undefined, isActive?: boolean) =>
      dataOf(await tenant.client.graphql(SET, { input: { target, isActive, userIds: idsOf(order) } }))
    const shown = order.map(({ id, name, email }) => ({ id, name, email, role: 'SELLER', isActive: true }))
    const rule = { id: expect.any(String), createdAt: TIMESTAMP, updatedAt: TIMESTAMP, members: shown }
    const ofSector = await set({ sectorId: sector.id.toUpperCase() })
    expect(ofSector).toEqual({ ...rule, sectorId: sector.id, pipelineId: null, isActive: true })
    const ofPipeline = await set({ pipelineId: pipeline.id }, false)
    expect(ofPipeline).toEqual({ ...rule, sectorId: null, pipelineId: pipeline.id, isActive: false })
    const ofAccount = await set(undefined)
    expect(ofAccount).toEqual({ ...rule, sectorId: null, pipelineId: null, isActive: true })
    expect(dataOf(await tenant.client.graphql(LIST))).toEqual([ofAccount, ofSector, ofPipeline])
  })

  test('is the only one of its target: setting it again changes it', async () => {
    const tenant = await makeTenant(service)
    const [a, b, c] = idsOf(await makeUsers(tenant, 3)) as [string, string, string]
    const set = async (input: object) => dataOf(await tenant.client.graphql(SET, { input }))
    const first = await set({ userIds: [a, b] })
    const same = await set({ userIds: [a, b.toUpperCase()], target: { sectorId: null } })
    expect(same).toEqual(first)
    const changed = await set({ userIds: [c, b], target: {}, isActive: false })
    expect(changed).toMatchObject({ id: first.id, isActive: false, createdAt: first.createdAt })
    expect(idsOf(changed.members)).toEqual([c, b])
    expect(Date.parse(changed.updatedAt)).toBeGreaterThan(Date.parse(first.updatedAt))
    expect((await set({ userIds: [] })).members).toEqual([])
    expect(dataOf(await tenant.client.graphql(LIST))).toHaveLength(1)
  })

  test('is one, with the members of one of the calls, when it is set many times at once', async () => {
    const tenant = await makeTenant(service)
    const users = idsOf(await makeUsers(tenant, 6))
    const lists = users.map((_, i) => [...users.slice(i), ...users.slice(0, i)].slice(0, 3))
    const calls = lists.map((userIds) => tenant.client.graphql(SET, { input: { userIds } }))
    const answers = (await Promise.all(calls)).map(dataOf)
    expect(new Set(idsOf(answers)).size).toBe(1)
    const [rule] = dataOf(await tenant.client.graphql(LIST))
    expect(lists).toContainEqual(idsOf(rule.members))
  })

  test('is deleted with its members', async () => {
    const tenant = await makeTenant(service)
    const { id } = await makeRule(service.database, tenant.accountId, { userIds: idsOf(await makeUsers(tenant, 2)) })
    expect(dataOf(await tenant.client.graphql(DELETE, { id: id.toUpperCase() }))).toEqual({ id, deleted: true })
    expect(failureOf(await tenant.client.graphql(DELETE, { id })).code).toBe('NOT_FOUND')
    const { round_robin_rule, round_robin_member } = await dumpOf(service.database, tenant.accountId)
    expect([round_robin_rule, round_robin_member]).toEqual([[], []])
  })

  test('is refused with targets and members that are unknown, foreign, twice, inactive, deleted or too many', async () => {
    const [tenant, other] = [await makeTenant(service), await makeTenant(service)]
    const [good] = idsOf(await makeUsers(tenant, 1)) as [string]
    const [inactive] = idsOf(await makeUsers(tenant, 1, { isActive: false })) as [string]
    const [deleted] = idsOf(await makeUsers(tenant, 1, { deletedAt: new Date() })) as [string]
    const [foreign] = idsOf(await makeUsers(other, 1)) as [string]
    const sector = await makeSector(tenant)
    const gone = await makeSector(tenant, { deletedAt: new Date() })
    const { id: pipelineId } = await makePipeline(service.database, tenant.accountId)
    const theirs = { sector: await makeSector(other), pipeline: await makePipeline(service.database, other.accountId) }
    const before = await dumpOf(service.database, tenant.accountId)
    const refused = async (input: object): Promise<string[]> =>
      faultsOf(await tenant.client.graphql(SET, { input: { userIds: [good], ...input } }))
    const noUser = (place: number) => `input.userIds.${place}: is not the id of an active user`

    const userIds = [good, inactive, deleted, foreign, randomUUID(), good.toUpperCase()]
    expect(await refused({ userIds })).toEqual([...[1, 2, 3, 4].map(noUser), 'input.userIds.5: is there already'])
    expect(await refused({ userIds: ['x'] })).toEqual(['input.userIds.0: must be the id of a record (a uuid)'])
    const many = Array.from({ length: 201 }, () => good)
    expect(await refused({ userIds: many })).toEqual(['input.userIds: must name at most 200 users'])
    expect(await refused({ target: { sectorId: sector.id, pipelineId } })).toEqual([
      'input.target: is a sector or a pipeline, not both',
    ])
    for (const sectorId of [gone.id, theirs.sector.id, randomUUID()]) {
      expect(await refused({ target: { sectorId } })).toEqual(['input.target.sectorId: is not the id of a sector'])
    }
    expect(await refused({ target: { pipelineId: theirs.pipeline.id } })).toEqual([
      'input.target.pipelineId: is not the id of a pipeline',
    ])
    expect(await refused({ isActive: null })).toEqual(['input.isActive: must not be null'])
    expect(await dumpOf(service.database, tenant.accountId)).toEqual(before)
  })

  test('shows no deleted members, and reads those of all rules in one statement', async () => {
    const tenant = await makeTenant(service)
    const kept = await makeUsers(tenant, 2)
    const [deleted] = await makeUsers(tenant, 1, { deletedAt: new Date() })
    const userIds = idsOf([kept[1]!, deleted!, kept[0]!])
    for (let i = 0; i < 5; i++) {
      await makeRule(service.database, tenant.accountId, { userIds, sectorId: (await makeSector(tenant)).id })
    }
    const { result, statements } = await service.statementsOf(() => tenant.client.graphql(LIST))
    const rules = dataOf(result) as { members: { id: string }[] }[]
    expect(rules.map(({ members }) => idsOf(members))).toEqual(Array(5).fill(idsOf([kept[1]!, kept[0]!])))
    expect(statements).toHaveLength(2)
  })
})

describe('the next owner', () => {
  test('is by the rule of the sector, else of the campaign, else of the pipeline, else of the account', async () => {
    const tenant = await makeTenant(service)
    const [sector, campaign] = [await makeSector(tenant), await makeSector(tenant)]
    const pipeline = await makePipeline(service.database, tenant.accountId)
    const [s, c, p, a] = idsOf(await makeUsers(tenant, 4)) as [string, string, string, string]
    const rule = (userId: string, target: Partial<RoundRobinRule>) =>
      makeRule(service.database, tenant.accountId, { userIds: [userId], ...target })
    const all = { sectorId: sector.id, campaignSectorId: campaign.id, pipelineId: pipeline.id }
    expect(await turn(tenant, all)).toBeNull()
    await rule(a, {})
    expect(await turn(tenant, all)).toBe(a)
    await rule(p, { pipelineId: pipeline.id })
    expect(await turn(tenant, all)).toBe(p)
    await rule(c, { sectorId: campaign.id })
    expect(await turn(tenant, all)).toBe(c)
    await rule(s, { sectorId: sector.id })
    expect(await turn(tenant, all)).toBe(s)
    expect(await turn(tenant, { campaignSectorId: sector.id, sectorId: randomUUID() })).toBe(s)
    expect(await turn(tenant, { pipelineId: pipeline.id, sectorId: null })).toBe(p)
    expect(await turn(tenant)).toBe(a)
    expect(await turn(await makeTenant(service), all)).toBeNull()
  })

  test('passes over rules that are off or have nobody active, and members who are inactive or deleted', async () => {
    const tenant = await makeTenant(service)
    const sector = await makeSector(tenant)
    const pipeline = await makePipeline(service.database, tenant.accountId)
    const [a, b] = idsOf(await makeUsers(tenant, 2)) as [string, string]
    const [inactive] = idsOf(await makeUsers(tenant, 1, { isActive: false })) as [string]
    const [deleted] = idsOf(await makeUsers(tenant, 1, { deletedAt: new Date() })) as [string]
    const { accountId } = tenant
    await makeRule(service.database, accountId, { userIds: [inactive, deleted], sectorId: sector.id })
    await makeRule(service.database, accountId, { userIds: [a], pipelineId: pipeline.id, isActive: false })
    await makeRule(service.database, accountId, { userIds: [inactive, a, deleted, b] })
    const question = { sectorId: sector.id, pipelineId: pipeline.id }
    const owners = []
    for (let i = 0; i < 5; i++) owners.push(await turn(tenant, question))
    expect(owners).toEqual([a, b, a, b, a])
  })

  test('takes turns in the order of the members, which begins anew when they change', async () => {
    const tenant = await makeTenant(service)
    const [a, b, c] = idsOf(await makeUsers(tenant, 3)) as [string, string, string]
    const set = async (userIds: string[], isActive = true) =>
      dataOf(await tenant.client.graphql(SET, { input: { userIds, isActive } }))
    const rule = await set([c, a])
    const owners = async (count: number) => {
      const found: (string | null)[] = []
      for (let i = 0; i < count; i++) found.push(await turn(tenant))
      return found
    }
    expect(await owners(3)).toEqual([c, a, c])
    await set([c, a], false)
    expect(await owners(1)).toEqual([null])
    await set([c, a])
    expect(await owners(1)).toEqual([a])
    const before = dataOf(await tenant.client.graphql(LIST))
    expect(await owners(1)).toEqual([c])
    expect(dataOf(await tenant.client.graphql(LIST))).toEqual(before) // a turn is no change of the rule
    expect((await set([b, c, a])).id).toBe(rule.id)
    expect(await owners(4)).toEqual([b, c, a, b])
  })

  test('takes one statement', async () => {
    const tenant = await makeTenant(service)
    await makeRule(service.database, tenant.accountId, { userIds: idsOf(await makeUsers(tenant, 2)) })
    const { statements } = await service.statementsOf(() => turn(tenant))
    expect(statements.filter((text) => /round_robin|take_turn/.test(text))).toHaveLength(1)
  })

  test.each([2, 7])(
    'is exact when 60 ask at once, of %i members, and rolled back turns go to others',
    async (count) => {
      const tenant = await makeTenant(service)
      const users = idsOf(await makeUsers(tenant, count))
      await makeRule(service.database, tenant.accountId, { userIds: users })
      const kept: string[] = []
      await Promise.all(
        Array.from({ length: 90 }, async (_, i) => {
          const undo = i % 3 === 0
          const owner = await turn(tenant, {}, undo)
          if (!undo) kept.push(owner!)
        }),
      )
      const counts = users.map((id) => kept.filter((owner) => owner === id).length)
      expect(counts.reduce((sum, n) => sum + n, 0)).toBe(60)
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
      const sum = 'select sum(turns)::int as turns from round_robin_member where account_id = $1'
      expect((await service.database.pool.query(sum, [tenant.accountId])).rows).toEqual([{ turns: 60 }])
    },
  )

  const switched = (tenant: Tenant, id: string, isActive: boolean) =>
    tenant.client.graphql(
      'mutation ($id: ID!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { id } }',
      {
        id,
        input: { isActive },
      },
    )

  test('passes over who is switched off, and who comes back has nothing to catch up', async () => {
    const tenant = await makeTenant(service)
    const [a, b, c] = idsOf(await makeUsers(tenant, 3)) as [string, string, string]
    await makeRule(service.database, tenant.accountId, { userIds: [a, b, c] })
    const owners = async (count: number) => {
      const found: (string | null)[] = []
      for (let i = 0; i < count; i++) found.push(await turn(tenant))
      return found
    }
    expect(await owners(4)).toEqual([a, b, c, a])
    for (const id of [a, c]) dataOf(await switched(tenant, id, false))
    expect(await owners(8)).toEqual(Array(8).fill(b))
    dataOf(await switched(tenant, c, true)) // b has had nine, c one: c goes on from nine
    expect(await owners(4)).toEqual([c, b, c, b])
    dataOf(await switched(tenant, a, true)) // both have eleven
    dataOf(await switched(tenant, a, true)) // which changes nothing
    expect(await owners(6)).toEqual([a, c, b, a, c, b])
  })

  test('makes nobody wait for what the others had while it was the only one', async () => {
    const tenant = await makeTenant(service)
    const [a, b] = idsOf(await makeUsers(tenant, 2)) as [string, string]
    await makeRule(service.database, tenant.accountId, { userIds: [a, b] })
    const owners = async (count: number) => {
      const found: (string | null)[] = []
      for (let i = 0; i < count; i++) found.push(await turn(tenant))
      return found
    }
    dataOf(await switched(tenant, a, false))
    expect(await owners(9)).toEqual(Array(9).fill(b))
    dataOf(await switched(tenant, b, false))
    dataOf(await switched(tenant, a, true)) // nobody else is there: a goes on from its own none
    expect(await owners(2)).toEqual([a, a])
    dataOf(await switched(tenant, b, true)) // which has had nine, and goes on from two
    expect(await owners(4)).toEqual([b, a, b, a])
  })

  test('gains and loses nobody a turn who is switched off and on again and again', async () => {
    const tenant = await makeTenant(service)
    const [a, b, c] = idsOf(await makeUsers(tenant, 3)) as [string, string, string]
    await makeRule(service.database, tenant.accountId, { userIds: [a, b, c] })
    const found: (string | null)[] = []
    for (let i = 0; i < 24; i++) {
      const id = i % 2 ? a : c
      dataOf(await switched(tenant, id, false))
      dataOf(await switched(tenant, id, true))
      found.push(await turn(tenant))
    }
    expect([a, b, c].map((id) => found.filter((owner) => owner === id).length)).toEqual([8, 8, 8])
  })

  test('keeps who was there all the time within one of each other while others come and go', async () => {
    const tenant = await makeTenant(service)
    const users = idsOf(await makeUsers(tenant, 5))
    const [restless, ...steady] = users
    await makeRule(service.database, tenant.accountId, { userIds: users })
    const given: (string | null)[] = []
    const work = Array.from({ length: 90 }, (_, i) =>
      i % 9 === 0 ? switched(tenant, restless!, i % 2 === 1) : turn(tenant).then((owner) => given.push(owner)),
    )
    await Promise.all(work)
    const counts = steady.map((id) => given.filter((owner) => owner === id).length)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
    expect(given).not.toContain(null)
  })

  test('is right while the rule is switched off, on and deleted', async () => {
    const tenant = await makeTenant(service)
    const [a, b] = idsOf(await makeUsers(tenant, 2)) as [string, string]
    const sector = await makeSector(tenant)
    await makeRule(service.database, tenant.accountId, { userIds: [b] })
    const target = { sectorId: sector.id }
    const set = (isActive: boolean): Promise<Answer> =>
      tenant.client.graphql(SET, { input: { target, userIds: [a], isActive } })
    const rule = dataOf(await set(true))
    const work = Array.from({ length: 40 }, (_, i) => (i % 5 === 0 ? set(i % 10 === 0) : turn(tenant, target)))
    const found = await Promise.all([...work, tenant.client.graphql(DELETE, { id: rule.id })])
    for (const one of found) if (typeof one === 'string' || one === null) expect([a, b]).toContain(one)
  })
})
