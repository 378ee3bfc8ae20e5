import { Field, InputType, ObjectType } from 'type-graphql'
import { DropsFaulty, MaxLength } from './constraints.js'
import { ExampleRecords } from './documentation.js'
import { ReadWith } from './permissions.js'

@ObjectType({ description: 'Addresses and numbers that were found in a profile.', simpleResolvers: true })
@ReadWith('any')
@ExampleRecords({
  emails: ['ola@atelier-rio.example'],
  phones: ['+552134567890'],
  websites: ['https://atelier-rio.example'],
})
export class ExtractedContacts {
  @Field(() => [String], { description: 'Email addresses.' })
  emails!: string[]

  @Field(() => [String], { description: 'Phone numbers.' })
  phones!: string[]

  @Field(() => [String], { description: 'Addresses of web sites.' })
  websites!: string[]
}

@InputType({
  description:
    'Addresses and numbers that were found in a profile; a list left out is empty, an item that is wrong is left out.',
})
export class ExtractedContactsInput {
  @Field(() => [String], { nullable: true, description: 'Email addresses, each of at most 320 characters.' })
  @MaxLength(320)
  @DropsFaulty()
  emails?: string[] | null

  @Field(() => [String], { nullable: true, description: 'Phone numbers, each of at most 40 characters.' })
  @MaxLength(40)
  @DropsFaulty()
  phones?: string[] | null

  @Field(() => [String], { nullable: true, description: 'Addresses of web sites.' })
  @MaxLength(2048)
  @DropsFaulty()
  websites?: string[] | null
}

/** The stored form of what was sent: all three lists, without empty entries. */
export function extractedContactsOf(input: ExtractedContactsInput | null | undefined): ExtractedContacts | null {
  if (!input) return null
  const list = (values: string[] | null | undefined) => (values ?? []).filter(Boolean)
  return { emails: list(input.emails), phones: list(input.phones), websites: list(input.websites) }
}
