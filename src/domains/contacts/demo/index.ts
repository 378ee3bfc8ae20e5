import type { DemoWork } from '../../../kit/demo.js'
import { reference } from '../../reference/index.js'
import { Contact, ContactNote, ContactTag } from '../contact.entity.js'
import { contacts } from './data.js'

const DAY = 86_400_000

/** Makes the demo account's contacts with their tags and notes. */
export function makeDemo({ em, accountId, made }: DemoWork) {
  const { tags } = made(reference)
  const now = Date.now()
  const people = contacts.map(({ tagNumbers, notes, daysAgo, ...fields }) => {
    const createdAt = new Date(now - daysAgo * DAY)
    const contact = em.create(Contact, { ...fields, accountId, createdAt })
    for (const number of tagNumbers) em.create(ContactTag, { contact, tag: tags[number]!, accountId })
    for (const [i, note] of notes.entries()) {
      const at = new Date(createdAt.getTime() + ((i + 1) / (notes.length + 1)) * daysAgo * DAY)
      em.create(ContactNote, { contact, note, accountId, createdAt: at })
    }
    return contact
  })
  /** Notes that something happened with a contact then, through this channel. */
  const interacted = (contact: Contact, sourceChannel: string, lastInteraction: Date) => {
    Object.assign(contact, { sourceChannel, lastInteraction })
  }
  return { made: { contacts: people, interacted } }
}
