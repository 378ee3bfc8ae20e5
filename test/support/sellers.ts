import { Authenticator, type KnownCaller } from '../../src/domains/accounts/index.js'
import { permissionsOfRole, type User, UserRole } from '../../src/domains/users/index.js'
import type { TestApp } from './app.js'
import { type Client, createClient } from './client.js'
import { makeUser } from './factories/users.js'
import { makeKey } from './factories.js'

/** A user who sees only their own records, and a client that calls as they do. */
export interface Seller {
  user: User
  client: Client
}

/**
 * Makes sellers who call with keys. Keys stand for no user in the product, so the authenticator of this process takes the
 * keys of sellers for sessions of theirs, until `restore` is called.
 */
export function sellersOf(service: () => TestApp) {
  const users = new Map<string, string>()
  const { authenticate } = Authenticator.prototype
  const become = (known: KnownCaller): KnownCaller => {
    const userId = users.get(known.viewer.actor.id)
    if (!userId) return known
    return { ...known, viewer: { ...known.viewer, ownerScope: userId, actor: { ...known.viewer.actor, userId } } }
  }
  Authenticator.prototype.authenticate = function (this: Authenticator, ...args) {
    const found = authenticate.apply(this, args)
    return found instanceof Promise ? found.then(become) : become(found)
  }
  return {
    /** A seller of the account, with the permissions of the role unless others are given. */
    async make(accountId: string, permissions: string[] = [...permissionsOfRole(UserRole.SELLER)]): Promise<Seller> {
      const user = await makeUser(service().database, accountId, { role: UserRole.SELLER })
      const { key, secret } = await makeKey(service().database, accountId, { permissions })
      users.set(key.id, user.id)
      return { user, client: createClient(service().origin, secret) }
    },
    restore() {
      Authenticator.prototype.authenticate = authenticate
    },
  }
}
