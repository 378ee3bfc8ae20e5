import type { Scope } from '../../database/index.js'
import { User, UserRole } from './user.entity.js'

/** Gives a new account its owner, whose address is a placeholder until it is changed. */
export async function addOwner(db: Scope, { accountId }: { accountId: string }): Promise<void> {
  const email = `owner@${accountId}.invalid`
  await db.unitOfWork(async (em) => em.create(User, { accountId, name: 'Owner', email, role: UserRole.OWNER }))
}
