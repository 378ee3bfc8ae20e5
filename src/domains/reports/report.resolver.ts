import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql'
import type { Context } from '../../database/index.js'
import { Requires } from '../../kit/permissions.js'
import { funnelReport } from './funnel.reads.js'
import { PipelineFunnel } from './funnel.types.js'
import { ReportFilter } from './report.inputs.js'
import { salesSummary, sellersReport } from './sales.reads.js'
import { SalesSummary, SellerResult } from './sales.types.js'
import { slaReport } from './sla.reads.js'
import { SlaReport } from './sla.types.js'

const FILTER = { nullable: true, description: 'Which opportunities count; all if left out.' }

@Resolver()
export class ReportResolver {
  @Query(() => [PipelineFunnel], { description: 'What stands in each stage of the pipelines, in their order.' })
  @Requires('reports:read')
  funnelReport(
    @Ctx() { db }: Context,
    @Arg('pipelineId', () => ID, { nullable: true, description: 'The id of the one pipeline to report on.' })
    pipelineId: string | null,
    @Arg('sectorId', () => ID, { nullable: true, description: 'The id of the one sector whose opportunities count.' })
    sectorId: string | null,
  ): Promise<PipelineFunnel[]> {
    return funnelReport(db, { pipelineId, sectorId })
  }

  @Query(() => SlaReport, { description: 'How long the steps of selling took, over all and by seller.' })
  @Requires('reports:read')
  slaReport(
    @Ctx() { db }: Context,
    @Arg('filter', () => ReportFilter, FILTER) filter: ReportFilter | null,
  ): Promise<SlaReport> {
    return slaReport(db, filter)
  }

  @Query(() => SalesSummary, { description: 'What is open, won and lost.' })
  @Requires('reports:read')
  salesSummary(
    @Ctx() { db }: Context,
    @Arg('filter', () => ReportFilter, FILTER) filter: ReportFilter | null,
  ): Promise<SalesSummary> {
    return salesSummary(db, filter)
  }

  @Query(() => [SellerResult], { description: 'What each seller has open, won and lost, by revenue.' })
  @Requires('reports:read')
  sellersReport(
    @Ctx() { db }: Context,
    @Arg('filter', () => ReportFilter, FILTER) filter: ReportFilter | null,
  ): Promise<SellerResult[]> {
    return sellersReport(db, filter)
  }
}
