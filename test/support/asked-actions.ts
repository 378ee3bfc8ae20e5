import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Action, type ActionTarget, declaredActions } from '../../src/kit/action.js'
import { startTestApp, type TestApp } from './app.js'
import type { Answer } from './client.js'
import { makeChannelAccount } from './factories/channels.js'
import { makeAiAgent } from './factories/conversations.js'
import { makeFlow } from './factories/flows.js'
import { makeSender, makeTemplate } from './factories/mail.js'
import { makeTenant } from './factories.js'
import { dataOf } from './graphql.js'
import { fakeChannels } from './messaging.js'
import { TestSmtp } from './smtp.js'

/** How many there are of what the three actions lead to. */
export const NOTHING = { mails: 0, enrollments: 0, runs: 0 }
export const ALL = { mails: 1, enrollments: 1, runs: 1 }
/** What the blocks say went wrong where nothing did. */
export const NO_ERRORS = { email: null, flow: null, agent: null }

/** Creates an opportunity with actions by GraphQL. */
export const CREATE = `mutation ($input: CreateOpportunityInput!, $actions: OpportunityActionsInput) {
  createOpportunityWithActions(input: $input, actions: $actions) {
    opportunity { id }
    actions { email { sent error } flow { enrolled error } agent { activated error } }
  } }`

/** What each block says went wrong. */
export const errorsOf = ({ body }: Answer) =>
  Object.fromEntries(
    Object.entries<{ error: unknown }>(body.actions).map(([name, block]) => [name, block.error] as const),
  )

/** An account with all that can be asked for along with an opportunity. */
export type AskingWorld = Awaited<ReturnType<AskedActions['makeWorld']>>

/** Two services on one database, in which something can be made to happen before the actions of an opportunity are done. */
export class AskedActions {
  private constructor(
    readonly services: readonly TestApp[],
    private readonly smtp: TestSmtp,
    private readonly declared: readonly Action[],
  ) {}

  static async start(): Promise<AskedActions> {
    const smtp = await TestSmtp.start()
    const settings = { smtpUrl: smtp.url, publicUrl: 'https://crm.example', encryptionKey: Buffer.alloc(32, 3) }
    const first = await startTestApp(settings)
    const services = [first, await startTestApp(settings, undefined, first)]
    for (const service of services) fakeChannels(service)
    return new AskedActions(services, smtp, first.database.needs.get(declaredActions))
  }

  get database() {
    return this.services[0]!.database
  }

  /** Has something happen once an opportunity is created, and before the first of its actions is done. */
  meanwhile(work: ((target: ActionTarget) => Promise<unknown>) | undefined): void {
    let happened: Promise<unknown> | undefined
    const actions = this.declared.map((action): Action => {
      const run: Action['run'] = async (db, given, target) => {
        happened ??= work?.(target) ?? Promise.resolve()
        await happened
        return action.run(db, given, target)
      }
      return { ...action, run }
    })
    for (const { database } of this.services) database.needs.provide(declaredActions, actions)
  }

  /** An account with all that can be asked for along with an opportunity. */
  async makeWorld() {
    const { database } = this
    const tenant = await makeTenant(this.services[0]!, { permissions: ['*', 'conversations:write'] })
    const { accountId } = tenant
    const openingTemplate = { name: 'hello', language: 'en', parameters: [] }
    const template = await makeTemplate(database, accountId)
    const sender = await makeSender(database, accountId, { isDefault: true })
    const flow = await makeFlow(database, accountId)
    const agent = await makeAiAgent(database, accountId, { name: 'Sofia', opening: 'Hello', openingTemplate })
    const line = await makeChannelAccount(database, accountId, { name: 'Sales' })
    const phone = `+55119${`${Math.random()}`.slice(2, 10).padEnd(8, '1')}`
    const lead = { name: 'Ana Souza', email: `ana-${randomUUID()}@example.com`, phone }
    const everything = { send_template_email_id: template.id, enroll_in_flow_id: flow.id, activate_agent_id: agent.id }
    const actions = { email: { templateId: template.id }, flow: { flowId: flow.id }, agent: { agentId: agent.id } }
    return { ...tenant, template, sender, flow, agent, line, lead, everything, actions }
  }

  /** Waits until the mail that was asked for along with an opportunity has begun: it then goes, whatever is deleted. */
  async mailBegun({ opportunityId }: ActionTarget): Promise<void> {
    const begun = `select id from opportunity_action where opportunity_id = $1 and name = 'email' and claimed_at is not null`
    while ((await this.query(begun, [opportunityId])).length === 0) await delay(10)
  }

  async query(text: string, values: unknown[]) {
    return (await this.database.pool.query(text, values)).rows
  }

  set(table: string, columns: string, id: string) {
    return this.query(`update ${table} set ${columns} where id = $1`, [id])
  }

  /** What there is of the three actions, whatever was told of them. */
  async effects({ accountId, lead }: Pick<AskingWorld, 'accountId' | 'lead'>) {
    return {
      mails: (await this.smtp.to(lead.email)).length,
      enrollments: (await this.query('select from flow_enrollment where account_id = $1', [accountId])).length,
      runs: (await this.query('select from agent_run where account_id = $1', [accountId])).length,
    }
  }

  async stop(): Promise<void> {
    await this.services[1]!.stop()
    await this.services[0]!.stop()
    await this.smtp.stop()
  }
}

/** Calls a mutation of one record. */
export const mutate = async ({ client }: AskingWorld, mutation: string, id: string) =>
  dataOf(await client.graphql(`mutation ($id: ID!) { ${mutation} }`, { id }))
