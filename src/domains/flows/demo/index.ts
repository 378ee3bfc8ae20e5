import { type DemoWork, listed } from '../../../kit/demo.js'
import { contacts } from '../../contacts/index.js'
import { mail } from '../../mail/index.js'
import { EnrollmentState, FlowEnrollment } from '../enrollment.entity.js'
import { Flow, FlowStatus, FlowVersion } from '../flow.entity.js'
import { type Step, StepKind } from '../step.types.js'

const DAY_SECONDS = 86_400

/** Makes the demo account's flow, which is active, with a contact who waits in the midst of it and one who is through. */
export async function makeDemo({ em, accountId, made }: DemoWork) {
  const { templates, senders } = made(mail)
  const [template, sender] = [templates[0]!, senders[0]!]
  const send = { kind: StepKind.SEND, templateId: template.id, senderId: sender.id } as const
  const steps: Step[] = [send, { kind: StepKind.WAIT, waitSeconds: 3 * DAY_SECONDS }, send]
  const flow = em.create(Flow, { accountId, name: 'Welcome in two mails', status: FlowStatus.ACTIVE })
  await em.flush()
  const sendWindow = { days: [1, 2, 3, 4, 5], from: '09:00', until: '18:00' }
  em.create(FlowVersion, { accountId, flowId: flow.id, number: 1, steps, sendWindow })
  await em.flush()
  const [waiting, through] = made(contacts).contacts.filter(({ email }) => email)
  const common = { accountId, flowId: flow.id, version: 1 }
  const dueAt = new Date(Date.now() + 2 * DAY_SECONDS * 1000)
  em.create(FlowEnrollment, { ...common, contactId: waiting!.id, step: 2, dueAt })
  const ended = { state: EnrollmentState.COMPLETED, endReason: 'finished', endedAt: new Date() } as never
  em.create(FlowEnrollment, { ...common, ...(ended as object), contactId: through!.id, step: 3 } as never)
  return { made: { flows: [flow] }, ids: { flows: listed([flow]) } }
}
