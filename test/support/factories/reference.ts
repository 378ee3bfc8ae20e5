import type { Database } from '../../../src/database/index.js'
import { DiscardReason, Product, Sector } from '../../../src/domains/reference/index.js'

let counter = 0
const next = () => ++counter

/** A sector of the account. */
export async function makeSector(
  database: Database,
  accountId: string,
  overrides: Partial<Sector> = {},
): Promise<Sector> {
  const em = database.fork()
  const sector = em.create(Sector, { name: `Sector ${next()}`, ...overrides, accountId })
  await em.flush()
  return sector
}

/** A discard reason of the account. */
export async function makeDiscardReason(
  database: Database,
  accountId: string,
  overrides: Partial<DiscardReason> = {},
): Promise<DiscardReason> {
  const em = database.fork()
  const reason = em.create(DiscardReason, { name: `Reason ${next()}`, ...overrides, accountId })
  await em.flush()
  return reason
}

/** A product of the account, free of charge unless said otherwise. */
export async function makeProduct(
  database: Database,
  accountId: string,
  overrides: Partial<Product> = {},
): Promise<Product> {
  const em = database.fork()
  const product = em.create(Product, { name: `Product ${next()}`, currency: 'BRL', ...overrides, accountId })
  await em.flush()
  return product
}
