import { sql } from 'kysely'
import { param, Scope, Statement } from '../../database/index.js'
import { cycleAt } from '../../shared/cycles.js'
import { AppError, Deferred } from '../../shared/errors.js'
import { newId } from '../../shared/ids.js'
import { Accounts } from '../accounts/index.js'
import type { Settled } from '../billing/index.js'

import { hashPassword, setTemporaryPassword, temporaryPassword, userInvited } from '../sessions/index.js'
import { activateFirstAdmin } from '../users/index.js'
import { type Attempt, finishEvent } from './event-store.service.js'
import type { Provisioning } from './provisioning.service.js'
import { PROVISIONING_ERRORS } from './provisioning-errors.service.js'
import { declinedMessage, requireSettled } from './seat-charged.service.js'
import {
  type AgencyTerms,
  billableSeats,
  CHANNEL_NAMES,
  lockTerms,
  type Quotas,
  readTerms,
  toldQuotas,
  wholeQuotas,
} from './sub-account.service.js'
import {
  type Creation,
  mapConflicts,
  type NewSubAccount,
  type Reserved,
  takeWhatIsUnique,
} from './sub-account-reserve.service.js'

/** What a creation costs, as its answer tells it; amounts in the currency's smallest unit. */
export interface CreationBill {
  invoiceStatus: string
  totalCents: number
  currency: string
  periodEnd: Date
  items: { channelType: string; count: number }[]
}

/** A sub-account as its creation answers with it. */
export interface CreatedSubAccount {
  id: string
  name: string
  slug: string
  externalRef: string | null
  createdAt: Date
  admin: { id: string; email: string }
  channels: Quotas
  billing: CreationBill
  trial: null
  /** Only for who waits for the answer and asked for it. */
  temporaryPassword?: string
}

/** The first password of an admin, which its agency asked for and waits for. */
interface Credentials {
  password: string
  hash: string
}

const reserved = new Statement<Reserved>(
  sql<Reserved>`select slug, created_at as "createdAt", admin_id as "adminId" from sub_account
    where agency_id = ${param('agency')} and id = ${param('account')}`,
)

const activate = new Statement<never>(
  sql<never>`update sub_account set status = 'active' where agency_id = ${param('agency')} and id = ${param('account')}`,
  { prepared: true },
)

/**
 * Creates a sub-account in two steps: everything that only one can have is taken, then what it costs is charged, then it
 * comes to life. Until that nobody sees anything of it, and a declined card takes it back.
 */
export async function createSubAccount(
  provisioning: Provisioning,
  attempt: Attempt,
  input: NewSubAccount,
): Promise<CreatedSubAccount> {
  const accountId = attempt.target ?? newId()
  const db = Scope.ofAgency(provisioning.database, attempt.agencyId, { accountId })
  const quotas = wholeQuotas(input.channels)
  const creation: Creation = { provisioning, db, attempt, input, quotas }
  const seats = billableSeats(quotas, await readTerms(db))
  // Outside of the transactions, since it takes long.
  const credentials = attempt.awaited && input.includeCredentials ? await makeCredentials() : undefined
  const work = () => (seats === 0 ? freely(creation, credentials) : charged(creation, seats, credentials))
  const created = await mapConflicts(work)
  if (credentials && !created.temporaryPassword) throw new Deferred() // whoever waited for it was told so meanwhile
  return created
}

async function makeCredentials(): Promise<Credentials> {
  const password = temporaryPassword()
  return { password, hash: await hashPassword(password) }
}

/** What costs nothing is one transaction; those of an agency wait for each other where no connection is held. */
function freely(creation: Creation, credentials?: Credentials): Promise<CreatedSubAccount> {
  const { provisioning, attempt, db } = creation
  return provisioning.billing.inTurn(attempt.agencyId, () =>
    db.transaction(async () => {
      const { terms, taken } = await takeWhatIsUnique(creation, 0)
      return comeToLife(creation, terms, taken, { credentials })
    }),
  )
}

async function charged(creation: Creation, seats: number, credentials?: Credentials): Promise<CreatedSubAccount> {
  const { db, attempt, input, provisioning } = creation
  const { billing } = provisioning
  return billing.inTurn(attempt.agencyId, async (turn) => {
    const charge = await db.transaction(async () => {
      if (attempt.target === null) await takeWhatIsUnique(creation, seats)
      const request = { key: attempt.id, kind: 'raise' as const, subAccountId: db.accountId, seats, client: input.name }
      return billing.prepare(db, turn, request)
    })
    attempt.target = db.accountId
    const settled = requireSettled(provisioning, attempt, await billing.collect(db, turn, charge))
    if (settled.state === 'declined') throw await takeBack(creation, settled)
    return db.transaction(async () => {
      const terms = await lockTerms(db)
      const [taken] = await db.rows(reserved, {})
      await billing.apply(db, turn, settled.id)
      return comeToLife(creation, terms, taken!, { credentials, settled })
    })
  })
}

/** A declined card leaves nothing behind. */
async function takeBack({ db, provisioning }: Creation, { decline }: Settled): Promise<AppError> {
  await removeReserved(provisioning, db)
  const { NO_PAYMENT_METHOD, SEAT_CHARGE_FAILED } = PROVISIONING_ERRORS
  const kind = decline === 'no_payment_method' ? NO_PAYMENT_METHOD : SEAT_CHARGE_FAILED
  return new AppError(kind, declinedMessage(decline, 'nothing was created'))
}

/** Removes a sub-account that has not come to life, with its account. */
export async function removeReserved({ database }: Provisioning, db: Scope): Promise<void> {
  await db.transaction(async () => {
    const [found] = await db.rows(stillReserved, {})
    if (found) await new Accounts(database).removeUnused(db)
  })
}

const stillReserved = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from sub_account where agency_id = ${param('agency')} and id = ${param('account')}
    and status = 'provisioning' for update`,
)

async function comeToLife(
  { db, attempt, input, quotas }: Creation,
  terms: AgencyTerms,
  { slug, createdAt, adminId }: Reserved,
  { credentials, settled }: { credentials?: Credentials; settled?: Settled },
): Promise<CreatedSubAccount> {
  await activateFirstAdmin(db, adminId)
  db.send(activate, {})
  const created: CreatedSubAccount = {
    id: db.accountId,
    name: input.name,
    slug,
    externalRef: input.externalRef ?? null,
    createdAt: new Date(createdAt),
    admin: { id: adminId, email: input.adminEmail },
    channels: quotas,
    billing: billOf(quotas, terms, settled),
    trial: null,
  }
  if (await finishEvent(db, attempt, told(created))) {
    // Nobody can be told a password any more.
    await db.announce(userInvited, { userId: adminId })
    return created
  }
  if (!credentials) return created
  setTemporaryPassword(db, adminId, credentials.hash)
  return { ...created, temporaryPassword: credentials.password }
}

function billOf(quotas: Quotas, { currency, anchor }: AgencyTerms, settled: Settled | undefined): CreationBill {
  if (!settled) {
    const periodEnd = cycleAt(new Date(anchor), new Date()).end
    return { invoiceStatus: 'none', totalCents: 0, currency, periodEnd, items: [] }
  }
  const items = CHANNEL_NAMES.flatMap(([key, channelType]) =>
    quotas[key] > 0 ? [{ channelType, count: quotas[key] }] : [],
  )
  const invoiceStatus = settled.total > 0 ? 'paid' : settled.cents > 0 ? 'open' : 'none'
  return { invoiceStatus, totalCents: settled.cents, currency, periodEnd: new Date(settled.periodEnd), items }
}

/** As an event's result holds it: without the password. */
const told = ({ id, name, slug, externalRef, createdAt, admin, channels, billing, trial }: CreatedSubAccount) => ({
  id,
  name,
  slug,
  external_ref: externalRef,
  created_at: createdAt.toISOString(),
  admin,
  channels: toldQuotas(channels),
  billing: { ...billing, periodEnd: billing.periodEnd.toISOString() },
  trial,
})
