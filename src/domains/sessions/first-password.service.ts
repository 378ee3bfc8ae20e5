import { type Database, Scope, violates } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import { AppError } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import { looksLikeEmail, textFault, tidy } from '../../shared/text.js'
import { NO_ACCOUNT } from '../../shared/viewer.js'
import { Account } from '../accounts/index.js'
import { createUser, UserRole } from '../users/index.js'
import { Operator } from './operator.entity.js'
import { hashPassword, temporaryPassword } from './password.service.js'
import { storePassword } from './password-change.service.js'

/** A new person, and the password that it signs in with for the first time, which is shown this once. */
export interface FirstPassword {
  id: string
  temporaryPassword: string
}

interface NewPerson {
  email: string
  /** The email if left out. */
  name?: string
}

/** The operator's side of people: users with a first password, and further operators. */
export class People {
  constructor(private readonly database: Database) {}

  /** Creates a user who can sign in and must then choose a password. */
  async createUser(accountId: string, person: NewPerson, role: string): Promise<FirstPassword> {
    const { email, name } = checked(person)
    const wanted = Object.values(UserRole).find((one) => one === role)
    if (!wanted) throw refused(`The role must be one of ${Object.values(UserRole).join(', ')}.`)
    if (!isUuid(accountId) || !(await this.database.fork().findOne(Account, accountId))) {
      throw new AppError('NOT_FOUND', `There is no account ${accountId}.`)
    }
    const db = Scope.ofOperator(this.database, accountId)
    return withFirstPassword(db, async () => (await createUser(db, db.viewer, { email, name, role: wanted })).id)
  }

  /** Creates an operator, who belongs to no account, in the same way. */
  async createOperator(person: NewPerson): Promise<FirstPassword> {
    const fields = checked(person)
    const db = Scope.ofOperator(this.database, NO_ACCOUNT)
    try {
      return await withFirstPassword(db, () =>
        db.unitOfWork(async (em) => {
          const operator = em.create(Operator, fields)
          await em.flush()
          await tellChange(db, 'operator', operator.id, 'created')
          return operator.id
        }),
      )
    } catch (error) {
      if (!violates(error, 'sign_in_email_key')) throw error
      throw new AppError('DUPLICATE_ERROR', 'A user or operator with this email exists already.')
    }
  }
}

/** Gives a person a password that it may keep, inside the open transaction. */
export async function givePassword(db: Scope, person: string, password: string): Promise<void> {
  await storePassword(db, person, await hashPassword(password))
}

async function withFirstPassword(db: Scope, create: () => Promise<string>): Promise<FirstPassword> {
  const password = temporaryPassword()
  const hash = await hashPassword(password)
  return db.transaction(async () => {
    const id = await create()
    await storePassword(db, id, hash, { temporary: true })
    return { id, temporaryPassword: password }
  })
}

function checked({ email, name = email }: NewPerson): Required<NewPerson> {
  const tidied = { email: tidy(email), name: tidy(name) }
  if (!looksLikeEmail(tidied.email) || textFault(tidied.email, 320))
    throw refused('The email must be an email address.')
  const fault = tidied.name === '' ? 'must not be empty' : textFault(tidied.name, 255)
  if (fault) throw refused(`The name ${fault}.`)
  return tidied
}

const refused = (message: string) => new AppError('VALIDATION_ERROR', message)
