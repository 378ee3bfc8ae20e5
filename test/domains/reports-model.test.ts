import fc from 'fast-check'
import { verifyTally } from '../../src/database/index.js'
import { compactTally } from '../../src/database/tally/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Client } from '../support/client.js'
import { makePipeline } from '../support/factories/pipelines.js'
import { makeDiscardReason, makeSector } from '../support/factories/reference.js'
import { makeUser } from '../support/factories/users.js'
import { makeTenant } from '../support/factories.js'
import { type Command, command, type Setting, SPANS, setting, spans } from '../support/report-commands.js'
import {
  type Filters,
  funnelOf,
  type Shown,
  type ShownPipeline,
  sellersOf,
  slaOf,
  summaryOf,
} from '../support/report-model.js'
import { TALLIES } from '../support/tallies.js'

// The reports, which are added up from kept totals, against a plain computation over what the list shows.

const FULL = process.env.FULL === 'true'
const RUNS = Number(process.env.RUNS ?? (FULL ? 60 : 5))
const SEED = process.env.SEED === undefined ? undefined : Number(process.env.SEED)

let service: TestApp
beforeAll(async () => {
  // Row security would hide a condition on the account that a report forgot.
  service = await startTestApp({ rowSecurity: false })
})
afterAll(() => service.stop())

const CREATE = 'mutation ($input: CreateOpportunityInput!) { createOpportunity(input: $input) { id } }'
const UPDATE =
  'mutation ($id: ID!, $input: UpdateOpportunityInput!) { updateOpportunity(id: $id, input: $input) { id } }'
const DISCARD = 'mutation ($id: ID!, $reason: ID!) { discardOpportunity(id: $id, discardReasonId: $reason) { id } }'
const RESTORE = 'mutation ($id: ID!) { restoreOpportunity(id: $id) { id } }'
const ADD = `mutation ($id: ID!, $input: AddOpportunityProductInput!) {
  addOpportunityProduct(id: $id, input: $input) { id } }`

interface World {
  accountId: string
  client: Client
  stageIds: string[]
  ownerIds: string[]
  sectorIds: string[]
  reasonId: string
  /** The opportunities that there are. */
  ids: string[]
  /** Those whose value follows from products. */
  withProducts: Set<string>
}

async function worldOf({ pipelines, owners, sectors }: Setting): Promise<World> {
  const { accountId, client } = await makeTenant(service)
  const { database } = service
  const stageIds = []
  for (const [i, stages] of pipelines.entries()) {
    const made = await makePipeline(database, accountId, { name: `Pipeline ${i}`, displayOrder: -i, stages })
    stageIds.push(...made.stages.map(({ id }) => id))
  }
  const ownerIds = []
  for (let i = 0; i < owners; i++) ownerIds.push((await makeUser(database, accountId)).id)
  const sectorIds = []
  for (let i = 0; i < sectors; i++) sectorIds.push((await makeSector(database, accountId)).id)
  const reasonId = (await makeDiscardReason(database, accountId)).id
  return { accountId, client, stageIds, ownerIds, sectorIds, reasonId, ids: [], withProducts: new Set() }
}

const at = <T>(list: readonly T[], index: number): T => list[index % list.length]!
const orNull = (list: readonly string[], index: number | null) => (index === null ? null : at(list, index))

async function mutate(client: Client, text: string, variables: object) {
  const { body } = await client.graphql(text, variables as Record<string, unknown>)
  expect(body.errors).toBeUndefined()
  return Object.values(body.data)[0] as { id: string }
}

/** The one thing that the API cannot do. */
const redate = (id: string, instant: string) =>
  service.database.pool.query('update opportunity set created_at = $2 where id = $1', [id, instant])

async function run(world: World, given: Command): Promise<void> {
  const { accountId, client, stageIds, ownerIds, sectorIds, reasonId, ids, withProducts } = world
  if (given.kind === 'compact') {
    for (const tally of TALLIES) await compactTally(service.database.pool, tally, accountId)
    return
  }
  if (given.kind === 'create') {
    const whose = { ownerUserId: orNull(ownerIds, given.owner), sectorId: orNull(sectorIds, given.sector) }
    const input = { name: 'Ana', stageId: at(stageIds, given.stage), value: given.value, ...whose }
    const { id } = await mutate(client, CREATE, { input })
    await redate(id, given.at)
    ids.push(id)
    return
  }
  if (ids.length === 0) return
  const id = at(ids, given.which)
  switch (given.kind) {
    case 'move': {
      const body = { stage_id: at(stageIds, given.stage) }
      expect(await client.call('PATCH', `/opportunities/${id}/stage`, { body })).toMatchObject({ status: 200 })
      return
    }
    case 'revalue':
      if (!withProducts.has(id)) await mutate(client, UPDATE, { id, input: { value: given.value } })
      return
    case 'assign': {
      const input = { ownerUserId: orNull(ownerIds, given.owner), sectorId: orNull(sectorIds, given.sector) }
      await mutate(client, UPDATE, { id, input })
      return
    }
    case 'discard':
      await mutate(client, DISCARD, { id, reason: reasonId })
      return
    case 'restore':
      await mutate(client, RESTORE, { id })
      return
    case 'delete':
      expect(await client.delete(`/opportunities/${id}`)).toMatchObject({ status: 200 })
      ids.splice(ids.indexOf(id), 1)
      return
    case 'product':
      await mutate(client, ADD, { id, input: { name: 'Kit', unitPrice: given.value, quantity: given.quantity } })
      withProducts.add(id)
      return
    case 'redate':
      await redate(id, given.at)
  }
}

async function shownOf(client: Client): Promise<Shown[]> {
  const all: Shown[] = []
  for (let page = 1; ; page++) {
    const { body } = await client.get(`/opportunities?limit=20&page=${page}`)
    all.push(...body.data)
    if (!body.pagination.has_next) return all
  }
}

async function told(client: Client, name: string, filters: Filters): Promise<unknown> {
  const given = Object.entries(filters).filter(([, text]) => text !== undefined)
  const { status, body } = await client.get(`/reports/${name}?${new URLSearchParams(given)}`)
  expect(status).toBe(200)
  return body.data
}

/** How many opportunities the compared reports counted, so that it shows when they are all empty. */
let counted = 0

async function compare(world: World, more: Pick<Filters, 'from' | 'to'>[]): Promise<void> {
  const { client, ownerIds, sectorIds } = world
  const all = await shownOf(client)
  expect(all.map(({ id }) => id).toSorted()).toEqual(world.ids.toSorted())
  const pipelines: ShownPipeline[] = (await client.get('/pipelines')).body.data
  const some = (ids: string[]) => [undefined, ...ids]
  let turn = 0
  for (const pipeline_id of some(pipelines.map(({ id }) => id))) {
    for (const sector_id of some(sectorIds)) {
      const place = { pipeline_id, sector_id }
      expect({ ...place, funnel: await told(client, 'funnel', place) }).toEqual({
        ...place,
        funnel: funnelOf(all, pipelines, place),
      })
      for (const owner_user_id of some(ownerIds)) {
        const spans = [...SPANS, ...more]
        // All spans with every combination take long; in the short run they take turns.
        const every = FULL || !(pipeline_id || sector_id || owner_user_id)
        for (const span of every ? spans : [at(spans, turn++), at(spans, turn++)]) {
          const filters = { ...place, owner_user_id, ...span }
          const [sla, summary, sellers] = await Promise.all(
            ['sla', 'sales-summary', 'sellers'].map((name) => told(client, name, filters)),
          )
          expect({ filters, sla, summary, sellers }).toEqual({
            filters,
            sla: slaOf(all, filters),
            summary: summaryOf(all, filters),
            sellers: sellersOf(all, filters),
          })
          counted += (sellers as { open_count: number }[]).length
        }
      }
    }
  }
}

test(
  'reports say of any opportunities, after any changes, what a plain computation over their list does',
  async () => {
    const commands = fc.array(command, { minLength: 25, maxLength: 40 })
    const property = fc.asyncProperty(setting, commands, spans, async (given, all, more) => {
      const world = await worldOf(given)
      for (const one of all) await run(world, one)
      await compare(world, more)
      for (const tally of TALLIES) {
        await compactTally(service.database.pool, tally, world.accountId)
        const wrong = await verifyTally(service.database.pool, tally)
        expect({ tally: tally.name, wrong }).toEqual({ tally: tally.name, wrong: [] })
      }
      if (FULL) await compare(world, more) // once more, from the totals as they were compacted
    })
    // A failure is told at once: to make a case smaller takes longer than to read it.
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true, seed: SEED })
    expect(counted).toBeGreaterThan(RUNS * 20)
  },
  FULL ? 3_600_000 : 120_000,
)
