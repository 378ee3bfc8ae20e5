import type { Scope } from '../../database/index.js'
import { User, UserRole } from './user.entity.js'

/** Gives a new account its first admin, whose address is a placeholder until it is changed. */
export async function addFirstAdmin(db: Scope, { accountId }: { accountId: string }): Promise<void> {
  const email = `admin@${accountId}.invalid`
  await db.unitOfWork(async (em) => em.create(User, { accountId, name: 'Admin', email, role: UserRole.ADMIN }))
}
