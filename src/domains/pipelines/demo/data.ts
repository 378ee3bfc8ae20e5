import { Lifecycle } from '../pipeline.entity.js'

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
