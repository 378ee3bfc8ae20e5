import DataLoader from 'dataloader'
import { builder, type Context, param, Statement } from '../../database/index.js'
import { notFound } from '../../shared/errors.js'
import type { Account } from './account.entity.js'

type AccountRow = Pick<Account, 'id' | 'name' | 'country' | 'currency' | 'timeZone'>

const byId = new Statement<AccountRow>(
  builder<{ account: Omit<AccountRow, 'timeZone'> & { time_zone: string } }>()
    .selectFrom('account')
    .select(['id', 'name', 'country', 'currency', 'time_zone as timeZone'])
    .where('id', '=', param('account')),
  { prepared: true },
)

/** Loads the account that the request belongs to; no other can be asked for. NOT_FOUND for operators, who have none. */
export function accountLoader({ db }: Context): DataLoader<string, Account> {
  return new DataLoader(async (ids) => {
    const rows = await db.rows(byId, {})
    return ids.map((id) => (rows.find((row) => row.id === id) as Account | undefined) ?? (notFound('account') as Error))
  })
}
