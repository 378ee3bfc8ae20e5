import { within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { defineQueue } from '../../kit/queue.js'
import { accounts } from '../accounts/index.js'
import { agencies } from '../agencies/index.js'
import { billing, chargeRefunded, invoiceChanged } from '../billing/index.js'
import { sessions } from '../sessions/index.js'
import { users } from '../users/index.js'
import { AgencyEvent } from './agency-event.entity.js'
import { AgencyEventResolver } from './agency-event.resolver.js'
import { keepInvoiceStatus, keepRefund } from './event-money.service.js'
import { SubAccount } from './sub-account.entity.js'
import { SubAccountResolver } from './sub-account.resolver.js'
import { SubAccountListResolver } from './sub-account-list.resolver.js'
import { subAccountJobs } from './trial.job.js'
import { TrialResolver } from './trial.resolver.js'

export { ACTIONS, type AgencyAction, AgencyEvent, AgencyEventStatus } from './agency-event.entity.js'
export { deleteDemoAgency } from './demo-agency.service.js'
export { EventJournal, type JournalOptions } from './event-journal.service.js'
export { startEventWorker, type WorkerOptions } from './event-worker.service.js'
export { EVENT_PACE, MAX_ATTEMPTS, type Provisioning, provisioningMeans } from './provisioning.service.js'
export { SubAccount, SubAccountStatus } from './sub-account.entity.js'
export { endDueTrials } from './trial.job.js'

/** The accounts of agencies' clients, and an event for each call that creates, changes or ends one. */
export const subAccounts = defineDomain({
  name: 'sub-accounts',
  uses: [accounts, users, sessions, agencies, billing],
  entities: [SubAccount, AgencyEvent],
  resolvers: [SubAccountResolver, SubAccountListResolver, AgencyEventResolver, TrialResolver],
  queues: [defineQueue('agency_events', 'agency_event', "status in ('pending', 'processing')")],
  jobs: subAccountJobs,
  on: [within(invoiceChanged, keepInvoiceStatus), within(chargeRefunded, keepRefund)],
})
