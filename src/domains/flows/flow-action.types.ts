import { Field, ID, InputType, ObjectType } from 'type-graphql'
import { Example, exampleId } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import type { EnrollmentState } from './enrollment.entity.js'

@InputType({ description: 'A flow that the contact of a new opportunity begins.' })
export class FlowActionInput {
  @Field(() => ID, { nullable: true, description: 'The flow, which must be active.' })
  flowId?: string | null
}

@ObjectType({
  description: 'What came of the wish that the contact of a new opportunity begins a flow.',
  simpleResolvers: true,
})
@ReadWith('any')
export class FlowActionResult {
  @Example(true)
  @Field(() => Boolean, { description: 'Whether the contact has begun the flow by this.' })
  enrolled!: boolean

  @Example(exampleId('FlowEnrollment'))
  @Field(() => ID, {
    nullable: true,
    description: 'The enrollment: the new one, or that by which it had begun already.',
  })
  enrollmentId!: string | null

  @Example('active')
  @Field(() => String, {
    nullable: true,
    description: 'How the contact stands in the flow: active, paused, completed, stopped or failed.',
  })
  status!: EnrollmentState | null

  @Example(null)
  @Field(() => String, { nullable: true, description: 'Why it has not begun, in a sentence; null when it has.' })
  error!: string | null
}
