import { InstagramAgentStatus } from '../instagram.entity.js'

const profile = (username: string, displayName: string, bio: string, followersCount: number, website = '') => ({
  username,
  displayName,
  bio,
  followersCount,
  followingCount: 80 + (followersCount % 700),
  postsCount: 12 + (followersCount % 310),
  externalUrl: website && `https://${website}`,
  extractedContacts: {
    emails: website ? [`contato@${website}`] : [],
    phones: followersCount % 2 === 0 ? [`+5511${900_000_000 + followersCount * 37}`] : [],
    websites: website ? [`https://${website}`] : [],
  },
})

/** The demo account's collection agents with what they have found. */
export const instagramAgents = [
  {
    name: 'Instaladores em Campinas',
    description: 'Empresas que montam sistemas solares.',
    searchNiche: 'energia solar',
    searchLocation: 'Campinas',
    status: InstagramAgentStatus.ACTIVE,
    totalLimit: 50,
    profiles: [
      profile('sol.do.vale', 'Sol do Vale', 'Projetos e instalação. Orçamento grátis.', 5400, 'sol-do-vale.example'),
      profile('eletro.barao', 'Eletro Barão', 'Elétrica predial e solar.', 1311),
      profile('verdeluz.campinas', 'VerdeLuz', 'Energia limpa para a sua casa.', 8920, 'verdeluz.example'),
      profile('irmaos.tanaka', 'Irmãos Tanaka', 'Telhados e painéis desde 1998.', 742),
      profile('casa.ensolarada', 'Casa Ensolarada', 'Arquitetura que economiza.', 12_650, 'casa-ensolarada.example'),
      profile('voltz.eng', 'Voltz Engenharia', 'Homologação em 30 dias.', 2203),
    ],
  },
  {
    name: 'Cafés de Belo Horizonte',
    description: null,
    searchNiche: 'cafeteria',
    searchLocation: 'Belo Horizonte',
    status: InstagramAgentStatus.COMPLETED,
    totalLimit: null,
    profiles: [
      profile(
        'cafe.da.serra',
        'Café da Serra',
        'Torra própria, pão de queijo quente.',
        15_480,
        'cafe-da-serra.example',
      ),
      profile('grao.e.prosa', 'Grão & Prosa', 'Café, livro e conversa.', 6031),
      profile('padoca.lourdes', 'Padoca Lourdes', 'Fermentação natural.', 9874, 'padoca-lourdes.example'),
      profile('coador.azul', 'Coador Azul', 'Aberto todos os dias.', 3127),
      profile('forno.das.minas', 'Forno das Minas', 'Pães e quitandas.', 4410),
    ],
  },
]
