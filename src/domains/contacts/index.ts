import { within } from '../../database/index.js'
import { defineDomain } from '../../kit/domain.js'
import { accounts } from '../accounts/index.js'
import { reference, tagDeleted } from '../reference/index.js'
import { ContactActivityResolver } from './activity.resolver.js'
import { Contact, ContactNote, ContactTag } from './contact.entity.js'
import { ContactResolver } from './contact.resolver.js'
import { contactTally } from './contact.tally.js'
import { ContactSeller } from './contact-seller.entity.js'
import { markTaggedChanged } from './tag-deleted.service.js'
import { ContactTouch } from './touch.entity.js'

export { Contact, ContactNote, ContactTag } from './contact.entity.js'
export { contactChanged, contactCreated, contactDeleted } from './contact.facts.js'
export type { UpdateContactInput } from './contact.inputs.js'
export { type ContactRow, contactReads } from './contact.reads.js'
export { contactLock, updateContact } from './contact.service.js'
export { contactTally } from './contact.tally.js'
export { createUnmatched } from './contact-create.service.js'
export { type FillableFields, fillEmptyFields, noteInteraction } from './contact-fill.service.js'
export { duplicateEmail, holdTags } from './contact-lookup.service.js'
export { type Identity, matchContact } from './contact-match.service.js'
export { isContactOf, seesContact } from './contact-own.service.js'
export { digitsOf, holderOfPhone } from './contact-phone.service.js'
export { ContactSeller } from './contact-seller.entity.js'
export { giveTag } from './contact-tag.service.js'
export { ContactTouch } from './touch.entity.js'

/** The people whom the account knows or wants to know. */
export const contacts = defineDomain({
  name: 'contacts',
  uses: [accounts, reference],
  entities: [Contact, ContactTag, ContactNote, ContactTouch, ContactSeller],
  resolvers: [ContactResolver, ContactActivityResolver],
  tallies: [contactTally],
  permissions: {
    'contacts:read': 'list and read contacts',
    'contacts:write': 'create and change contacts',
    'contacts:delete': 'delete contacts',
  },
  on: [within(tagDeleted, markTaggedChanged)],
  demo: () => import('./demo/index.js'),
})
