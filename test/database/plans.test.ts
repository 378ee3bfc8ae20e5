import { assembly } from '../../src/assembly.js'
import { UserRole } from '../../src/domains/users/index.js'
import { seedAccount } from '../../src/seed/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makePerson, signIn } from '../support/factories/people.js'
import { makeTenant, type Tenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'
import { leastOf } from '../support/least.js'

// PostgreSQL plans five times for the values at hand before it weighs a plan for all values.
const OWN_PLANS = 5
const READS = 8

let service: TestApp
let tenant: Tenant
beforeAll(async () => {
  // Prepared statements belong to a connection, so there is but one.
  service = await startTestApp({ poolSize: 1, rowSecurity: false })
  tenant = await makeTenant(service)
  const plan = { accountId: tenant.accountId, contacts: 5000, notes: 0, opportunities: 2000, history: false, seed: 1 }
  await seedAccount(service.database, assembly.tallies, plan, () => {})
  // Most accounts are small. A plan that suits them best would read all of a large one, and sort it.
  await service.database.pool.query(`
    with small as (insert into account (id, name) select gen_random_uuid(), 'Small ' || n from generate_series(1, 3000) n
      returning id)
    insert into contact (id, account_id, name) select gen_random_uuid(), small.id, 'Contact ' || n
    from small, generate_series(1, 10) n order by random()`)
  await service.database.pool.query('vacuum (analyze) contact')
})
afterAll(() => service.stop())

const preparedReads = async () => {
  const { rows } = await service.database.requests.pool.query<{ statement: string; own: number; general: number }>(
    `select statement, custom_plans::int as own, generic_plans::int as general from pg_prepared_statements
     where statement ~* '^\\s*(with|select)'`,
  )
  return rows.filter(({ own, general }) => own + general >= READS)
}

test('first pages and single reads are not planned anew each time, whatever the limit', async () => {
  const { stage_id, pipeline_id, owner_user_id } = await someOpportunity()
  const opportunities = ['', `stage_id=${stage_id}&`, `pipeline_id=${pipeline_id}&`, `owner_user_id=${owner_user_id}&`]
  for (const list of ['/contacts?', ...opportunities.map((filter) => `/opportunities?${filter}`)]) {
    for (let i = 0; i < READS; i++) {
      const { body } = await tenant.client.get(`${list}limit=${10 + i}`)
      expect(body.data).toHaveLength(10 + i)
      const path = list.slice(0, list.indexOf('?'))
      expect((await tenant.client.get(`${path}/${body.data[0].id}`)).status).toBe(200)
    }
  }
  const reads = await preparedReads()
  expect(reads.length).toBeGreaterThanOrEqual(7)
  expect(reads.filter(({ own }) => own > OWN_PLANS).map(({ statement }) => statement)).toEqual([])
})

test.each([
  ['created_at', /^contact_created_idx$/],
  ['updated_at', /^contact_updated_idx$/],
  ['name', /^contact_name_idx$/],
  ['company', /^contact_company_(desc_)?idx$/],
  ['last_interaction', /^contact_interaction_(desc_)?idx$/],
])('the plan for all accounts reads no more than the page in the order of %s', async (sort, index) => {
  for (const order of ['asc', 'desc']) {
    expect(await scansOf('contact', `/contacts?sort_by=${sort}&sort_order=${order}`)).toEqual([scanOf(index)])
  }
})

test.each([
  ['stage_id', /^opportunity_stage_idx$/],
  ['pipeline_id', /^opportunity_pipeline_idx$/],
  ['owner_user_id', /^opportunity_owner_idx$/],
] as const)('the plan for every %s reads no more than the page', async (filter, index) => {
  const some = await someOpportunity()
  for (const order of ['asc', 'desc']) {
    const path = `/opportunities?${filter}=${some[filter]}&sort_order=${order}`
    expect(await scansOf('opportunity', path)).toEqual([scanOf(index)])
  }
})

test.each(
  ['created_at', 'updated_at', 'name', 'company', 'last_interaction'].flatMap((sort) =>
    ['asc', 'desc'].map((order) => [sort, order] as const),
  ),
)('a page that follows a cursor reads no more than the page, by %s %s', async (sort, order) => {
  const path = `/contacts?sort_by=${sort}&sort_order=${order}`
  const scans = await scansOf('contact', await followed(path))
  expect(scans.length).toBeGreaterThan(0)
  for (const scan of scans) expect(scan).toEqual(scanOf(/^contact_\w+_idx$/))
  for (const scan of scans) expect(scan['Index Cond']).toMatch(BEGINNING)
})

test.each(['contact', 'opportunity'])(
  'a page of a copy of each %s reads and counts little, first or late',
  async (table) => {
    const list = table === 'contact' ? '/contacts' : '/opportunities'
    const path = `${list}?updated_after=2020-01-01&sort_by=updated_at&sort_order=asc`
    const late = await followed(path)
    expect(await scansOf(table, late)).toEqual([scanOf(new RegExp(`^${table}_updated_idx$`))])
    // Few enough to be counted one by one, or not: 1,001 entries of the index tell, beside the page.
    const least = (limit: number, asked: string) =>
      leastOf(
        limit,
        (rows: number) => rows,
        () => rowsRead(table, () => tenant.client.get(asked)),
      )
    expect(await least(1500, `${path}&limit=10`)).toBeLessThan(1500)
    expect(await least(150, late)).toBeLessThan(150)
  },
)

test.each(['NAME', 'CREATED_AT'])("a page of a seller's contacts, by %s, reads no contact besides", async (by) => {
  const { pool } = service.database
  const { id, email } = await makePerson(service, { tenant, role: UserRole.SELLER })
  await pool.query('update opportunity set owner_user_id = $2 where account_id = $1', [tenant.accountId, id])
  await pool.query('vacuum (analyze) contact_seller')
  const { client } = await signIn(service, email)
  const query = `query ($cursor: String) { contacts(limit: 10, cursor: $cursor, sort: { by: ${by} }) {
    items { name } pagination { total nextCursor } } }`
  const page = (cursor?: string) => client.graphql(query, { cursor })
  const { pagination } = dataOf(await page())
  expect(pagination.total).toBeGreaterThan(500)
  for (const cursor of [undefined, pagination.nextCursor]) {
    const few = (rows: number) => rows
    expect(await leastOf(25, few, () => rowsRead('contact', () => page(cursor)))).toBeLessThan(25)
  }
})

/** How many rows and index entries of a table a call reads, once the plan for all values may be in use. */
async function rowsRead(table: string, call: () => Promise<{ status: number }>): Promise<number> {
  const { pool } = service.database
  const read = async () => {
    await pool.query('select pg_stat_force_next_flush()')
    await pool.query('select pg_stat_clear_snapshot()')
    const { rows } = await pool.query<{ n: number }>(
      `select (seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = $1))::int as n
       from pg_stat_user_tables where relname = $1`,
      [table],
    )
    return rows[0]!.n
  }
  for (let i = 0; i < READS; i++) expect((await call()).status).toBe(200)
  const before = await read()
  await call()
  return (await read()) - before
}

/** That an index is read from a place on, and not from its beginning. */
const BEGINNING = /ROW\(|IS NULL/

/** The page after the first one, by its cursor. */
const followed = async (path: string) =>
  `${path}&cursor=${(await tenant.client.get(`${path}&limit=10`)).body.pagination.next_cursor}`

const someOpportunity = async () =>
  (await tenant.client.get('/opportunities?limit=100')).body.data.find(
    (one: Record<string, string>) => one.owner_user_id,
  )

const scanOf = (index: RegExp) =>
  expect.objectContaining({ 'Node Type': 'Index Scan', 'Index Name': expect.stringMatching(index) })

/** How the plan for all values of a list's statement reads a table. */
async function scansOf(table: string, path: string): Promise<PlanNode[]> {
  const { statements } = await service.statementsOf(() => tenant.client.get(path))
  const list = statements.find((text) => text.includes('page as'))
  const { rows } = await service.database.pool.query(`explain (generic_plan, format json) ${list}`)
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === table)
}

interface PlanNode {
  Plans?: PlanNode[]
  [property: string]: unknown
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
