import { Lifecycle } from '../../../domains/pipelines/index.js'
import { UserRole } from '../../../domains/users/index.js'

/** The demo account's sectors. */
export const sectors = [
  { name: 'Inside sales', description: 'Sells by phone and chat.', color: '#2563eb' },
  { name: 'Field sales', description: 'Visits customers in São Paulo and Minas Gerais.', color: '#16a34a' },
  { name: 'Partnerships', description: 'Looks after installers and resellers.', color: '#d97706' },
]

const EMAIL_DOMAIN = 'demo.fairlead.example'

/** The owner of the demo account, the first of its users. */
export const owner = { name: 'Helena Duarte', email: `helena.duarte@${EMAIL_DOMAIN}` }

/** The users after the owner, each with the place of the sector. */
export const users = [
  { name: 'Marta Reis', email: `marta.reis@${EMAIL_DOMAIN}`, role: UserRole.ADMIN, sector: 0 },
  { name: 'Bia Ramos', email: `bia.ramos@${EMAIL_DOMAIN}`, role: UserRole.SELLER, sector: 0 },
  { name: 'Caio Lima', email: `caio.lima@${EMAIL_DOMAIN}`, role: UserRole.SELLER, sector: 1 },
  { name: 'Rui Cardoso', email: `rui.cardoso@${EMAIL_DOMAIN}`, role: UserRole.SELLER, sector: 2 },
  { name: 'Lara Pontes', email: `lara.pontes@${EMAIL_DOMAIN}`, role: UserRole.SELLER, sector: 2 },
]

/** The places of the users who take turns in the second pipeline. */
export const turns = [2, 4, 5]

/** What the demo makes of the default pipeline; its stages stay, but for the fourth. */
export const firstPipeline = {
  description: 'Companies that want their own solar power.',
  color: '#2563eb',
  icon: 'sun',
  displayOrder: 1,
}

/** The fourth stage of the default pipeline, so that meetings show in the reports. */
export const fourthStage = { name: 'Meeting', lifecycle: Lifecycle.SCHEDULED }

/** The demo account's second pipeline. */
export const secondPipeline = {
  name: 'Partners',
  description: 'Installers who sell and mount our systems.',
  color: '#d97706',
  icon: 'handshake',
  displayOrder: 2,
  stages: [
    { name: 'Invited', color: '#64748b', lifecycle: Lifecycle.SENT },
    { name: 'Accepted', color: '#2563eb', lifecycle: Lifecycle.ACCEPTED },
    { name: 'Qualifying', color: '#7c3aed', lifecycle: Lifecycle.QUALIFYING_STARTED },
    { name: 'Qualified', color: '#d97706', lifecycle: Lifecycle.QUALIFIED },
    { name: 'Partner', color: '#16a34a', lifecycle: Lifecycle.WON, isWinStage: true },
    { name: 'Declined', color: '#dc2626', lifecycle: Lifecycle.LOST, isLossStage: true },
  ],
}
