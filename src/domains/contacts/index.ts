export { ContactActivityResolver } from './activity.resolver.js'
export { Contact, ContactNote, ContactTag } from './contact.entity.js'
export { ContactResolver } from './contact.resolver.js'
export { ContactTouch } from './touch.entity.js'
