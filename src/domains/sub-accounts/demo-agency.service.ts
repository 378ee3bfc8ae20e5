import type { Scope } from '../../database/index.js'
import { removeAccounts } from '../accounts/index.js'
import { removeDemoAgency } from '../agencies/index.js'

// Whoever creates a sub-account locks the agency first: none comes into being after this.
const LOCK = 'select id from agency where is_demo for update'
const CLIENTS = 'select s.id from sub_account s join agency a on a.id = s.agency_id where a.is_demo'

/** Removes the demo agency with its tokens, events and money, if there is one, and the accounts of its clients. */
export function deleteDemoAgency(db: Scope): Promise<void> {
  return db.unitOfWork(async (em) => {
    await em.execute(LOCK)
    const clients = await em.execute<{ id: string }[]>(CLIENTS)
    await removeAccounts(
      em,
      clients.map(({ id }) => id),
    )
    await removeDemoAgency(db)
  })
}
