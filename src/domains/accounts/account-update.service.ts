import { sql } from 'kysely'
import { isSupportedCountry } from 'libphonenumber-js'
import { param, type Scope, Statement } from '../../database/index.js'
import { tellUpdate } from '../../kit/changes.js'
import { invalid } from '../../shared/errors.js'
import { given } from '../../shared/given.js'
import { isTimeZone } from '../../shared/time-zone.js'
import { Account } from './account.entity.js'
import type { UpdateAccountInput } from './account.inputs.js'

const lock = new Statement<never>(sql<never>`select from account where id = ${param('account')} for no key update`)

/** Changes the given settings of the account; what changes nothing leaves no trace. No amount and no number is converted. */
export function updateAccount(db: Scope, input: UpdateAccountInput): Promise<Account> {
  return db.unitOfWork(async (em) => {
    const country = input.country?.toUpperCase()
    if (country !== undefined && !isSupportedCountry(country)) {
      throw invalid([{ path: ['input', 'country'], message: 'must be the ISO 3166 code of a country, such as BR' }])
    }
    if (input.timeZone !== undefined && !isTimeZone(input.timeZone)) {
      throw invalid([
        { path: ['input', 'timeZone'], message: 'must be the name of a time zone, such as Europe/Lisbon' },
      ])
    }
    db.send(lock, {})
    const account = await em.findOneOrFail(Account, db.accountId)
    Object.assign(account, given({ ...input, country }))
    await tellUpdate(db, em, 'account', account)
    return account
  })
}
