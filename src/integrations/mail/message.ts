import type { SendMailOptions } from 'nodemailer'
import type { Mail } from './mailer.js'

const BREAKS = /\s+/g

/**
 * A mail as nodemailer's transports take it. The address is handed over as one, so that nothing in it is read as a list,
 * and line breaks become spaces, so that nothing in a header begins another one.
 */
export function messageOf({ to, subject, text }: Mail, from: string): SendMailOptions {
  if (/[\s,;<>]/.test(to)) throw new Error('a mail goes to one address')
  return {
    from,
    to: { name: '', address: to },
    subject: subject.replace(BREAKS, ' ').trim(),
    text,
    // Nobody's vacation responder is to answer it.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
