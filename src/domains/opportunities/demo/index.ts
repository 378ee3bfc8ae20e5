import type { DemoWork } from '../../../kit/demo.js'
import { campaigns } from '../../campaigns/index.js'
import { type Contact, contacts } from '../../contacts/index.js'
import { Lifecycle, pipelines, type Stage } from '../../pipelines/index.js'
import { type Product, reference } from '../../reference/index.js'
import { type User, users } from '../../users/index.js'
import { OpportunityComment } from '../comment.entity.js'
import { HistoryAction, OpportunityHistory } from '../history.entity.js'
import { Opportunity } from '../opportunity.entity.js'
import { OpportunityProduct } from '../product-line.entity.js'
import { type Line, opportunities } from './data.js'

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

/** Makes the demo account's opportunities as if they had been worked on until now. */
export function makeDemo(work: DemoWork) {
  const people = work.made(contacts).contacts
  return { made: { opportunities: opportunities.map((plan) => makeOpportunity(work, people[plan.contact]!, plan)) } }
}

function makeOpportunity({ em, accountId, made }: DemoWork, contact: Contact, plan: Plan): Opportunity {
  const { sectors, discardReasons, remarks, products } = made(reference)
  const staff = made(users).users
  const { ways, taker } = made(pipelines)
  const { pipeline, stages } = ways[plan.pipeline]!
  const owner = plan.pipeline === 1 ? taker(plan.nth) : ownerOf(plan, staff)
  const steps = stepsOf(plan, stages, contact.createdAt)
  const [first, last] = [steps[0]!, steps.at(-1)!]
  const lines = plan.lines.map((line) => priced(line, products))
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
    campaignId: made(campaigns).campaignOf(plan.contact)?.id ?? null,
    ownerUserId: owner?.id ?? null,
    sectorId: plan.sector === null ? null : sectors[plan.sector]!.id,
    discardReasonId: lost || plan.discarded ? discardReasons[plan.reason]!.id : null,
    contactId: contact.id,
    score: plan.score,
    source: plan.source,
    notes: plan.notes,
    ...Object.fromEntries(moments),
    lossReason: lost ? remarks[plan.reason]! : null,
    discardedAt: plan.discarded ? between(last.at, 0.5) : null,
    createdAt: first.at,
  })
  const opportunityId = opportunity.id
  const userName = owner?.name ?? staff[0]!.name
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

/** In the first pipeline somebody was chosen, or nobody. */
function ownerOf({ owner }: Plan, staff: readonly User[]): User | undefined {
  return owner === null ? undefined : staff[owner]
}

/** The way to the present stage; all of it lies in the past, however young the contact is. */
function stepsOf({ passed, position, pace, after: share }: Plan, stages: readonly Stage[], since: Date): Step[] {
  const start = between(since, share)
  const way = [...stages.slice(0, passed), stages[position - 1]!]
  const rest = (Date.now() - start.getTime()) * 0.8
  const step = Math.min(pace * DAY, rest / way.length)
  return way.map((stage, i) => ({ stage, at: new Date(start.getTime() + i * step) }))
}

function priced({ product: place, quantity, discountPercent, discountValue }: Line, products: readonly Product[]) {
  const { id: productId, name, defaultPrice: unitPrice } = products[place]!
  const cents = quantity * unitPrice * (100 - (discountPercent ?? 0)) - (discountValue ?? 0) * 100
  return { productId, name, quantity, unitPrice, discountPercent, discountValue, totalPrice: cents / 100 }
}

/** The moment after so much of the time from then until now. */
const between = (then: Date, share: number) => new Date(then.getTime() + (Date.now() - then.getTime()) * share)

/** Some minutes later. */
const after = (then: Date, minutes: number) => new Date(then.getTime() + minutes * 60_000)

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
