import { within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { defineQueue } from '../../kit/queue.js'
import { accounts } from '../accounts/index.js'
import { contactDeleted, contacts } from '../contacts/index.js'
import { conversations, messageReceived } from '../conversations/index.js'
import { contactUnsubscribed, mail } from '../mail/index.js'
import { opportunities, opportunityClosed, opportunityDeleted } from '../opportunities/index.js'
import { pipelines } from '../pipelines/index.js'
import { reference } from '../reference/index.js'
import { FlowEnrollment } from './enrollment.entity.js'
import { FlowEnrollmentResolver } from './enrollment.resolver.js'
import { Flow, FlowVersion } from './flow.entity.js'
import { FlowResolver } from './flow.resolver.js'
import { enrollmentTally } from './flow.tally.js'
import { flowAction } from './flow-action.service.js'
import { eraseContact, stopClosed, stopReplied, stopUnsubscribed, unlinkOpportunity } from './stop.service.js'

export { enroll } from './enroll.service.js'
export { EndReason, EnrollmentState, FlowEnrollment } from './enrollment.entity.js'
export { Flow, FlowStatus, FlowVersion } from './flow.entity.js'
export { enrollmentTally } from './flow.tally.js'
export { type FlowWorkerOptions, startFlowWorker } from './flow-worker.service.js'
export { type Step, StepKind } from './step.types.js'

/** Steps that happen to contacts one after the other: mails, waits, tags and moves. */
export const flows = defineDomain({
  name: 'flows',
  uses: [accounts, reference, contacts, pipelines, opportunities, conversations, mail],
  entities: [Flow, FlowVersion, FlowEnrollment],
  resolvers: [FlowResolver, FlowEnrollmentResolver],
  tallies: [enrollmentTally],
  queues: [defineQueue('flow_steps', 'flow_enrollment', "state = 'active'")],
  permissions: {
    'flows:read': 'read flows and who is in them',
    'flows:write': 'create and change flows, and have them run',
    'flows:enroll': 'have contacts begin a flow, and take them out',
  },
  actions: [flowAction],
  on: [
    within(messageReceived, stopReplied),
    within(contactUnsubscribed, stopUnsubscribed),
    within(opportunityClosed, stopClosed),
    within(opportunityDeleted, unlinkOpportunity),
    within(contactDeleted, eraseContact),
  ],
  demo: () => import('./demo/index.js'),
})
