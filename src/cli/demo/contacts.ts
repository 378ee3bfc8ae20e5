import type { EntityManager } from '@mikro-orm/postgresql'
import { CampaignContact } from '../../domains/campaigns/index.js'
import { Contact, ContactNote, ContactTag } from '../../domains/contacts/index.js'
import { contacts } from './data/contacts.js'
import { campaignContactStatuses, campaigns } from './data/offer.js'
import type { Organisation } from './organisation.js'

const DAY = 86_400_000

/** Makes the demo account's contacts with their tags and notes, and puts some of them into campaigns. */
export function makeContacts(em: EntityManager, accountId: string, { tags, campaigns: efforts }: Organisation) {
  const now = Date.now()
  const made = contacts.map(({ tagNumbers, notes, daysAgo, ...fields }) => {
    const createdAt = new Date(now - daysAgo * DAY)
    const contact = em.create(Contact, { ...fields, accountId, createdAt })
    for (const number of tagNumbers) em.create(ContactTag, { contact, tag: tags[number]!, accountId })
    for (const [i, note] of notes.entries()) {
      const at = new Date(createdAt.getTime() + ((i + 1) / (notes.length + 1)) * daysAgo * DAY)
      em.create(ContactNote, { contact, note, accountId, createdAt: at })
    }
    return contact
  })
  for (const [number, { contacts: members }] of campaigns.entries()) {
    for (const [nth, contact] of made.slice(members[0], members[1]! + 1).entries()) {
      const status = campaignContactStatuses[nth % campaignContactStatuses.length]!
      const createdAt = new Date(contact.createdAt.getTime() + 60_000)
      const campaignId = efforts[number]!.id
      em.create(CampaignContact, { accountId, campaignId, contactId: contact.id, status, createdAt })
    }
  }
  return made
}
