import { randomUUID } from 'node:crypto'
import { type Context, type Database, Scope } from '../../src/database/index.js'
import { discardReasonReads, productReads, sectorReads } from '../../src/domains/reference/index.js'
import { userReads } from '../../src/domains/users/index.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeDiscardReason, makeProduct, makeSector } from '../support/factories/reference.js'
import { makeUser } from '../support/factories/users.js'
import { makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  // Row security would hide a condition on the account that a read forgot.
  service = await startTestApp({ rowSecurity: false })
})
afterAll(() => service.stop())

type Fields = { name: string; deletedAt?: Date; isActive?: boolean }

interface Kind {
  what: string
  make(database: Database, accountId: string, fields: Fields): Promise<{ id: string }>
  reads: {
    loader: (context: Context) => { loadMany(ids: string[]): Promise<({ id: string; name: string } | Error | null)[]> }
    find(db: Scope, id: string): Promise<{ id: string; name: string } | undefined>
  }
}

const KINDS: Kind[] = [
  { what: 'sectors', make: makeSector, reads: sectorReads },
  { what: 'discard reasons', make: makeDiscardReason, reads: discardReasonReads },
  { what: 'products', make: makeProduct, reads: productReads },
  { what: 'users', make: makeUser, reads: userReads },
]

describe.each(KINDS.map((kind) => [kind.what, kind] as const))('%s', (_, { make, reads }) => {
  async function scene() {
    const [mine, other] = [await makeTenant(service), await makeTenant(service)]
    const { database } = service
    const live = await make(database, mine.accountId, { name: 'Live', isActive: false })
    const gone = await make(database, mine.accountId, { name: 'Gone', deletedAt: new Date() })
    const foreign = await make(database, other.accountId, { name: 'Foreign' })
    return { db: Scope.ofSystem(database, mine.accountId), live, gone, foreign }
  }

  test('are loaded by id in one statement, deleted ones too, and never those of another account', async () => {
    const { db, live, gone, foreign } = await scene()
    const ids = [gone.id, foreign.id, live.id.toUpperCase(), randomUUID(), 'nothing']
    const { result, statements } = await service.statementsOf(() => reads.loader({ db } as Context).loadMany(ids))
    expect(result.map((row) => row && 'name' in row && row.name)).toEqual(['Gone', null, 'Live', null, null])
    expect(statements).toHaveLength(1)
  })

  test('can be referred to when they are live and of the account, in use or not', async () => {
    const { db, live, gone, foreign } = await scene()
    expect(await reads.find(db, live.id.toUpperCase())).toMatchObject({ id: live.id, name: 'Live', isActive: false })
    for (const id of [gone.id, foreign.id, randomUUID(), 'nothing', ''])
      expect(await reads.find(db, id)).toBeUndefined()
  })
})
