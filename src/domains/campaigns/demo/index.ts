import { type DemoWork, listed } from '../../../kit/demo.js'
import { contacts } from '../../contacts/index.js'
import { reference } from '../../reference/index.js'
import { users } from '../../users/index.js'
import { Campaign, CampaignContact } from '../campaign.entity.js'
import { campaignContactStatuses, campaigns } from './data.js'

/** Makes the demo account's campaigns, and puts some of the contacts into them. */
export function makeDemo({ em, accountId, made }: DemoWork) {
  const { sectors } = made(reference)
  const staff = made(users).users
  const people = made(contacts).contacts
  const efforts = campaigns.map(({ sector, responsible, contacts: _, ...campaign }) =>
    em.create(Campaign, {
      ...campaign,
      accountId,
      sectorId: sectors[sector]!.id,
      defaultResponsibleId: staff[responsible]!.id,
    }),
  )
  for (const [number, { contacts: members }] of campaigns.entries()) {
    for (const [nth, contact] of people.slice(members[0], members[1]! + 1).entries()) {
      const status = campaignContactStatuses[nth % campaignContactStatuses.length]!
      const createdAt = new Date(contact.createdAt.getTime() + 60_000)
      const campaignId = efforts[number]!.id
      em.create(CampaignContact, { accountId, campaignId, contactId: contact.id, status, createdAt })
    }
  }
  /** The campaign that the contact of this place is in, the first of several. */
  const campaignOf = (place: number) => {
    const number = campaigns.findIndex(({ contacts }) => contacts[0]! <= place && place <= contacts[1]!)
    return efforts[number] ?? null
  }
  return { made: { campaigns: efforts, campaignOf }, ids: { campaigns: listed(efforts) } }
}
