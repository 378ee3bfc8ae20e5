const NAMES =
  `Ana Beatriz Souza|João Pedro Almeida|Mariana Conceição|Caio Fontes|Luísa Prado|Rafael Antunes|Íris Gonçalves
Thiago Barcellos|Helena Sá|Otávio Lacerda|Bruna Teixeira|Davi Moreira|Estela Guimarães|Fábio Nóbrega|Gabriela Pimenta
Henrique Vasconcelos|Isadora Câmara|José Ricardo Tavares|Karina Bittencourt|Leonardo Queiroz|Márcia Evangelista
Nicolas Drummond|Olívia Ramalho|Paulo César Brandão|Quitéria Lins|Renata Azevedo|Sérgio Monteiro|Tânia Falcão|Ugo Ferrari
Valéria Castilho|Wagner Siqueira|Xênia Duarte|Yasmin Abreu|Zeca Furtado|Alice Noronha|Bento Carvalhal|Cecília Mattos
Diego Peixoto|Elaine Rocha|Francisco Bragança`
    .split(/[|\n]/)
    .map((name) => name.trim())

const COMPANIES = [
  'Aurora Energia',
  'Casa Jatobá',
  'Delta Logística',
  'Estúdio Ipê',
  'Farol Seguros',
  'Grão Café',
  'Horizonte Tech',
]
const TITLES = ['Head of Sales', 'Founder', 'Marketing Manager', 'Buyer', 'Operations Director', 'IT Manager']
const CITIES = ['São Paulo', 'Rio de Janeiro', 'Belo Horizonte', 'Curitiba', 'Recife', 'Porto Alegre', 'Lisboa']
const SOURCES = ['api', 'linkedin', 'list', 'paid_traffic']
const CHANNELS = ['linkedin', 'whatsapp', 'instagram', null]
const NOTES = [
  'Asked for a proposal by the end of the month.',
  'Prefers WhatsApp in the afternoon.',
  'Met at the trade fair.',
]

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length]!

const ascii = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** The demo account's forty contacts. */
export const contacts = NAMES.map((name, index) => {
  const words = ascii(name).split(' ')
  const company = pick(COMPANIES, index * 3)
  return {
    name,
    email: `${words[0]}.${words.at(-1)}@${ascii(company).replaceAll(' ', '-')}.example`,
    phone: `+55119${String(90_000_000 + index * 137_911).slice(0, 8)}`,
    company,
    title: pick(TITLES, index),
    location: pick(CITIES, index * 2),
    linkedinProfileUrl: `https://www.linkedin.com/in/${words.join('-')}`,
    source: pick(SOURCES, index),
    sourceChannel: pick(CHANNELS, index),
    customFields:
      index % 4 === 3 ? null : { segment: pick(['SMB', 'Enterprise', 'Startup'], index), employees: 5 + index * 12 },
    tagNumbers: [...new Set([index % 5, (index * 2 + 1) % 5])].slice(0, (index % 3) + (index % 5 === 0 ? 0 : 1)),
    notes: NOTES.slice(0, index % 4),
    daysAgo: 0.2 + index * 2.25,
  }
})
