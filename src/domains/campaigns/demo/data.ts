import { CampaignContactStatus, CampaignStatus } from '../campaign.entity.js'

/** The demo account's campaigns, with the places of their sector, responsible user, and first and last contact. */
export const campaigns = [
  {
    name: 'Indústrias do interior',
    description: 'Diretores de operações no LinkedIn.',
    status: CampaignStatus.ACTIVE,
    channel: 'linkedin',
    automationActive: true,
    sector: 0,
    responsible: 2,
    contacts: [0, 14],
  },
  {
    name: 'Padarias e cafés',
    description: 'Conta de luz alta, telhado livre.',
    status: CampaignStatus.PAUSED,
    channel: 'whatsapp',
    automationActive: false,
    sector: 1,
    responsible: 3,
    contacts: [12, 24],
  },
  {
    name: 'Instaladores parceiros',
    description: 'Convite a instaladores certificados.',
    status: CampaignStatus.COMPLETED,
    channel: 'instagram',
    automationActive: false,
    sector: 2,
    responsible: 5,
    contacts: [26, 37],
  },
]

/** How far the contacts of a campaign are, in turns. */
export const campaignContactStatuses = Object.values(CampaignContactStatus)
