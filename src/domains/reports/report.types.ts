import { Field, ID, ObjectType } from 'type-graphql'
import { ExampleRecords } from '../../kit/documentation.js'
import { ReadWith } from '../../kit/permissions.js'
import { DateTime } from '../../kit/scalars.js'
import type { ReportFilter } from './report.inputs.js'

@ObjectType({
  description: 'The conditions of a report as they were applied; null where there was none.',
  simpleResolvers: true,
})
@ReadWith('reports:read')
@ExampleRecords({ sectorId: null, ownerUserId: null, from: '2026-01-01T00:00:00.000Z', to: '2026-01-31T23:59:59.999Z' })
export class AppliedFilter {
  @Field(() => ID, { nullable: true, description: 'The id of the pipeline.' })
  pipelineId!: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the sector.' })
  sectorId!: string | null

  @Field(() => ID, { nullable: true, description: 'The id of the owner.' })
  ownerUserId!: string | null

  @Field(() => DateTime, { nullable: true, description: 'The earliest creation that counts.' })
  from!: string | null

  @Field(() => DateTime, { nullable: true, description: 'The latest creation that counts.' })
  to!: string | null
}

/** The conditions as the answer tells them. */
export function appliedOf(filter: ReportFilter | null): AppliedFilter {
  return {
    pipelineId: filter?.pipelineId ?? null,
    sectorId: filter?.sectorId ?? null,
    ownerUserId: filter?.ownerUserId ?? null,
    from: filter?.from?.from ?? null,
    to: filter?.to?.to ?? null,
  }
}
