import type { EntityManager } from '@mikro-orm/postgresql'
import { rowLock, type Scope, violates } from '../../database/index.js'
import { tellChange, tellUpdate } from '../../kit/changes.js'
import type { DeletedRecord } from '../../kit/deleted.js'
import { requireAll } from '../../kit/permissions.js'
import { AppError, type Fault, invalid, notFound } from '../../shared/errors.js'
import { given } from '../../shared/given.js'
import { isUuid } from '../../shared/ids.js'
import type { Viewer } from '../../shared/viewer.js'
import { sectorReads } from '../reference/index.js'
import { permissionsOfRole } from './role.policy.js'
import { User, UserRole } from './user.entity.js'
import { userActivated, userDeactivated, userRemoved } from './user.facts.js'
import type { CreateUserInput, UpdateUserInput } from './user.inputs.js'
import { idOfEmail, lockAdmins, userReads } from './user.reads.js'

// The second one knows the operators of the service, too.
const EMAIL_INDEXES = ['app_user_email_key', 'sign_in_email_key']

/**
 * Creates a user, of a role that may do no more than the viewer; DUPLICATE_ERROR when somebody in the service has the email.
 * In the same transaction it does `also`, if told what.
 */
export function createUser(
  db: Scope,
  viewer: Viewer,
  input: CreateUserInput,
  also?: (id: string) => Promise<void>,
): Promise<User> {
  const role = input.role ?? UserRole.SELLER
  requireAll(viewer, permissionsOfRole(role))
  return withFreeEmail(db, input.email, async (em) => {
    await requireSector(db, input.sectorId)
    const { id } = em.create(User, { ...input, role, accountId: db.accountId })
    await em.flush()
    await tellChange(db, 'user', id, 'created')
    await also?.(id)
    db.wrote(id)
    return (await userReads.find(db, id))!
  })
}

/**
 * Changes the given fields of a user who may do no more than the viewer, now and after; what changes nothing leaves no trace. The last active admin stays
 * one.
 */
export function updateUser(db: Scope, viewer: Viewer, id: string, input: UpdateUserInput): Promise<User> {
  return withFreeEmail(db, input.email, async (em) => {
    const steps = (input.role !== undefined && input.role !== UserRole.ADMIN) || input.isActive === false
    const others = steps ? (await lockAdmins(db)).filter((admin) => admin !== id.toLowerCase()) : []
    const user = await lockUser(em, db, id)
    // Whoever sends back what was read may send the sector that the user has, though it was deleted since.
    if (input.sectorId?.toLowerCase() !== user?.sectorId) await requireSector(db, input.sectorId)
    if (!user) throw notFound('user')
    for (const role of [user.role, input.role ?? user.role]) requireAll(viewer, permissionsOfRole(role))
    if (steps && isActiveAdmin(user) && others.length === 0) throw invalid(lastAdminFaults(input))
    // While the user is held: were two to swap their emails, one of them finds here that the other's is taken.
    const holder = input.email && (await idOfEmail(db, input.email))
    if (holder && holder !== user.id) throw duplicateEmail(holder)
    const returns = input.isActive === true && !user.isActive
    const leaves = input.isActive === false && user.isActive
    Object.assign(user, given(input))
    await tellUpdate(db, em, 'user', user)
    await em.flush()
    if (returns) await db.announce(userActivated, { userId: user.id })
    if (leaves) await db.announce(userDeactivated, { userId: user.id })
    db.forget(user.id)
    db.wrote(user.id)
    return (await userReads.find(db, user.id))!
  })
}

/**
 * Deletes a user: nobody is given to it any more, and its email is free again. What it has done and owns still names it.
 * The last active admin stays.
 */
export function deleteUser(db: Scope, viewer: Viewer, id: string): Promise<DeletedRecord> {
  return db.unitOfWork(async (em) => {
    const others = (await lockAdmins(db)).filter((admin) => admin !== id.toLowerCase())
    const user = await lockUser(em, db, id)
    if (!user) throw notFound('user')
    requireAll(viewer, permissionsOfRole(user.role))
    if (isActiveAdmin(user) && others.length === 0) {
      const message = 'This is the last active admin of the account: make another user an admin first.'
      throw new AppError('RECORD_IN_USE', message)
    }
    user.deletedAt = new Date()
    db.forget(user.id)
    await db.announce(userRemoved, { userId: user.id })
    return { id: user.id, deleted: true }
  })
}

const isActiveAdmin = ({ role, isActive }: User): boolean => role === UserRole.ADMIN && isActive

const userLock = rowLock('app_user')

async function lockUser(em: EntityManager, db: Scope, id: string): Promise<User | null> {
  if (!isUuid(id)) return null
  userLock.toChange(db, id)
  return em.findOne(User, { id, accountId: db.accountId, deletedAt: null })
}

async function requireSector(db: Scope, sectorId: string | null | undefined): Promise<void> {
  if (!sectorId || (await sectorReads.find(db, sectorId))) return
  throw invalid([{ path: ['input', 'sectorId'], message: 'is not the id of a sector' }])
}

function lastAdminFaults({ role, isActive }: UpdateUserInput): Fault[] {
  const message = 'must stay as it is: this is the last active admin of the account'
  const names = [
    ...(role === undefined || role === UserRole.ADMIN ? [] : ['role']),
    ...(isActive === false ? ['isActive'] : []),
  ]
  return names.map((name) => ({ path: ['input', name], message }))
}

/**
 * Runs a write that may give a user this email. The unique index decides, since it sees the users of all accounts;
 * whoever loses learns the id of the user in the way only when it is one of the account's own.
 */
async function withFreeEmail<T>(
  db: Scope,
  email: string | undefined,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  try {
    return await db.unitOfWork(work)
  } catch (error) {
    if (!EMAIL_INDEXES.some((index) => violates(error, index))) throw error
    // Inside a larger transaction, which has failed with this, nothing can be looked up any more.
    throw duplicateEmail(await idOfEmail(db, email!).catch(() => undefined))
  }
}

function duplicateEmail(existingId: string | undefined): AppError {
  const fault = { path: ['input', 'email'], message: 'another user has this email' }
  return new AppError('DUPLICATE_ERROR', 'A user with this email exists already.', {
    faults: [{ ...fault, ...(existingId && { extra: { existingId } }) }],
  })
}
