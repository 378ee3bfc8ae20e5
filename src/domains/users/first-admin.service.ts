import type { Scope } from '../../database/index.js'
import { standingsInTurn } from '../accounts/index.js'
import { User, UserRole } from './user.entity.js'
import { userRemoved } from './user.facts.js'

/** Gives a new account its first admin, whose address is a placeholder until it is changed. */
export async function addFirstAdmin(db: Scope, { accountId }: { accountId: string }): Promise<void> {
  const email = `admin@${accountId}.invalid`
  await db.unitOfWork(async (em) => em.create(User, { accountId, name: 'Admin', email, role: UserRole.ADMIN }))
}

/** Who is to be the first admin of an account. */
export interface FirstAdmin {
  name: string
  email: string
}

/**
 * Gives the first admin of a new account its name and address. Until it is activated it can do nothing. Returns its id; the
 * unique index refuses an address that somebody in the service has.
 */
export function nameFirstAdmin(db: Scope, { name, email }: FirstAdmin): Promise<string> {
  return db.unitOfWork(async (em) => {
    const admin = await em.findOneOrFail(User, { accountId: db.accountId, role: UserRole.ADMIN })
    Object.assign(admin, { name, email, isActive: false })
    await em.flush()
    return admin.id
  })
}

/** Lets the first admin work. */
export async function activateFirstAdmin(db: Scope, id: string): Promise<void> {
  await db.unitOfWork(async (em) => {
    const admin = await em.findOneOrFail(User, { id, accountId: db.accountId })
    admin.isActive = true
  })
}

/** Shuts out all people of an account that ends: nobody signs in any more, and their addresses are free. */
export async function shutOutUsers(db: Scope): Promise<void> {
  await db.unitOfWork(async (em) => {
    standingsInTurn(db)
    const users = await em.find(User, { accountId: db.accountId, deletedAt: null }, { orderBy: { id: 'asc' } })
    for (const user of users) {
      Object.assign(user, { isActive: false, deletedAt: new Date() })
      await em.flush()
      db.forget(user.id)
      await db.announce(userRemoved, { userId: user.id })
    }
  })
}
