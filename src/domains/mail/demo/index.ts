import { cipher } from '../../../kit/cipher.js'
import { type DemoWork, listed } from '../../../kit/demo.js'
import { newId } from '../../../shared/ids.js'
import { domainKeys } from '../needs.service.js'
import { EmailSender } from '../sender.entity.js'
import { makeKey } from '../sender.service.js'
import { EmailTemplate } from '../template.entity.js'

const ADDRESS = 'ana@fairlead-demo.example'

/** Makes the demo account's template, and a sender that mails can come from at once where none of them leaves. */
export async function makeDemo({ em, db, accountId }: DemoWork) {
  const template = em.create(EmailTemplate, {
    accountId,
    name: 'First contact',
    subject: '{{first_name}}, an idea for {{#company}}{{company}}{{/company}}{{^company}}you{{/company}}',
    html: [
      '<p>Hello {{first_name}},</p>',
      '<p>we help teams{{#company}} like the one at {{company}}{{/company}} to win more of their leads.',
      'May I show you how, in fifteen minutes?</p>',
      '<p>{{sender_name}}, {{account_name}}</p>',
      '<p><small><a href="{{unsubscribe_url}}">No more mails</a></small></p>',
    ].join('\n'),
  })
  const { privateKey, ...published } = await makeKey(ADDRESS)
  const id = newId()
  const found = await db.get(domainKeys).look(published.dnsName, published.dnsValue)
  const sender = em.create(EmailSender, {
    ...published,
    id,
    accountId,
    name: 'Ana from the demo',
    address: ADDRESS,
    isDefault: true,
    verifiedAt: found === 'published' ? new Date() : null,
    dkimPrivateKey: db.get(cipher).get().seal(privateKey, id),
  })
  return {
    made: { templates: [template], senders: [sender] },
    ids: { templates: listed([template]), senders: listed([sender]) },
  }
}
