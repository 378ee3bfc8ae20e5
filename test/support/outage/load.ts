import { randomUUID } from 'node:crypto'
import { type AgencyClient, createAgencyClient, makeAgency, newClient, type TestAgency } from '../agencies.js'
import { type Answer, createClient } from '../client.js'
import { makeFlow } from '../factories/flows.js'
import { makePerson } from '../factories/people.js'
import { makeTenant, type Tenant } from '../factories.js'
import type { Product } from './product.js'

const WRITERS = 3
const AGENCIES = 2
const PEOPLE = 40
const RESET = 'mutation ($email: String!) { requestPasswordReset(email: $email) }'

/** What has been asked of the product all the while, and answered as done. */
export interface Asked {
  tenant: Tenant
  agencies: (TestAgency & { subAccount: string })[]
  /** The addresses of those who are in the flow. */
  leads: string[]
  /** The events of agencies that there are. */
  events: { client: AgencyClient; id: string }[]
  /** Who has asked for a new password. */
  forgetful: string[]
  refused: Answer[]
  /** Calls that got no answer. */
  lost: number
}

/** Writes of every kind, one after the other in several lines, until they are told to end. */
export class Load {
  readonly asked: Asked
  private ends = false
  private readonly lines: Promise<void>[]

  private constructor(
    product: Product,
    asked: Asked,
    flowId: string,
    people: string[],
    private readonly pauseMs: number,
  ) {
    this.asked = asked
    const client = createClient(product.origin, asked.tenant.key)
    const lead = async () => {
      const email = `lead.${randomUUID()}@example.com`
      const body = { name: 'Ana Souza', email, enroll_in_flow_id: flowId }
      const answer = await client.post('/opportunities', body, { 'Idempotency-Key': randomUUID() })
      // An action that could not be carried out says so in the answer.
      if (answer.status === 201 && !JSON.stringify(answer.body.actions).includes('"error":"')) asked.leads.push(email)
      return answer
    }
    const seats = (agency: Asked['agencies'][number], i: number) => async () => {
      const answer = await agency.client.channels(agency.subAccount, { linkedin: 1 + (i++ % 4) })
      if (answer.body.event_id) asked.events.push({ client: agency.client, id: answer.body.event_id })
      return answer
    }
    const reset = async () => {
      // In turn, since each may ask five times in an hour.
      const email = people.shift()!
      people.push(email)
      // From an address of their own, since from one not so many may ask.
      const from = { 'X-Forwarded-For': `198.51.${asked.forgetful.length >> 8}.${asked.forgetful.length & 255}` }
      const answer = await client.graphql(RESET, { email }, from)
      if (answer.status === 200 && !answer.body.errors) asked.forgetful.push(email)
      return answer
    }
    this.lines = [
      ...Array.from({ length: WRITERS }, () => this.goOn(lead)),
      ...asked.agencies.map((agency, i) => this.goOn(seats(agency, i))),
      this.goOn(reset, 4 * pauseMs),
    ]
  }

  /** Makes an account with a flow, and agencies, and begins; each line rests between its calls. */
  static async start(product: Product, pauseMs: number): Promise<Load> {
    const { database } = product
    const tenant = await makeTenant(product)
    const { id: flowId } = await makeFlow(database, tenant.accountId)
    const people: string[] = []
    for (let i = 0; i < PEOPLE; i++) people.push((await makePerson(product, { tenant })).email)
    const agencies: Asked['agencies'] = []
    for (let i = 0; i < AGENCIES; i++) {
      const agency = await makeAgency(product, { seatPriceCents: 1000 })
      const client = createAgencyClient(product.origin, agency.agencyKey, agency.token)
      const { body } = await client.create(newClient())
      agencies.push({ ...agency, client, subAccount: body.data.id })
    }
    const asked = { tenant, agencies, leads: [], events: [], forgetful: [], refused: [], lost: 0 }
    return new Load(product, asked, flowId, people, pauseMs)
  }

  /** How much of each kind was done. */
  get done(): number {
    const { leads, events, forgetful } = this.asked
    return Math.min(leads.length, events.length, forgetful.length * 5)
  }

  /** How far each kind is, for whoever waits in vain. */
  tells(): string {
    const { leads, events, forgetful, refused, lost } = this.asked
    const last = refused.slice(-5).map(({ status, text }) => `${status} ${text}`)
    return JSON.stringify({ leads: leads.length, events: events.length, forgetful: forgetful.length, lost, last })
  }

  async end(): Promise<Asked> {
    this.ends = true
    await Promise.all(this.lines)
    return this.asked
  }

  private async goOn(ask: () => Promise<Answer>, pauseMs = this.pauseMs): Promise<void> {
    while (!this.ends) {
      const answer = await ask().catch((error: Error) => {
        // A connection that is gone is none of this; an answer that fits no document is.
        if (!/fetch failed/.test(error.message)) throw error
        this.asked.lost++
      })
      if (answer && answer.status >= 400) this.asked.refused.push(answer)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}
