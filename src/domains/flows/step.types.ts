import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql'
import { Example, ExampleRecords } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'

/** What a step does. */
export enum StepKind {
  SEND = 'send',
  WAIT = 'wait',
  TAG = 'tag',
  MOVE = 'move',
  STOP = 'stop',
}
registerEnumType(StepKind, {
  name: 'FlowStepKind',
  description: 'What a step of a flow does.',
  valuesConfig: {
    SEND: { description: 'Sends a template email, within the hours in which the flow may send.' },
    WAIT: { description: 'Waits.' },
    TAG: { description: 'Gives the contact a tag.' },
    MOVE: { description: "Moves the contact's opportunity into a stage." },
    STOP: { description: 'Ends the flow for the contact.' },
  },
})

/** A step as it is stored. */
export type Step =
  | { kind: StepKind.SEND; templateId: string; senderId: string | null }
  | { kind: StepKind.WAIT; waitSeconds: number }
  | { kind: StepKind.TAG; tagId: string }
  | { kind: StepKind.MOVE; stageId: string }
  | { kind: StepKind.STOP }

@ObjectType({ description: 'One step of a flow; of its ids only that of its kind is there.', simpleResolvers: true })
@ReadWith('flows:read')
@ExampleRecords({ kind: StepKind.SEND })
export class FlowStep {
  @Field(() => StepKind, { description: 'What the step does.' })
  kind!: StepKind

  @Field(() => ID, { nullable: true, description: 'The id of the template that is sent.' })
  templateId?: string | null

  @Field(() => ID, {
    nullable: true,
    description: "The id of the sender that it comes from; null for the account's default at that moment.",
  })
  senderId?: string | null

  @Field(() => Int, { nullable: true, description: 'How many seconds it waits.' })
  @Example(259_200)
  waitSeconds?: number | null

  @Field(() => ID, { nullable: true, description: 'The id of the tag that is given.' })
  tagId?: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the stage into which the opportunity is moved.' })
  stageId?: string | null
}

@ObjectType({
  description: "When mails of a flow may go out, by the clocks of the account's time zone.",
  simpleResolvers: true,
})
@ReadWith('flows:read')
export class FlowSendWindow {
  @Field(() => [Int], { description: 'The days of the week: 1 is Monday, 7 is Sunday.' })
  @Example([1, 2, 3, 4, 5])
  days!: number[]

  @Field(() => String, { description: 'From what time on, as HH:MM.' })
  @Example('09:00')
  from!: string

  @Field(() => String, { description: 'Until what time, as HH:MM; 24:00 is midnight.' })
  @Example('18:00')
  until!: string
}

@ObjectType({ description: 'How many contacts a flow has, and how they fare.', simpleResolvers: true })
@ReadWith('flows:read')
export class FlowCounts {
  @Field(() => Int, { description: 'All that were ever enrolled.' })
  enrolled!: number

  @Field(() => Int, { description: 'Those whose steps go on.' })
  active!: number

  @Field(() => Int, { description: 'Those that wait for the flow to be resumed.' })
  paused!: number

  @Field(() => Int, { description: 'Those that have come to its end.' })
  completed!: number

  @Field(() => Int, { description: 'Those that were taken out before its end.' })
  stopped!: number

  @Field(() => Int, { description: 'Those with whom a step failed.' })
  failed!: number
}
