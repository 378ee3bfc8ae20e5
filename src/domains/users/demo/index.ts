import { type DemoWork, listed } from '../../../kit/demo.js'
import { reference } from '../../reference/index.js'
import { User, UserRole } from '../user.entity.js'
import { owner, users } from './data.js'

/** Makes the demo account's users: the owner, whom every account has, and the others after it. */
export async function makeDemo({ em, accountId, made }: DemoWork) {
  const { sectors } = made(reference)
  const first = await em.findOneOrFail(User, { accountId, role: UserRole.OWNER })
  Object.assign(first, owner)
  const others = users.map(({ sector, ...user }) =>
    em.create(User, { ...user, accountId, sectorId: sectors[sector]!.id }),
  )
  const staff = [first, ...others]
  return { made: { users: staff }, ids: { users: listed(staff) } }
}
