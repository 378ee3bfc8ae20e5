import { type DemoWork, listed } from '../../../kit/demo.js'
import { reference } from '../../reference/index.js'
import { User, UserRole } from '../user.entity.js'
import { admin, users } from './data.js'

/** Makes the demo account's users: the first admin, whom every account has, and the others after it. */
export async function makeDemo({ em, accountId, made }: DemoWork) {
  const { sectors } = made(reference)
  const first = await em.findOneOrFail(User, { accountId, role: UserRole.ADMIN })
  Object.assign(first, admin)
  const others = users.map(({ sector, ...user }) =>
    em.create(User, { ...user, accountId, sectorId: sectors[sector]!.id }),
  )
  const staff = [first, ...others]
  return { made: { users: staff }, ids: { users: listed(staff) } }
}
