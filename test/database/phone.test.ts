import { assembly } from '../../src/assembly.js'
import { Scope } from '../../src/database/index.js'
import { holderOfPhone } from '../../src/domains/contacts/index.js'
import { seedAccount } from '../../src/seed/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant } from '../support/factories.js'

// Of an account this large PostgreSQL takes a number for one that hundreds have.
const CONTACTS = 30_000

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

test('who has a number is looked for among those alone, in a large account too', async () => {
  const { accountId } = await makeTenant(service)
  const plan = { accountId, contacts: CONTACTS, notes: 0, opportunities: 0, history: false, seed: 1 }
  await seedAccount(service.database, assembly.tallies, plan, () => {})
  await service.database.pool.query('analyze contact')
  const db = Scope.ofSystem(service.database, accountId)
  const { result, statements } = await service.statementsOf(() => holderOfPhone(db, '+55 11 98765-4321'))
  expect(result).toBeNull()
  const { rows } = await service.database.pool.query(
    `explain (generic_plan) ${statements.find((text) => text.includes('phone_key'))}`,
  )
  const scans = rows.flatMap((row) => /Scan.* on contact\b/.exec(row['QUERY PLAN'])?.[0] ?? [])
  expect(scans).toEqual([expect.stringMatching(/contact_phone_key_idx/)])
})
