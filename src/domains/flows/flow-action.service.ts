import { contactOf, defineAction } from '../opportunities/index.js'
import { AlreadyEnrolled, enroll } from './enroll.service.js'
import { FlowActionInput, FlowActionResult } from './flow-action.types.js'

/** A flow that a contact begins along with the creation of an opportunity. */
export const flowAction = defineAction<{ flowId?: string }, FlowActionResult>({
  name: 'flow',
  description: 'A flow that the contact begins.',
  input: FlowActionInput,
  block: FlowActionResult,
  effect: 'database',
  failed: (error) => ({ enrolled: false, enrollmentId: null, status: null, error }),
  async run(db, { flowId }, target) {
    const { opportunityId } = target
    const contactId = contactOf(target)
    try {
      const { id, state } = await enroll(db, { flowId: flowId!, contactId, opportunityId })
      return { enrolled: true, enrollmentId: id, status: state, error: null }
    } catch (error) {
      if (!(error instanceof AlreadyEnrolled)) throw error
      return {
        enrolled: false,
        enrollmentId: error.enrollment.id,
        status: error.enrollment.state,
        error: error.message,
      }
    }
  },
})
