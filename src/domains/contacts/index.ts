export { Contact, ContactNote, ContactTag } from './contact.entity.js'
export { ContactResolver } from './contact.resolver.js'
