import { tableOf } from '../../src/database/index.js'
import { compactTally } from '../../src/database/tally/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { expectTalliesRight, TALLIES, talliedAccount } from '../support/tallies.js'

const STORM_MS = process.env.FULL === 'true' ? 30_000 : 4000

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ poolSize: 20 })
})
afterAll(() => service.stop())

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows

test('nothing drifts in a storm of creations, moves, changes, deletions, killed connections and compactions', async () => {
  const scenes = await Promise.all([1, 2, 3].map(() => talliedAccount(service)))
  const random = (below: number) => Math.floor(Math.random() * below)
  const anyOf = <T>(list: readonly T[]) => list[random(list.length)]!
  const until = Date.now() + STORM_MS
  const done: Record<string, number> = {}
  /** Again and again until the storm ends; a victim of the killer, of a deadlock or of a timeout tries something else. */
  const stormy = (name: string, work: () => Promise<unknown>) => async () => {
    while (Date.now() < until) {
      const end = await work().then(
        () => name,
        () => 'failed',
      )
      done[end] = (done[end] ?? 0) + 1
    }
  }

  /** One or two statements in a transaction, which is sometimes taken back. */
  const transaction = async (...statements: [string, unknown[]][]) => {
    const client = await service.database.pool.connect()
    client.on('error', () => {})
    let failed = false
    try {
      await client.query('begin')
      for (const [text, values] of statements) await client.query(text, values)
      await client.query(Math.random() < 0.15 ? 'rollback' : 'commit')
    } catch (error) {
      failed = true
      throw error
    } finally {
      client.release(failed)
    }
  }
  const some = 'select id from opportunity where account_id = $1 order by random() limit 3 for update skip locked'
  const change = (set: string, ...values: unknown[]): [string, unknown[]] => [
    `update opportunity set ${set} where id in (${some})`,
    [anyOf(scenes).accountId, ...values],
  ]
  const create = (): [string, unknown[]] => {
    const { accountId, stages, owners, sectors } = anyOf(scenes)
    const { id, pipelineId } = anyOf(stages)
    const whose = [anyOf([...owners, null])?.id ?? null, anyOf([...sectors, null])?.id ?? null]
    return [
      `insert into opportunity (id, account_id, title, currency, value, pipeline_id, stage_id, owner_user_id, sector_id,
         created_at) select gen_random_uuid(), $1, 't', 'BRL', (random() * 1000)::numeric(14, 2), $2, $3, $4, $5,
         timestamptz '2026-01-01' + random() * interval '90 days' from generate_series(1, $6::int)`,
      [accountId, pipelineId, id, ...whose, 1 + random(5)],
    ]
  }
  const move = (): [string, unknown[]] => {
    const { accountId, stages } = anyOf(scenes)
    const { id, pipelineId } = anyOf(stages)
    const times = anyOf([
      'won_at = now(), lost_at = null',
      'won_at = null, lost_at = now()',
      'won_at = null, lost_at = null',
    ])
    return [
      `update opportunity set pipeline_id = $2, stage_id = $3, ${times} where id in (${some})`,
      [accountId, pipelineId, id],
    ]
  }
  const own = (): [string, unknown[]] => {
    const { accountId, owners, sectors } = anyOf(scenes)
    return [
      `update opportunity set owner_user_id = $2, sector_id = $3 where id in (${some})`,
      [accountId, anyOf([...owners, null])?.id ?? null, anyOf([...sectors, null])?.id ?? null],
    ]
  }
  const revalue = () => change('value = (random() * 1000)::numeric(14, 2)')
  const redate = () => change(`created_at = timestamptz '2026-01-01' + random() * interval '90 days'`)
  const discard = () => change('discarded_at = case when discarded_at is null then now() end')
  const remove = (): [string, unknown[]] => [`delete from opportunity where id in (${some})`, [anyOf(scenes).accountId]]
  const kill = async () => {
    await query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
       and pid <> pg_backend_pid() and state <> 'idle' order by random() limit 1`,
    )
    await new Promise((resolve) => setTimeout(resolve, 40))
  }
  const compact = (tally: (typeof TALLIES)[number], accountId: string) =>
    compactTally(service.database.pool, tally, accountId)
  const compactOne = () => compact(anyOf(TALLIES), anyOf(scenes).accountId)

  await transaction(create(), create())
  const workers = [
    stormy('create', () => transaction(create())),
    stormy('create', () => transaction(create(), anyOf([move, revalue, own])())),
    stormy('move', () => transaction(move())),
    stormy('move', () => transaction(move(), revalue())),
    stormy('change', () => transaction(anyOf([own, revalue, redate])())),
    stormy('change', () => transaction(discard())),
    stormy('change', () => transaction(redate(), own())),
    stormy('remove', () => transaction(remove())),
    stormy('compact', compactOne),
    stormy('compact', compactOne),
    stormy('kill', kill),
  ]
  await Promise.all(workers.map((work) => work()))

  await expectTalliesRight(service)
  for (const kind of ['create', 'move', 'change', 'remove', 'compact', 'kill']) expect(done[kind]).toBeGreaterThan(0)
  for (const tally of TALLIES) {
    for (const { accountId } of scenes) {
      await compact(tally, accountId)
      const nothing = `select * from ${tableOf(tally)} where account_id = $1 and (fresh or n = 0 and value = 0)`
      expect(await query(nothing, [accountId])).toEqual([])
    }
  }
  await expectTalliesRight(service)
  const [{ n }] = await query('select count(*)::int as n from opportunity where account_id = any($1)', [
    scenes.map(({ accountId }) => accountId),
  ])
  expect(n).toBeGreaterThan(0)
}, 90_000)
