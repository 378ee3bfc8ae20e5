import { sql } from 'kysely'
import { assembly } from '../../src/assembly.js'
import { Database, defineFact, param, Scope, Statement, type Subscription, within } from '../../src/database/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeContact, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const renamed = defineFact<{ contactId: string; name: string }>('contactRenamed', 'contactId')
const ended = defineFact<{ contactId: string }>('contactEnded', 'contactId')

const rename = new Statement<{ name: string }>(
  sql`update contact set name = ${param('name')} where account_id = ${param('account')} and id = ${param('id')} returning name`,
)

/** The work of a scope of a database that these listen to, on a contact of a new account. */
async function withListeners(subscriptions: Subscription[], work: (db: Scope, contactId: string) => Promise<void>) {
  const { accountId } = await makeTenant(service)
  const { id } = await makeContact(service.database, accountId, { name: 'Before' })
  const { entities } = assembly
  const subscribers = subscriptions.map((each) => ({ ...each, domain: 'upper' }))
  const options = { url: service.databaseUrl, entities, subscribers, poolSize: 2, acquireTimeoutMs: 5000 }
  const database = await Database.open({ ...options, log: () => {} })
  try {
    await work(Scope.ofSystem(database, accountId), id)
  } finally {
    await database.close()
  }
  return nameOf(id)
}

const nameOf = async (id: string) =>
  (await service.database.pool.query('select name from contact where id = $1', [id])).rows[0].name

test('those who listen within the transaction do their part of it, in the order of the list', async () => {
  const heard: string[] = []
  const append = (text: string) =>
    within(renamed, async (db, { contactId, name }) => {
      const [row] = await db.rows(rename, { id: contactId, name: name + text })
      heard.push(row!.name)
    })
  const name = await withListeners(
    [append(' one'), within(ended, () => Promise.reject(new Error('another fact'))), append(' two')],
    (db, contactId) => db.transaction(() => db.announce(renamed, { contactId, name: 'After' })),
  )
  expect(heard).toEqual(['After one', 'After two'])
  expect(name).toBe('After two')
})

test('when one who listens fails, nothing of the transaction stays, what others did among it', async () => {
  const listeners = [
    within(renamed, async (db, { contactId, name }) => void (await db.rows(rename, { id: contactId, name }))),
    within(renamed, () => Promise.reject(new Error('cannot'))),
  ]
  const name = await withListeners(listeners, async (db, contactId) => {
    const work = db.transaction(() => db.announce(renamed, { contactId, name: 'After' }))
    await expect(work).rejects.toThrow('cannot')
  })
  expect(name).toBe('Before')
})

test('a fact cannot be announced outside of a transaction', async () => {
  await withListeners([], async (db, contactId) => {
    await expect(db.announce(ended, { contactId })).rejects.toThrow('contactEnded was announced outside')
  })
})

test('a fact to which nobody listens costs no statement', async () => {
  const { accountId } = await makeTenant(service)
  const db = Scope.ofSystem(service.database, accountId)
  const { statements } = await service.statementsOf(() =>
    db.transaction(() => db.announce(ended, { contactId: accountId })),
  )
  expect(statements).toEqual(['begin', 'commit'])
})
