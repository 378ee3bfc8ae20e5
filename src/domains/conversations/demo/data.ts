import { ConversationStatus } from '../conversation.entity.js'
import { SenderType } from '../message.entity.js'

const { ACTIVE, MANUAL, CLOSED } = ConversationStatus
const SENDERS: Record<string, SenderType> = { '<': SenderType.LEAD, '*': SenderType.AI, '>': SenderType.USER }

/** One message a line: `<` of the contact, `*` of an agent, `>` of a user. */
const said = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .map((line) => ({ senderType: SENDERS[line[0]!]!, content: line.slice(2) }))

interface Talk {
  /** The place of the contact. */
  contact: number
  status: ConversationStatus
  channel: 'WHATSAPP' | 'LINKEDIN' | 'INSTAGRAM'
  groupName?: string
  /** The place of the user who looks after it. */
  user?: number
  qualification?: { score: number; stage: string; reasons: string[]; objections: string[] }
  messages: { senderType: SenderType; content: string }[]
}

/** What was said in the demo account. */
export const talks: Talk[] = [
  {
    contact: 0,
    status: ACTIVE,
    channel: 'WHATSAPP',
    qualification: { score: 62, stage: 'warm', reasons: ['Conta de luz alta'], objections: [] },
    messages: said(`< Oi! Vi o anúncio de vocês. Atendem São Paulo capital?
      * Olá, Ana! Atendemos, sim. Quanto vem, em média, na sua conta de luz?
      < Uns 3.800 por mês.
      * Com esse consumo a economia costuma passar de 80%. Posso marcar uma visita técnica?`),
  },
  {
    contact: 2,
    status: MANUAL,
    channel: 'WHATSAPP',
    user: 2,
    qualification: {
      score: 85,
      stage: 'hot',
      reasons: ['Decide sozinha', 'Tem orçamento aprovado'],
      objections: ['Prazo de instalação'],
    },
    messages: said(`* Bom dia, Mariana! Recebi o seu cadastro. O telhado é próprio?
      < É sim, galpão nosso.
      < Mas preciso instalado até o fim do mês que vem.
      > Mariana, aqui é a Bia. Consigo encaixar a sua obra na segunda quinzena. Envio a proposta hoje.
      < Perfeito, aguardo!`),
  },
  {
    contact: 4,
    status: CLOSED,
    channel: 'LINKEDIN',
    user: 2,
    qualification: { score: 20, stage: 'cold', reasons: [], objections: ['Imóvel alugado', 'Sem orçamento'] },
    messages: said(`* Luísa, vi que a Grão Café abriu mais uma loja. Parabéns!
      < Obrigada! Mas o imóvel é alugado, não podemos mexer no telhado.
      > Entendido, Luísa. Fico à disposição se mudar. Um abraço!`),
  },
  {
    contact: 5,
    status: ACTIVE,
    channel: 'INSTAGRAM',
    messages: said(`< Qual o preço do kit de 5 kWp?
      * Oi, Rafael! O kit de 5 kWp sai por R$ 14.900, sem a instalação. É para casa ou empresa?
      < Empresa`),
  },
  {
    contact: 8,
    status: MANUAL,
    channel: 'WHATSAPP',
    groupName: 'Comitê de compras · Estúdio Ipê',
    user: 3,
    messages: said(`> Bom dia a todos! Segue o estudo de retorno que combinamos.
      < Recebido. O diretor financeiro pediu a versão com financiamento.
      > Incluo ainda hoje. Querem 48 ou 60 parcelas?
      < 60, por favor.
      < E o seguro dos painéis está incluso?`),
  },
  {
    contact: 9,
    status: ACTIVE,
    channel: 'LINKEDIN',
    qualification: { score: 48, stage: 'warm', reasons: ['Pediu material'], objections: ['Já tem fornecedor'] },
    messages: said(`* Otávio, vocês já avaliaram energia solar para a fábrica?
      < Já temos um fornecedor, mas manda o material.
      * Enviado! Quando termina o contrato atual?`),
  },
  {
    contact: 12,
    status: ACTIVE,
    channel: 'WHATSAPP',
    messages: said(`* Olá, Estela! Posso ajudar com o seu projeto?
      < Agora não consigo falar, me chama amanhã à tarde?
      * Claro! Chamo amanhã às 15h.`),
  },
  {
    contact: 14,
    status: CLOSED,
    channel: 'WHATSAPP',
    user: 3,
    qualification: { score: 96, stage: 'hot', reasons: ['Assinou o contrato'], objections: ['Preço'] },
    messages: said(`< Boa tarde, achei a proposta um pouco cara.
      > Boa tarde, Gabriela! Fechando esta semana consigo 5% no kit.
      < Com 5% eu fecho.
      > Combinado. Contrato enviado para assinatura.
      < Assinado!
      > Bem-vinda! A equipe de obras liga amanhã.`),
  },
  {
    contact: 18,
    status: MANUAL,
    channel: 'INSTAGRAM',
    user: 5,
    messages: said(`< Sou instaladora no Rio, como viro parceira?
      * Que bom, Karina! Você já tem registro no CREA?
      < Tenho sim, e uma equipe de quatro.
      > Karina, aqui é a Lara, de parcerias. Podemos conversar na quinta?`),
  },
  {
    contact: 21,
    status: CLOSED,
    channel: 'LINKEDIN',
    messages: said(`* Nicolas, abrimos vagas para parceiros no seu estado.
      < Não tenho interesse, obrigado.`),
  },
  {
    contact: 28,
    status: ACTIVE,
    channel: 'INSTAGRAM',
    qualification: { score: 71, stage: 'warm', reasons: ['Equipe própria', 'Atende três cidades'], objections: [] },
    messages: said(`* Ugo, recebi o seu cadastro de parceiro. Em quais cidades você atende?
      < São Paulo, Osasco e Guarulhos.
      * Ótimo! Quantas obras por mês a equipe consegue fazer?
      < Umas seis.`),
  },
  {
    contact: 30,
    status: MANUAL,
    channel: 'WHATSAPP',
    user: 4,
    qualification: { score: 54, stage: 'warm', reasons: ['Indicação de cliente'], objections: ['Quer comparar'] },
    messages: said(`< A Gabriela me indicou vocês.
      * Que bom, Wagner! Posso preparar uma estimativa?
      < Pode. Estou comparando com mais duas empresas.
      > Wagner, aqui é o Rui. Mando a estimativa com a garantia detalhada até amanhã.`),
  },
]
