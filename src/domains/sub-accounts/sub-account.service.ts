import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { AppError } from '../../shared/errors.js'
import { isUuid } from '../../shared/ids.js'
import type { Channel } from '../agencies/index.js'
import { PROVISIONING_ERRORS, TOLD } from './provisioning-errors.service.js'

/** How many seats a sub-account has in each channel. */
export interface Quotas {
  linkedin: number
  whatsapp: number
  instagram: number
  emailMarketing: number
}

/** How many seats are asked for; those that are not named are none. */
export type AskedQuotas = Partial<Quotas> | null

/** What it takes of an agency to provide its sub-accounts. */
export interface AgencyTerms {
  currency: string
  anchor: string
  billableChannels: Channel[]
  hasCard: boolean
}

/** A sub-account as a write finds it. */
export interface FoundSubAccount extends Quotas {
  id: string
  name: string
  adminId: string
  /** Whether its seats are free, which they are until somebody has ended its trial, though it be due. */
  inTrial: boolean
  /** Whether its trial should have ended by now. */
  trialIsDue: boolean
}

const SPELLED: Readonly<Record<keyof Quotas, Channel>> = {
  linkedin: 'linkedin',
  whatsapp: 'whatsapp',
  instagram: 'instagram',
  emailMarketing: 'email_marketing',
}

/** The channels, each with its name in the agencies' API. */
export const CHANNEL_NAMES = Object.entries(SPELLED) as [keyof Quotas, Channel][]

/** All four quotas: what was not asked for is none. */
export const wholeQuotas = (asked: AskedQuotas | undefined): Quotas => ({
  linkedin: asked?.linkedin ?? 0,
  whatsapp: asked?.whatsapp ?? 0,
  instagram: asked?.instagram ?? 0,
  emailMarketing: asked?.emailMarketing ?? 0,
})

/** How many of these seats the agency pays for. */
export function billableSeats(quotas: Quotas, { billableChannels }: AgencyTerms): number {
  return CHANNEL_NAMES.reduce((sum, [key, name]) => sum + (billableChannels.includes(name) ? quotas[key] : 0), 0)
}

/** Quotas as an event's result holds them. */
export const toldQuotas = (quotas: Quotas): Record<Channel, number> =>
  Object.fromEntries(CHANNEL_NAMES.map(([key, name]) => [name, quotas[key]])) as Record<Channel, number>

const lockAgency = new Statement<AgencyTerms>(
  sql<AgencyTerms>`select currency, anchor, billable_channels as "billableChannels",
      payment_method is not null as "hasCard"
    from agency where id = ${param('agency')} for no key update`,
  { prepared: true },
)

/** Locks the agency until the open transaction ends: what holds between its sub-accounts is decided one after the other. */
export async function lockTerms(db: Scope): Promise<AgencyTerms> {
  const [terms] = await db.rows(lockAgency, {})
  if (!terms) throw new Error('there is no such agency')
  return terms
}

const terms = new Statement<AgencyTerms>(
  sql<AgencyTerms>`select currency, anchor, billable_channels as "billableChannels",
      payment_method is not null as "hasCard" from agency where id = ${param('agency')}`,
  { prepared: true },
)

/** What it takes of an agency, as it is now. */
export async function readTerms(db: Scope): Promise<AgencyTerms> {
  return (await db.rows(terms, {}))[0]!
}

// Whose it is shows only to who names its id: another agency's external_ref is simply unknown.
const byId = new Statement<{ id: string; own: boolean }>(
  sql<{ id: string; own: boolean }>`select id, agency_id = ${param('agency')} as own from sub_account
    where id = ${param('id')} and status = 'active'`,
  { prepared: true },
)
const byRef = new Statement<{ id: string; own: boolean }>(
  sql<{ id: string; own: boolean }>`select id, true as own from sub_account
    where agency_id = ${param('agency')} and external_ref = ${param('ref')} and status = 'active'`,
  { prepared: true },
)

const EXTERNAL = 'ext:'

/**
 * The id of the live sub-account that a reference stands for: its own id, or `ext:` and its external_ref. Throws
 * SUB_ACCOUNT_NOT_FOUND, and SUB_ACCOUNT_FORBIDDEN where it is another agency's.
 */
export async function resolveReference(db: Scope, reference: string): Promise<string> {
  const [found] = reference.startsWith(EXTERNAL)
    ? await db.rows(byRef, { ref: reference.slice(EXTERNAL.length).trim() })
    : isUuid(reference)
      ? await db.rows(byId, { id: reference })
      : []
  if (!found) throw noSubAccount()
  if (found.own) return found.id
  throw new AppError(PROVISIONING_ERRORS.SUB_ACCOUNT_FORBIDDEN, TOLD.SUB_ACCOUNT_FORBIDDEN)
}

const noSubAccount = () => new AppError(PROVISIONING_ERRORS.SUB_ACCOUNT_NOT_FOUND, TOLD.SUB_ACCOUNT_NOT_FOUND)

const lock = new Statement<FoundSubAccount>(
  sql<FoundSubAccount>`select id, name, admin_id as "adminId", linkedin, whatsapp, instagram,
      email_marketing as "emailMarketing", trial_ends_at is not null as "inTrial",
      coalesce(trial_ends_at <= now(), false) as "trialIsDue"
    from sub_account where agency_id = ${param('agency')} and id = ${param('id')} and status = 'active'
    for no key update`,
  { prepared: true },
)

/** Locks a live sub-account until the open transaction ends; throws SUB_ACCOUNT_NOT_FOUND when it is gone by now. */
export async function lockSubAccount(db: Scope, id: string): Promise<FoundSubAccount> {
  const [found] = await db.rows(lock, { id })
  if (!found) throw noSubAccount()
  return found
}

/** The channels that a sub-account in its trial can have. */
export const TRIAL_CHANNELS: readonly Channel[] = ['whatsapp']

/** Throws TRIAL_CHANNEL_LOCKED where there is a seat in a channel that a trial does not have. */
export function requireTrialChannels(quotas: Quotas, message: string): void {
  const locked = CHANNEL_NAMES.some(([key, name]) => quotas[key] > 0 && !TRIAL_CHANNELS.includes(name))
  if (locked) throw new AppError(PROVISIONING_ERRORS.TRIAL_CHANNEL_LOCKED, message)
}
