import { Property } from '@mikro-orm/decorators/legacy'
import { Field, ObjectType } from 'type-graphql'
import { Example, WrittenOutside } from '../../kit/documentation.js'
import { AfterErasure } from '../../kit/erasure.js'

/** What an opportunity shows of the records around it, so that a list needs no look at each of them. */
@ObjectType()
export abstract class OpportunityLabels {
  @Field(() => String, { description: 'The name of the pipeline.' })
  @Example('Sales')
  pipelineName?: string | null

  @Field(() => String, { description: 'The name of the stage.' })
  @Example('Proposal')
  stageName?: string | null

  @Field(() => String, { nullable: true, description: 'The name of the campaign.' })
  @Example('Spring outreach')
  campaignName?: string | null

  @Field(() => String, { nullable: true, description: 'The name of the owner.' })
  @Example('Bia Ramos')
  ownerUserName?: string | null

  @Field(() => String, { nullable: true, description: 'The email address of the owner.' })
  @Example('bia.ramos@example.com')
  ownerUserEmail?: string | null

  @Field(() => String, { nullable: true, description: 'The name of the sector.' })
  @Example('Inside sales')
  sectorName?: string | null

  @Field(() => String, { nullable: true, description: 'The name of the reason for which it was discarded or lost.' })
  @Example('No budget')
  discardReasonName?: string | null

  // The contact's are kept on the opportunity itself, by triggers of the database.

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: "A copy of the contact's name, which follows it." })
  @Property({ type: 'string', length: 255, nullable: true, persist: false })
  @Example('Ana Souza')
  @AfterErasure(null)
  contactName?: string | null

  @Field(() => String, { nullable: true, description: "A copy of the contact's email address, which follows it." })
  @Property({ type: 'string', length: 320, nullable: true, persist: false })
  @Example('ana.souza@example.com')
  @AfterErasure(null)
  contactEmail?: string | null

  @Field(() => String, { nullable: true, description: "A copy of the contact's phone number, which follows it." })
  @Property({ type: 'string', length: 40, nullable: true, persist: false })
  @Example('+5511987654321')
  @AfterErasure(null)
  contactPhone?: string | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: "A copy of the contact's company, which follows it." })
  @Property({ type: 'string', length: 255, nullable: true, persist: false })
  @Example('Aurora Energia')
  @AfterErasure(null)
  contactCompany?: string | null

  @WrittenOutside()
  @Field(() => String, { nullable: true, description: "A copy of the contact's job title, which follows it." })
  @Property({ type: 'string', length: 255, nullable: true, persist: false })
  @Example('Head of Sales')
  @AfterErasure(null)
  contactTitle?: string | null

  @Field(() => String, { nullable: true, description: 'A copy of where the contact is, which follows it.' })
  @Property({ type: 'string', length: 255, nullable: true, persist: false })
  @Example('São Paulo')
  @AfterErasure(null)
  contactLocation?: string | null

  @Field(() => String, {
    nullable: true,
    description: "A copy of the address of the contact's LinkedIn profile, which follows it.",
  })
  @Property({ type: 'string', length: 2048, nullable: true, persist: false })
  @Example('https://www.linkedin.com/in/ana-souza')
  @AfterErasure(null)
  contactProfileUrl?: string | null

  @Field(() => String, {
    nullable: true,
    description: "A copy of the address of the contact's picture, which follows it.",
  })
  @Property({ type: 'string', length: 2048, nullable: true, persist: false })
  @Example('https://example.com/ana.jpg')
  @AfterErasure(null)
  contactProfilePicture?: string | null
}
