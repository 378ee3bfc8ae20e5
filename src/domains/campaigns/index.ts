export { Campaign, CampaignContact, CampaignContactStatus, CampaignStatus } from './campaign.entity.js'
export { campaignContactTally } from './campaign.tally.js'
