import { Field, ID, InputType, Int, registerEnumType } from 'type-graphql'
import { AtLeast, Label, MaxLength, NotNull, OneOf, RecordId } from '../../kit/constraints.js'
import { SortOrder } from '../../kit/sorting.js'
import { EndReason, EnrollmentState } from './enrollment.entity.js'
import { FlowStatus } from './flow.entity.js'
import { StepKind } from './step.types.js'

@InputType({ description: 'A step: what it does, and what that kind of step needs.' })
export class FlowStepInput {
  @Field(() => StepKind, { description: 'What the step does.' })
  kind!: StepKind

  @Field(() => ID, { nullable: true, description: 'Of SEND: the id of the template.' })
  @RecordId()
  templateId?: string | null

  @Field(() => ID, {
    nullable: true,
    description: "Of SEND: the id of the sender; the account's default at the moment of sending if left out.",
  })
  @RecordId()
  senderId?: string | null

  @Field(() => Int, { nullable: true, description: 'Of WAIT: how many seconds; a year at most.' })
  @AtLeast(1)
  waitSeconds?: number | null

  @Field(() => ID, { nullable: true, description: 'Of TAG: the id of the tag.' })
  @RecordId()
  tagId?: string | null

  @Field(() => ID, { nullable: true, description: 'Of MOVE: the id of the stage.' })
  @RecordId()
  stageId?: string | null
}

@InputType({ description: "When mails of a flow may go out, by the clocks of the account's time zone." })
export class FlowSendWindowInput {
  @Field(() => [Int], { description: 'The days of the week: 1 is Monday, 7 is Sunday.' })
  days!: number[]

  @Field(() => String, { description: 'From what time on, as HH:MM.' })
  @MaxLength(5)
  from!: string

  @Field(() => String, { description: 'Until what time, as HH:MM; 24:00 is midnight.' })
  @MaxLength(5)
  until!: string
}

@InputType({ description: 'A new flow, which is a draft.' })
export class CreateFlowInput {
  @Field(() => String, { description: 'The name, for the people of the account.' })
  @MaxLength(255)
  name!: string

  @Field(() => [FlowStepInput], { description: 'The steps in their order, 50 at most.' })
  steps!: FlowStepInput[]

  @Field(() => FlowSendWindowInput, { nullable: true, description: 'When mails may go out; at any time if left out.' })
  sendWindow?: FlowSendWindowInput | null
}

@InputType({
  description: 'What to change of a flow. Other steps or hours make a new version, which those follow who begin later.',
})
export class UpdateFlowInput {
  @Field(() => String, { nullable: true, description: 'The name; it cannot be emptied.' })
  @Label(255)
  @NotNull()
  name?: string

  @Field(() => [FlowStepInput], { nullable: true, description: 'All steps in their order; those of now if left out.' })
  @NotNull()
  steps?: FlowStepInput[]

  @Field(() => FlowSendWindowInput, {
    nullable: true,
    description: 'When mails may go out; as now if left out, at any time if null.',
  })
  sendWindow?: FlowSendWindowInput | null
}

@InputType({ description: 'Which flows to list: those that meet every condition given.' })
export class FlowFilter {
  @Field(() => String, { nullable: true, description: 'Whether they run, without regard to case; such as active.' })
  @OneOf(FlowStatus)
  status?: string | null

  @Field(() => String, { nullable: true, description: 'Part of the name, without regard to case and accents.' })
  search?: string | null
}

/** What a list of flows can be sorted by. */
export enum FlowSortField {
  CREATED_AT = 'created_at',
  NAME = 'name',
}
registerEnumType(FlowSortField, {
  name: 'FlowSortField',
  description: 'What a list of flows can be sorted by.',
  valuesConfig: {
    CREATED_AT: { description: 'When the flow was created.' },
    NAME: { description: 'The name, without regard to case and accents.' },
  },
})

@InputType({ description: 'The order of a list of flows.' })
export class FlowSort {
  @Field(() => FlowSortField, { nullable: true, description: 'What to sort by; the creation if left out.' })
  by?: FlowSortField | null

  @Field(() => SortOrder, { nullable: true, description: 'In which direction; descending if left out.' })
  order?: SortOrder | null
}

@InputType({ description: 'Which enrollments to list: those that meet every condition given.' })
export class FlowEnrollmentFilter {
  @Field(() => ID, { nullable: true, description: 'The id of the flow.' })
  flowId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the contact.' })
  contactId?: string | null

  @Field(() => String, { nullable: true, description: 'How the contact stands in the flow, without regard to case.' })
  @OneOf(EnrollmentState)
  state?: string | null

  @Field(() => String, { nullable: true, description: 'Why it is over, without regard to case.' })
  @OneOf(EndReason)
  endReason?: string | null
}

/** What a list of enrollments can be sorted by. */
export enum EnrollmentSortField {
  CREATED_AT = 'created_at',
  UPDATED_AT = 'updated_at',
  DUE_AT = 'due_at',
}
registerEnumType(EnrollmentSortField, {
  name: 'FlowEnrollmentSortField',
  description: 'What a list of enrollments can be sorted by.',
  valuesConfig: {
    CREATED_AT: { description: 'When the contact was enrolled.' },
    UPDATED_AT: { description: 'When the enrollment last changed.' },
    DUE_AT: { description: 'When the next step is due.' },
  },
})

@InputType({ description: 'The order of a list of enrollments.' })
export class FlowEnrollmentSort {
  @Field(() => EnrollmentSortField, { nullable: true, description: 'What to sort by; the enrollment if left out.' })
  by?: EnrollmentSortField | null

  @Field(() => SortOrder, { nullable: true, description: 'In which direction; descending if left out.' })
  order?: SortOrder | null
}
