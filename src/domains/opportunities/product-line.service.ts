import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { failureCode, param, type Scope, Statement } from '../../database/index.js'
import { tellChange } from '../../kit/changes.js'
import type { Selection } from '../../kit/selection.js'
import { type Fault, invalid, notFound } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import type { Actor } from '../../shared/viewer.js'
import { productReads } from '../reference/index.js'
import { type OpportunityRow, opportunityReads } from './opportunity.reads.js'
import { changeValue } from './opportunity.service.js'
import { type Locked, lockOpportunity } from './opportunity-move.service.js'
import { seesOpportunity } from './opportunity-own.service.js'
import { OpportunityProduct } from './product-line.entity.js'
import type { AddOpportunityProductInput, UpdateOpportunityProductInput } from './product-line.inputs.js'

const MAX_LINES = 200
const MAX_QUANTITY = 999_999_999

/** Adds a product to an opportunity, whose value is the sum of its products from then on. */
export function addProduct(
  db: Scope,
  actor: Actor,
  opportunityId: string,
  input: AddOpportunityProductInput,
  selection: Selection,
): Promise<OpportunityRow> {
  checkLine(input)
  return db.unitOfWork(async (em) => {
    const offer = await offerOf(db, input)
    const locked = await lockOpportunity(db, opportunityId)
    if (locked.products >= MAX_LINES) throw invalid([{ path: ['id'], message: `has ${MAX_LINES} products already` }])
    const { quantity, discountPercent, discountValue } = input
    const discounts = { discountPercent, discountValue }
    const line = { ...offer, ...discounts, quantity: quantity ?? 1, opportunityId: locked.id, accountId: db.accountId }
    em.create(OpportunityProduct, line)
    return payable(async () => {
      await em.flush()
      return valueAnew(db, actor, locked, selection)
    })
  })
}

/** Changes a product of an opportunity, and the value with it. */
export function updateProduct(
  db: Scope,
  actor: Actor,
  lineId: string,
  input: UpdateOpportunityProductInput,
  selection: Selection,
): Promise<OpportunityRow> {
  checkLine(input)
  return db.unitOfWork(async (em) => {
    const locked = await lockOpportunity(db, (await findLine(em, db, lineId)).opportunityId)
    const line = await findLine(em, db, lineId, true) // as it is, now that nobody else changes it
    const changes = Object.entries(input).filter(
      ([name, value]) => value !== undefined && value !== (line[name as keyof typeof input] ?? null),
    )
    if (changes.length === 0) return (await opportunityReads.find(db, locked.id, selection))!
    Object.assign(line, Object.fromEntries(changes))
    return payable(async () => {
      await em.flush()
      return valueAnew(db, actor, locked, selection)
    })
  })
}

/** Takes a product off an opportunity; without any left, its value is 0 until it is set. */
export function removeProduct(db: Scope, actor: Actor, lineId: string, selection: Selection): Promise<OpportunityRow> {
  return db.unitOfWork(async (em) => {
    const locked = await lockOpportunity(db, (await findLine(em, db, lineId)).opportunityId)
    const removed = await em.nativeDelete(OpportunityProduct, { id: lineId, accountId: db.accountId })
    if (removed === 0) throw notFound('product of an opportunity') // removed while this waited for the opportunity
    await tellChange(db, 'opportunity_product', lineId.toLowerCase(), 'deleted')
    return valueAnew(db, actor, locked, selection)
  })
}

async function findLine(em: EntityManager, db: Scope, id: string, refresh = false): Promise<OpportunityProduct> {
  const where = { id, accountId: db.accountId }
  const line = isUuid(id) ? await em.findOne(OpportunityProduct, where, { refresh }) : null
  if (!line || !(await seesOpportunity(db, line.opportunityId))) throw notFound('product of an opportunity')
  return line
}

/** Name and price of a line: the product's own where the input says nothing. */
async function offerOf(db: Scope, { productId, name, unitPrice }: AddOpportunityProductInput) {
  const product = productId ? await productReads.find(db, productId) : null
  const faults: Fault[] = []
  if (productId && !product) faults.push({ path: ['input', 'productId'], message: 'is not the id of a product' })
  if (!productId && !name) faults.push({ path: ['input', 'name'], message: 'is needed without a product' })
  if (!productId && (unitPrice ?? undefined) === undefined) {
    faults.push({ path: ['input', 'unitPrice'], message: 'is needed without a product' })
  }
  if (faults.length > 0) throw invalid(faults)
  return {
    productId: product?.id ?? null,
    name: name ?? product!.name,
    unitPrice: unitPrice ?? Number(product!.defaultPrice),
  }
}

function checkLine({ quantity, discountPercent }: { quantity?: number | null; discountPercent?: number | null }): void {
  const faults: Fault[] = []
  const decimals = (value: number, most: number) => Number(value.toFixed(most)) === value
  if (typeof quantity === 'number' && !(quantity > 0 && quantity <= MAX_QUANTITY && decimals(quantity, 3))) {
    const message = `must be more than 0, at most ${MAX_QUANTITY}, with at most three decimals`
    faults.push({ path: ['input', 'quantity'], message })
  }
  const percent = discountPercent ?? 0
  if (!(percent >= 0 && percent <= 100 && decimals(percent, 2))) {
    faults.push({ path: ['input', 'discountPercent'], message: 'must be from 0 to 100 with at most two decimals' })
  }
  if (faults.length > 0) throw invalid(faults)
}

const OUT_OF_RANGE = '22003'

/** Runs the work; VALIDATION_ERROR where a price or the sum of all is more than the database can hold. */
async function payable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (failureCode(error) !== OUT_OF_RANGE) throw error
    const message = 'makes the opportunity worth more than can be kept'
    throw invalid(['quantity', 'unitPrice'].map((name) => ({ path: ['input', name], message })))
  }
}

const sum = new Statement<{ total: number }>(
  sql<{ total: number }>`select coalesce(sum(total_price), 0)::float8 as total from opportunity_product
    where account_id = ${param('account')} and opportunity_id = ${param('id')}`,
  { prepared: true },
)

const markChanged = new Statement<never>(
  sql<never>`update opportunity set updated_at = clock_timestamp()
    where account_id = ${param('account')} and id = ${param('id')}`,
  { prepared: true },
)

/** What an opportunity that is locked shows has changed, so its time of change does. */
export async function markOpportunityChanged(db: Scope, { id }: Locked): Promise<void> {
  await db.rows(markChanged, { id })
}

async function valueAnew(db: Scope, actor: Actor, locked: Locked, selection: Selection): Promise<OpportunityRow> {
  const [{ total }] = (await db.rows(sum, { id: locked.id })) as [{ total: number }]
  await changeValue(db, actor, locked, total)
  await markOpportunityChanged(db, locked)
  return (await opportunityReads.find(db, locked.id, selection))!
}
