import type { Context } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { accountLoader } from '../accounts/index.js'
import { type Me, PersonKind } from './session.types.js'
import { SIGN_IN_ERRORS } from './session-credential.service.js'
import { personOfId } from './sign-in.reads.js'

/** Whose session it is that asks. */
export async function whoAmI(context: Context): Promise<Me> {
  const { viewer } = context
  const person = await personOfId(context.asService(), viewer.actor.userId!)
  if (!person) throw new AppError(SIGN_IN_ERRORS.INVALID_SESSION, 'This session has ended: sign in again.')
  const { id, name, email, role, accountId, isTemporary } = person
  return {
    id,
    kind: accountId ? PersonKind.USER : PersonKind.OPERATOR,
    name,
    email,
    role,
    permissions: viewer.permissions,
    mustChangePassword: isTemporary,
    account: accountId ? await accountLoader(context).load(accountId) : null,
  }
}
