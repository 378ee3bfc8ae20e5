import { Field, InputType } from 'type-graphql'
import { MaxLength } from '../../kit/constraints.js'
import { Example } from '../../kit/documentation.js'
import { SenderType } from '../conversations/index.js'

@InputType({ description: 'One message of a conversation in which an agent is tried out.' })
export class SaidInput {
  @Example('lead')
  @Field(() => SenderType, { description: 'Who says it.' })
  by!: SenderType

  @Example('How much is an installation?')
  @Field(() => String, { description: 'The text.' })
  @MaxLength(4096)
  text!: string
}

@InputType({ description: 'A conversation in which an agent is tried out: it is nowhere but in this.' })
export class ChatInput {
  @Field(() => [SaidInput], {
    description: 'What was said so far, oldest first, at most 40; what the lead says last is answered.',
  })
  @Example([{ by: 'lead', text: 'How much is an installation?' }])
  messages!: SaidInput[]

  @Field(() => String, { nullable: true, description: 'What the lead is called.' })
  @Example('Ana Souza')
  @MaxLength(255)
  leadName?: string | null

  @Field(() => String, { nullable: true, description: 'Where the lead works.' })
  @Example('Aurora Energia')
  @MaxLength(255)
  leadCompany?: string | null
}
