import { UserRole } from '../user.entity.js'

const EMAIL_DOMAIN = 'demo.fairlead.example'

/** The admin of the demo account, the first of its users. */
export const admin = { name: 'Helena Duarte', email: `helena.duarte@${EMAIL_DOMAIN}` }

/** The users after the admin, each with the place of the sector. */
export const users = [
  { name: 'Marta Reis', email: `marta.reis@${EMAIL_DOMAIN}`, role: UserRole.MANAGER, sector: 0 },
  { name: 'Bia Ramos', email: `bia.ramos@${EMAIL_DOMAIN}`, role: UserRole.SELLER, sector: 0 },
  { name: 'Caio Lima', email: `caio.lima@${EMAIL_DOMAIN}`, role: UserRole.SELLER, sector: 1 },
  { name: 'Rui Cardoso', email: `rui.cardoso@${EMAIL_DOMAIN}`, role: UserRole.SELLER, sector: 2 },
  { name: 'Lara Pontes', email: `lara.pontes@${EMAIL_DOMAIN}`, role: UserRole.SELLER, sector: 2 },
]
