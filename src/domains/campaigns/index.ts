import { defineDomain } from '../../kit/domain.js'
import { accounts } from '../accounts/index.js'
import { contacts } from '../contacts/index.js'
import { reference } from '../reference/index.js'
import { users } from '../users/index.js'
import { Campaign, CampaignContact } from './campaign.entity.js'
import { CampaignResolver } from './campaign.resolver.js'
import { campaignContactTally } from './campaign.tally.js'
import { CampaignContactResolver } from './membership.resolver.js'

export { Campaign, CampaignContact, CampaignContactStatus, CampaignStatus } from './campaign.entity.js'
export { type CampaignRow, campaignReads } from './campaign.reads.js'
export { campaignContactTally } from './campaign.tally.js'

/** Outreach to many contacts, and how far each of them is in it. */
export const campaigns = defineDomain({
  name: 'campaigns',
  uses: [accounts, reference, users, contacts],
  entities: [Campaign, CampaignContact],
  resolvers: [CampaignResolver, CampaignContactResolver],
  tallies: [campaignContactTally],
  permissions: { 'campaigns:read': 'list campaigns', 'campaigns:write': 'add contacts to campaigns' },
  demo: () => import('./demo/index.js'),
})
