import type { EntityManager } from '@mikro-orm/postgresql'
import type { Contact } from '../../domains/contacts/index.js'
import {
  HistoryAction,
  Opportunity,
  OpportunityComment,
  OpportunityHistory,
  OpportunityProduct,
} from '../../domains/opportunities/index.js'
import { Lifecycle, RoundRobinRule, type Stage } from '../../domains/pipelines/index.js'
import type { User } from '../../domains/users/index.js'
import { campaigns, discardReasons } from './data/offer.js'
import { type Line, opportunities } from './data/opportunities.js'
import { turns } from './data/organisation.js'
import type { Organisation } from './organisation.js'

const DAY = 86_400_000

type Plan = (typeof opportunities)[number]

/** A stage, and when the opportunity came into it. */
interface Step {
  stage: Stage
  at: Date
}

const MOMENTS = {
  [Lifecycle.SENT]: 'sentAt',
  [Lifecycle.ACCEPTED]: 'acceptedAt',
  [Lifecycle.QUALIFYING_STARTED]: 'qualifyingStartedAt',
  [Lifecycle.QUALIFIED]: 'qualifiedAt',
  [Lifecycle.SCHEDULED]: 'scheduledAt',
  [Lifecycle.WON]: 'wonAt',
  [Lifecycle.LOST]: 'lostAt',
} as const

/** Makes the demo account's opportunities as if they had been worked on until now, and returns them by their number. */
export async function makeOpportunities(
  em: EntityManager,
  accountId: string,
  organisation: Organisation,
  contacts: readonly Contact[],
): Promise<Opportunity[]> {
  const made = opportunities.map((plan) => makeOpportunity(em, accountId, organisation, contacts[plan.contact]!, plan))
  const pipelineId = organisation.pipelines[1].pipeline.id
  const rule = await em.findOneOrFail(RoundRobinRule, { accountId, pipelineId }, { filters: false })
  rule.turn = String(opportunities.filter(({ pipeline }) => pipeline === 1).length)
  return made
}

function makeOpportunity(
  em: EntityManager,
  accountId: string,
  organisation: Organisation,
  contact: Contact,
  plan: Plan,
): Opportunity {
  const { pipeline, stages } = organisation.pipelines[plan.pipeline]!
  const owner = ownerOf(plan, organisation.users)
  const steps = stepsOf(plan, stages, contact.createdAt)
  const [first, last] = [steps[0]!, steps.at(-1)!]
  const lines = plan.lines.map((line) => priced(line, organisation))
  const value = lines.length > 0 ? lines.reduce((sum, { totalPrice }) => sum + totalPrice, 0) : plan.value
  const moments = steps.flatMap(({ stage, at }) => (stage.lifecycle ? [[MOMENTS[stage.lifecycle], at]] : []))
  const lost = last.stage.isLossStage
  const opportunity = em.create(Opportunity, {
    accountId,
    title: contact.name,
    value,
    currency: 'BRL',
    probability: plan.probability,
    expectedCloseDate: dayOf(Date.now() + plan.closesIn * DAY),
    pipelineId: pipeline.id,
    stageId: last.stage.id,
    campaignId: campaignOf(plan, organisation),
    ownerUserId: owner?.id ?? null,
    sectorId: plan.sector === null ? null : organisation.sectors[plan.sector]!.id,
    discardReasonId: lost || plan.discarded ? organisation.discardReasons[plan.reason]!.id : null,
    contactId: contact.id,
    score: plan.score,
    source: plan.source,
    notes: plan.notes,
    ...Object.fromEntries(moments),
    lossReason: lost ? discardReasons[plan.reason]!.remark : null,
    discardedAt: plan.discarded ? between(last.at, 0.5) : null,
    createdAt: first.at,
  })
  const opportunityId = opportunity.id
  const userName = owner?.name ?? organisation.users[0]!.name
  const row = { accountId, opportunityId, userName }
  const before = lines.length > 0 ? 0 : value
  const to = ({ stage }: Step) => ({ toStageId: stage.id, toStageName: stage.name })
  em.create(OpportunityHistory, {
    ...row,
    ...to(first),
    action: HistoryAction.CREATED,
    toValue: before,
    createdAt: first.at,
  })
  for (const [i, step] of steps.slice(1).entries()) {
    const { stage } = steps[i]!
    const notes = step.stage.isLossStage ? opportunity.lossReason : null
    const moved = { fromStageId: stage.id, fromStageName: stage.name, ...to(step), notes, createdAt: step.at }
    em.create(OpportunityHistory, { ...row, ...moved, action: HistoryAction.STAGE_CHANGED })
  }
  for (const [i, line] of lines.entries()) {
    const createdAt = after(first.at, i + 1)
    em.create(OpportunityProduct, { ...line, accountId, opportunityId, createdAt })
    const [fromValue, toValue] = [lines.slice(0, i), lines.slice(0, i + 1)].map((some) =>
      some.reduce((sum, { totalPrice }) => sum + totalPrice, before),
    )
    em.create(OpportunityHistory, { ...row, action: HistoryAction.VALUE_CHANGED, fromValue, toValue, createdAt })
  }
  for (const [i, content] of plan.comments.entries()) {
    const createdAt = after(last.at, i + 1)
    em.create(OpportunityComment, { accountId, opportunityId, content, userName, createdAt })
  }
  return opportunity
}

/** In the second pipeline its rule has given them away, one after the other. */
function ownerOf({ pipeline, nth, owner }: Plan, users: readonly User[]): User | undefined {
  if (pipeline === 1) return users[turns[nth % turns.length]!]
  return owner === null ? undefined : users[owner]
}

/** The way to the present stage; all of it lies in the past, however young the contact is. */
function stepsOf({ passed, position, pace, after: share }: Plan, stages: readonly Stage[], since: Date): Step[] {
  const start = between(since, share)
  const way = [...stages.slice(0, passed), stages[position - 1]!]
  const rest = (Date.now() - start.getTime()) * 0.8
  const step = Math.min(pace * DAY, rest / way.length)
  return way.map((stage, i) => ({ stage, at: new Date(start.getTime() + i * step) }))
}

/** The campaign that the contact is in, the first of several. */
function campaignOf({ contact }: Plan, { campaigns: efforts }: Organisation): string | null {
  const number = campaigns.findIndex(({ contacts }) => contacts[0]! <= contact && contact <= contacts[1]!)
  return efforts[number]?.id ?? null
}

function priced({ product: place, quantity, discountPercent, discountValue }: Line, { products }: Organisation) {
  const { id: productId, name, defaultPrice: unitPrice } = products[place]!
  const cents = quantity * unitPrice * (100 - (discountPercent ?? 0)) - (discountValue ?? 0) * 100
  return { productId, name, quantity, unitPrice, discountPercent, discountValue, totalPrice: cents / 100 }
}

/** The moment after so much of the time from then until now. */
const between = (then: Date, share: number) => new Date(then.getTime() + (Date.now() - then.getTime()) * share)

/** Some minutes later. */
const after = (then: Date, minutes: number) => new Date(then.getTime() + minutes * 60_000)

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
