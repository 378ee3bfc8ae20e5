import { setTimeout as delay } from 'node:timers/promises'
import { AGENCY } from '../../src/apis/agency.js'
import { Agencies, AgencyTokens, type NewAgency, SCOPES } from '../../src/domains/agencies/index.js'
import { SeatBilling, type TurnPace } from '../../src/domains/billing/index.js'
import { EVENT_PACE, startEventWorker, type WorkerOptions } from '../../src/domains/sub-accounts/index.js'
import { type BillingProvider, SandboxBilling } from '../../src/integrations/billing/index.js'
import type { TestApp } from './app.js'
import type { Answer } from './client.js'
import { AGENCY_API, checkAnswer } from './openapi.js'

let counter = 0

const END_MS = 30_000
const LOOK_MS = 50

/** An agency with a token and a client that calls with it. */
export interface TestAgency {
  agencyId: string
  agencyKey: string
  customerId: string
  token: string
  tokenId: string
  client: AgencyClient
  sandbox: SandboxBilling
}

type Headers = Record<string, string>

/** Calls the agencies' API; every answer is held against its document. Paths are relative to the agency's own. */
export interface AgencyClient {
  call(method: string, path: string, options?: { body?: unknown; headers?: Headers }): Promise<Answer>
  get(path: string, headers?: Headers): Promise<Answer>
  create(body: unknown, headers?: Headers): Promise<Answer>
  channels(reference: string, channels: unknown, headers?: Headers): Promise<Answer>
  remove(reference: string, headers?: Headers): Promise<Answer>
  event(id: string): Promise<Answer>
}

/** A new agency with a token of every scope, a good card and the sandbox for its provider, unless said otherwise. */
export async function makeAgency(
  { database, origin }: Pick<TestApp, 'database' | 'origin'>,
  {
    scopes = Object.keys(SCOPES),
    provider,
    ...agency
  }: Partial<NewAgency> & { scopes?: string[]; provider?: BillingProvider } = {},
): Promise<TestAgency> {
  const sandbox = new SandboxBilling(database)
  const name = `Agency ${++counter}`
  const made = await new Agencies(database, provider ?? sandbox).create({
    name,
    paymentMethod: 'pm_card_visa',
    ...agency,
  })
  const { id: agencyId, agencyKey, billingCustomer } = made
  const { token, secret } = await new AgencyTokens(database).create(agencyKey, scopes)
  const client = createAgencyClient(origin, agencyKey, secret)
  return { agencyId, agencyKey, customerId: billingCustomer!, token: secret, tokenId: token.id, client, sandbox }
}

/** What creates a sub-account that nobody else has. */
export const newClient = (overrides: Record<string, unknown> = {}) => {
  const n = ++counter
  return { name: `Client ${n}`, admin_email: `admin${n}@client${n}.example`, ...overrides }
}

/** A client of one agency; without a token none is sent. */
export function createAgencyClient(origin: string, agencyKey: string, token?: string): AgencyClient {
  const call: AgencyClient['call'] = async (method, path, { body, headers } = {}) => {
    const response = await fetch(`${origin}${AGENCY.base}/${agencyKey}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? (body as string) : JSON.stringify(body),
    })
    const text = await response.text()
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: text ? JSON.parse(text) : undefined,
    }
    checkAnswer(method, `/${agencyKey}${path}`, answer, AGENCY_API)
    return answer
  }
  const of = (reference: string) => `/sub-accounts/${encodeURIComponent(reference)}`
  return {
    call,
    get: (path, headers) => call('GET', path, { headers }),
    create: (body, headers) => call('POST', '/sub-accounts', { body, headers }),
    channels: (reference, channels, headers) =>
      call('PUT', `${of(reference)}/channels`, { body: { channels }, headers }),
    remove: (reference, headers) => call('DELETE', of(reference), { headers }),
    event: (id) => call('GET', `/events/${id}`),
  }
}

/** The record of an event once it has come to its end. */
export async function ended({ client }: Pick<TestAgency, 'client'>, id: string) {
  for (let waited = 0; waited < END_MS; waited += LOOK_MS) {
    const { data } = (await client.event(id)).body
    if (!['pending', 'processing'].includes(data.status)) return data
    await delay(LOOK_MS)
  }
  throw new Error(`the event ${id} has not ended`)
}

/** Creates a client, waits until it is there, which may take longer than the call, and returns its id. */
export async function createdClient({ client }: Pick<TestAgency, 'client'>): Promise<string> {
  const { body } = await client.create(newClient())
  return body.data.id ?? (await ended({ client }, body.event_id)).result.id
}

/** Carries out the events that wait, as a worker does that looks all the time. */
export function startTestWorker(
  { database }: Pick<TestApp, 'database'>,
  { turns, ...pace }: Partial<typeof EVENT_PACE & { turns: TurnPace }> = {},
  provider: BillingProvider = new SandboxBilling(database),
  options: WorkerOptions = {},
) {
  const billing = new SeatBilling(database, provider, undefined, turns)
  return startEventWorker({ database, billing, ...EVENT_PACE, ...pace, log: () => {} }, { pollMs: 20, ...options })
}

/** What an agency pays for, as its books and as its sub-accounts say it, and how many events are under way. */
export async function seatsOf(
  { database }: Pick<TestApp, 'database'>,
  { agencyId }: Pick<TestAgency, 'agencyId'>,
): Promise<{ paid: number; used: number; open: number }> {
  const { rows } = await database.pool.query(
    `select (select coalesce(sum(seats), 0)::int from seat_change where agency_id = $1) as paid,
      (select coalesce(sum(linkedin + whatsapp + instagram + email_marketing), 0)::int from sub_account
        where agency_id = $1 and status = 'active') as used,
      (select count(*)::int from agency_event where agency_id = $1 and status in ('pending', 'processing')) as open`,
    [agencyId],
  )
  return rows[0]
}

/** What an answer says, which may come from any client. */
export type Answered = Pick<Answer, 'status' | 'body'>

/** An answer in short: its status, and its error, its event's status or that it is done. */
export const told = ({ status, body }: Answered) => [status, body.error?.code ?? body.data.status ?? 'done']

/** The header that makes a call happen once. */
export const key = (name: string) => ({ 'Idempotency-Key': name })
