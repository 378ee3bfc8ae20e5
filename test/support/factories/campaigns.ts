import type { Database } from '../../../src/database/index.js'
import { Campaign, CampaignContact } from '../../../src/domains/campaigns/index.js'

/** A campaign of the account with these contacts in it, straight into the database. */
export async function makeCampaign(
  database: Database,
  accountId: string,
  { contactIds = [], ...overrides }: Partial<Campaign> & { contactIds?: string[] } = {},
): Promise<Campaign & { memberIds: string[] }> {
  const em = database.fork()
  const campaign = em.create(Campaign, { name: 'Campaign', ...overrides, accountId })
  const members = contactIds.map((contactId) =>
    em.create(CampaignContact, { accountId, campaignId: campaign.id, contactId }),
  )
  await em.flush()
  return Object.assign(campaign, { memberIds: members.map(({ id }) => id) })
}
