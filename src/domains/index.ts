import type { Domain } from '../kit/domain.js'
import { accounts } from './accounts/index.js'
import { agencies } from './agencies/index.js'
import { agents } from './agents/index.js'
import { audit } from './audit/index.js'
import { billing } from './billing/index.js'
import { campaigns } from './campaigns/index.js'
import { channels } from './channels/index.js'
import { contacts } from './contacts/index.js'
import { conversations } from './conversations/index.js'
import { flows } from './flows/index.js'
import { inbox } from './inbox/index.js'
import { instagramAgents } from './instagram-agents/index.js'
import { jobs } from './jobs/index.js'
import { mail } from './mail/index.js'
import { opportunities } from './opportunities/index.js'
import { pipelines } from './pipelines/index.js'
import { reference } from './reference/index.js'
import { reports } from './reports/index.js'
import { sessions } from './sessions/index.js'
import { subAccounts } from './sub-accounts/index.js'
import { users } from './users/index.js'
import { workflows } from './workflows/index.js'

/** The domains of the product, from ground to roof: each may use those before it, and none knows those after it. */
export const domains: readonly Domain[] = [
  accounts,
  jobs,
  reference,
  users,
  channels,
  agents,
  contacts,
  pipelines,
  campaigns,
  opportunities,
  conversations,
  inbox,
  workflows,
  instagramAgents,
  reports,
  sessions,
  agencies,
  billing,
  subAccounts,
  mail,
  flows,
  audit,
]
