import { CampaignContactStatus, CampaignStatus } from '../../../domains/campaigns/index.js'

/** Why the demo account loses or discards opportunities, with what it then notes. */
export const discardReasons = [
  { name: 'No budget', description: 'There is no money for it this year.', remark: 'Orçamento congelado até janeiro.' },
  {
    name: 'Chose a competitor',
    description: 'Another offer was preferred.',
    remark: 'Fechou com um fornecedor local.',
  },
  { name: 'No answer', description: 'Several attempts led to nothing.', remark: 'Cinco tentativas sem resposta.' },
  { name: 'Not a fit', description: 'We cannot offer what is needed.', remark: 'O telhado não suporta os painéis.' },
]

/** What the demo account sells; prices in whole reais, so that sums are exact. */
export const products = [
  {
    name: 'Kit solar 5 kWp',
    description: 'Dez painéis com inversor e estrutura.',
    defaultPrice: 14_900,
    timeUnit: null,
  },
  { name: 'Kit solar 20 kWp', description: 'Para pequenas empresas.', defaultPrice: 52_500, timeUnit: null },
  { name: 'Instalação', description: 'Montagem e ligação à rede.', defaultPrice: 6_800, timeUnit: null },
  { name: 'Monitoramento', description: 'Acompanhamento da geração.', defaultPrice: 190, timeUnit: 'month' },
  { name: 'Consultoria', description: 'Projeto elétrico e homologação.', defaultPrice: 320, timeUnit: 'hour' },
]

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
