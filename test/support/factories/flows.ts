import { type Database, Scope } from '../../../src/database/index.js'
import { enroll, Flow, FlowStatus, FlowVersion, type Step, StepKind } from '../../../src/domains/flows/index.js'
import type { SendWindow } from '../../../src/domains/flows/window.service.js'
import { makeContact } from '../factories.js'
import { makeSender, makeTemplate } from './mail.js'

let number = 0

/** A flow of the account that is active unless said otherwise, straight into the database; one mail if no steps are given. */
export async function makeFlow(
  database: Database,
  accountId: string,
  { steps, sendWindow = null, status = FlowStatus.ACTIVE }: FlowParts = {},
) {
  const em = database.fork()
  const name = `Flow ${++number}`
  const flow = em.create(Flow, { name, status, accountId })
  await em.flush()
  const version = { steps: steps ?? [await sendStep(database, accountId)], sendWindow }
  em.create(FlowVersion, { ...version, accountId, flowId: flow.id, number: 1 })
  await em.flush()
  return flow
}

interface FlowParts {
  steps?: Step[]
  sendWindow?: SendWindow | null
  status?: FlowStatus
}

/** A step that sends a mail, by a template and a sender of its own. */
export async function sendStep(database: Database, accountId: string): Promise<Step> {
  const { id: templateId } = await makeTemplate(database, accountId)
  const { id: senderId } = await makeSender(database, accountId)
  return { kind: StepKind.SEND, templateId, senderId }
}

/** A contact with an email that has begun a flow. */
export async function makeEnrollment(
  database: Database,
  accountId: string,
  given: { flowId?: string; contactId?: string } = {},
) {
  const flowId = given.flowId ?? (await makeFlow(database, accountId)).id
  const email = `flow.${++number}@example.com`
  const contactId = given.contactId ?? (await makeContact(database, accountId, { name: 'Ana Souza', email })).id
  const { id } = await enroll(Scope.ofSystem(database, accountId), { flowId, contactId })
  return { id, flowId, contactId, email }
}
