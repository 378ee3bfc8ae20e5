import type { SendMailOptions } from 'nodemailer'
import { newId } from '../../shared/ids.js'
import type { Mail, Mailbox } from './mailer.js'

// Line breaks, those of Unicode too, and what else no header may hold.
const BREAKS = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu

const line = (text: string) => text.replace(BREAKS, ' ').trim()

/**
 * A mail as nodemailer's transports take it. Addresses are handed over as one each, so that nothing in them is read as a
 * list, and line breaks become spaces, so that nothing in a header begins another one.
 */
export function messageOf(mail: Mail, service: Mailbox) {
  const { to, subject, text, html, from = service, id = newId(), unsubscribeUrl, dkim } = mail
  for (const address of [to, from.address]) {
    if (!/^[^\s,;<>\p{Cc}]+@[^\s,;<>\p{Cc}@]+$/u.test(address))
      throw new Error('a mail goes from one address to one address')
  }
  if (unsubscribeUrl && !URL.canParse(unsubscribeUrl)) throw new Error('a mail is left by an address')
  return {
    from: { name: line(from.name), address: from.address },
    to: { name: '', address: to },
    subject: line(subject),
    text,
    html,
    messageId: `<${id}@${from.address.split('@').at(-1)}>`,
    headers: {
      // Nobody's vacation responder is to answer it.
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribeUrl && {
        'List-Unsubscribe': { prepared: true, value: `<${new URL(unsubscribeUrl).href}>` },
        // For https alone, as the RFC has it: a click that anybody on the way may see or change is none.
        ...(unsubscribeUrl.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
      }),
    },
    // The type asks for a text, but what it comes to is crypto's sign(), which takes either.
    ...(dkim && {
      dkim: {
        domainName: dkim.domain,
        keySelector: dkim.selector,
        privateKey: dkim.privateKey as unknown as string,
      },
    }),
    disableFileAccess: true,
    disableUrlAccess: true,
  } satisfies SendMailOptions
}
