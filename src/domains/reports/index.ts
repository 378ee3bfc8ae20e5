import { defineDomain } from '../../kit/domain.js'
import { opportunities } from '../opportunities/index.js'
import { pipelines } from '../pipelines/index.js'
import { users } from '../users/index.js'
import { ReportResolver } from './report.resolver.js'

/** How selling goes. */
export const reports = defineDomain({
  name: 'reports',
  uses: [users, pipelines, opportunities],
  resolvers: [ReportResolver],
  permissions: { 'reports:read': 'read the sales reports' },
})
