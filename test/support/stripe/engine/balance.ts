import type { BalanceRecord, CustomerRecord } from '../records.js'
import type { World } from '../world.js'

type Booking = Pick<BalanceRecord, 'currency' | 'type'> & Partial<Pick<BalanceRecord, 'invoice' | 'description'>>

/** Books an amount on a customer's balance; returns the id of the transaction. */
export function bookOnBalance(world: World, customer: CustomerRecord, amount: number, booking: Booking): string {
  customer.balance += amount
  const id = world.id('cbtxn')
  world.balances.set(id, {
    id,
    created: world.now,
    customer: customer.id,
    amount,
    endingBalance: customer.balance,
    invoice: null,
    description: null,
    metadata: {},
    ...booking,
  })
  return id
}
