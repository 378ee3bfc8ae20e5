import { Scope } from '../../src/database/index.js'
import { Contact, type FillableFields, fillEmptyFields, matchContact } from '../../src/domains/contacts/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeContact, makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  // Row security would hide a condition on the account that a statement forgot.
  service = await startTestApp({ rowSecurity: false })
})
afterAll(() => service.stop())

/** A new account with a contact, and how to fill it. */
async function makeSubject(fields: Partial<Contact>) {
  const { accountId } = await makeTenant(service)
  const { id } = await makeContact(service.database, accountId, fields)
  const db = () => Scope.ofSystem(service.database, accountId)
  const fill = (given: FillableFields) => {
    const scope = db()
    return scope.transaction(() => fillEmptyFields(scope, id, given))
  }
  const read = () => service.database.forkFor(accountId).findOneOrFail(Contact, { id })
  return { accountId, id, db, fill, read }
}

const FULL = {
  email: 'full@example.com',
  phone: '+5511911111111',
  company: 'full',
  title: 'full',
  location: 'full',
  linkedinProfileUrl: 'linkedin.com/in/full',
  headline: 'full',
  about: 'full',
  profilePicture: 'https://example.com/full.jpg',
  extractedContacts: { emails: ['full@example.com'], phones: [], websites: [] },
}

test('every empty field is filled, and no other', async () => {
  const { fill, read } = await makeSubject({ name: 'Known', company: '', title: 'kept' })
  await fill({ ...FULL, phone: '(11) 91111-1111' })
  expect(await read()).toMatchObject({ ...FULL, name: 'Known', title: 'kept', source: 'api' })
})

test('a contact with nothing to fill is not touched, nor by a call with nothing in it', async () => {
  const { fill, read } = await makeSubject({ ...FULL, name: 'Known' })
  const before = await read()
  await fill({ ...FULL, email: 'other@example.com', company: 'other', extractedContacts: { phones: ['1'] } })
  const { fill: fillBare, read: readBare } = await makeSubject({ name: 'Bare' })
  const bare = await readBare()
  await fillBare({ company: '', title: null, email: undefined, extractedContacts: { emails: [''], phones: [] } })
  expect(await read()).toEqual(before)
  expect(await readBare()).toEqual(bare)
})

test('an email that another contact of the account has is left out, one of another account is not', async () => {
  const subject = await makeSubject({ name: 'Known' })
  await makeContact(service.database, subject.accountId, { email: 'Taken@example.com' })
  await subject.fill({ email: 'taken@EXAMPLE.com', company: 'filled' })
  expect(await subject.read()).toMatchObject({ email: null, company: 'filled' })
  const other = await makeTenant(service)
  await makeContact(service.database, other.accountId, { email: 'free@example.com' })
  await subject.fill({ email: 'free@example.com' })
  expect(await subject.read()).toMatchObject({ email: 'free@example.com' })
})

test('a contact of another account is not filled', async () => {
  const subject = await makeSubject({ name: 'Known' })
  const stranger = await makeTenant(service)
  const db = Scope.ofSystem(service.database, stranger.accountId)
  await db.transaction(() => fillEmptyFields(db, subject.id, FULL))
  expect(await subject.read()).toMatchObject({ email: null, company: null })
})

test('of many who fill at once, each field has one value and nothing is lost', async () => {
  const subject = await makeSubject({ name: 'Known' })
  const names = ['company', 'title', 'location', 'headline'] as const
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => subject.fill({ [names[i % 4]!]: `by ${i}`, about: `by ${i}` })),
  )
  const filled = await subject.read()
  for (const name of [...names, 'about'] as const) expect(filled[name]).toMatch(/^by \d+$/)
})

test('an email that many contacts are to get at once goes to one of them', async () => {
  const { accountId } = await makeTenant(service)
  const contacts = await Promise.all(Array.from({ length: 8 }, () => makeContact(service.database, accountId)))
  const fields = { email: 'one@example.com', company: 'filled' }
  await Promise.all(
    contacts.map(({ id }) => {
      const db = Scope.ofSystem(service.database, accountId)
      return db.transaction(() => fillEmptyFields(db, id, fields))
    }),
  )
  const found = await service.database.forkFor(accountId).find(Contact, {})
  expect(found.filter(({ email }) => email === 'one@example.com')).toHaveLength(1)
  expect(found.filter(({ company }) => company === 'filled')).toHaveLength(8)
})

test('a person with neither profile nor email is nobody who is known', async () => {
  const { db } = await makeSubject({ name: 'Known' })
  const scope = db()
  expect((await scope.transaction(() => matchContact(scope, {}))).id).toBeNull()
})
