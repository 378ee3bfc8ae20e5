import { assembly } from '../../src/assembly.js'
import { type EntityType, storedFields, tableOfEntity } from '../../src/kit/reads/index.js'
import { startTestApp, type TestApp } from '../support/app.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

/** Columns whose change is no change of the record, and why. */
const NO_CONTENT: Record<string, Record<string, string>> = {
  ai_agent: { is_active: 'follows from status' },
  stage: { pipeline_id: 'a stage stays in its pipeline' },
  round_robin_rule: {
    sector_id: 'a rule keeps its target',
    pipeline_id: 'a rule keeps its target',
  },
  flow_enrollment: { attempts: "a worker's own", claimed_until: "a worker's own" },
  instagram_agent: { total_profiles_found: 'a kept count' },
}

const ALWAYS = ['id', 'account_id', 'created_at', 'updated_at']

/** The columns that a trigger compares; undefined where it compares whole rows. */
function comparedBy(definition: string): string[] | undefined {
  if (/old\.\* IS DISTINCT FROM new\.\*/i.test(definition)) return undefined
  const columns = [...definition.matchAll(/\bold\."?(\w+)/gi)].map((match) => match[1]!)
  return columns.filter((column) => column !== 'updated_at')
}

test('a change of each column that an entity holds, and of nothing else, changes its updated_at', async () => {
  const { rows } = await service.database.pool.query<{ table: string; definition: string }>(
    `select tgrelid::regclass::text as table, pg_get_triggerdef(oid) as definition from pg_trigger
     where tgfoid = 'stamp'::regproc and tgtype & 16 > 0`,
  )
  const triggers = new Map(rows.map(({ table, definition }) => [table, definition]))
  const stamped = (assembly.entities as EntityType[]).filter((entity) =>
    storedFields(entity).some(({ column }) => column === 'updated_at'),
  )
  expect(stamped.length).toBeGreaterThan(10)
  for (const entity of stamped) {
    const table = tableOfEntity(entity)
    const content = storedFields(entity)
      .map(({ column }) => column)
      .filter((column) => !ALWAYS.includes(column))
    const exceptions = Object.keys(NO_CONTENT[table] ?? {})
    const expected = content.filter((column) => !exceptions.includes(column)).toSorted()
    const compared = comparedBy(triggers.get(table) ?? '') ?? content
    expect({ table, columns: compared.toSorted() }).toEqual({ table, columns: expected })
    expect(content).toEqual(expect.arrayContaining(exceptions)) // else the exception is of the past
  }
  expect([...triggers.keys()].toSorted()).toEqual(stamped.map(tableOfEntity).toSorted())
})
