import { OpportunitySource } from '../opportunity.entity.js'

/** The demo account has more opportunities than contacts: the second ones are of older contacts. */
export const OPPORTUNITIES = 60

/** The stage in which each opportunity stands, by its number in its pipeline; the first are the youngest. */
const PLACES = ['112132415362412354163254136251432516', '121321435261354162534615']

const SOURCES = [
  OpportunitySource.LINKEDIN,
  OpportunitySource.GOOGLE_MAPS,
  OpportunitySource.LIST,
  OpportunitySource.PAID_TRAFFIC,
  OpportunitySource.OTHER,
]
const NOTES = ['Conta de luz de R$ 4.200 por mês.', 'Quer financiar em 60 vezes.', 'Decide com o sócio.', null]
const COMMENTS = [
  'Visita ao telhado marcada, levar o drone.',
  'Pediu desconto à vista.',
  'Enviei o estudo de retorno, gostou do prazo.',
  'Aguardando a conta de luz do mês.',
]

/** A line of products: the place of the product, how many, and the discount. */
export interface Line {
  product: number
  quantity: number
  discountPercent: number | null
  discountValue: number | null
}

/** Prices and discounts are such that every line is a whole number of cents. */
function linesOf(index: number): Line[] {
  if (index % 3 !== 0) return []
  const lines: Line[] = [
    { product: index % 2, quantity: 1 + (index % 4), discountPercent: index % 4 === 0 ? 5 : null, discountValue: null },
    { product: 2, quantity: 1, discountPercent: null, discountValue: index % 2 === 0 ? 500 : null },
    { product: 3 + (index % 2), quantity: 12, discountPercent: index % 5 === 0 ? 10 : null, discountValue: 0 },
  ]
  return lines.slice(0, 1 + (index % 9) / 3)
}

const SECOND = 40

/** The place of the pipeline. */
function pipelineOf(index: number): number {
  const turn = (index + (index < SECOND ? 0 : 1)) % 5
  return turn === 1 || turn === 3 ? 1 : 0
}

const PIPELINES = Array.from({ length: OPPORTUNITIES }, (_, index) => pipelineOf(index))

/** What is told of each opportunity, by its number. */
export const opportunities = PIPELINES.map((pipeline, index) => {
  const again = index >= SECOND
  const nth = PIPELINES.slice(0, index).filter((one) => one === pipeline).length
  const position = Number(PLACES[pipeline]![nth])
  return {
    pipeline,
    nth,
    /** The place of the contact. */
    contact: again ? index - 20 : index,
    /** How long after the contact it came, as a part of the time since then. */
    after: again ? 0.4 : 0.02,
    position,
    /** Lost ones do not all get equally far before. */
    passed: position === 6 ? 1 + (nth % 4) : Math.min(position, 5) - 1,
    /** Given up on without being moved to a stage for it. */
    discarded: position < 5 && index % 17 === 13,
    reason: index % 4,
    /** Days between two stages, at most. */
    pace: 2 + (index % 5),
    value: 4_000 + ((index * 7_919) % 60_000) + (index % 4) * 0.25,
    probability: [10, 25, 50, 70, 100, 0][position - 1]!,
    /** Days until it should be won. */
    closesIn: 15 + (index % 60),
    score: (index * 37) % 101,
    source: SOURCES[index % SOURCES.length]!,
    notes: NOTES[index % NOTES.length]!,
    sector: index % 7 === 6 ? null : pipeline === 1 ? 2 : index % 2,
    /** The place of the user in the first pipeline, null for nobody; in the second they take turns. */
    owner: index % 6 === 5 ? null : 2 + (index % 2),
    lines: linesOf(index),
    comments: index % 4 === 1 ? COMMENTS.slice(0, 1 + (index % 3)) : [],
  }
})
