/** The demo account's tags. */
export const tags = [
  { name: 'Hot lead', color: '#dc2626' },
  { name: 'Decision maker', color: '#7c3aed' },
  { name: 'Newsletter', color: '#2563eb' },
  { name: 'Partner', color: '#16a34a' },
  { name: 'Do not call', color: '#6b7280' },
]

/** The demo account's sectors. */
export const sectors = [
  { name: 'Inside sales', description: 'Sells by phone and chat.', color: '#2563eb' },
  { name: 'Field sales', description: 'Visits customers in São Paulo and Minas Gerais.', color: '#16a34a' },
  { name: 'Partnerships', description: 'Looks after installers and resellers.', color: '#d97706' },
]

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
