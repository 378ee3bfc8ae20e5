import type { KeyObject } from 'node:crypto'

/** An address with the name that is shown beside it. */
export interface Mailbox {
  name: string
  address: string
}

/** With what a domain vouches for a mail (RFC 6376). */
export interface DkimKey {
  domain: string
  selector: string
  /** An RSA key, read already: to read it anew for each mail takes a third of what signing does. */
  privateKey: KeyObject
}

/** A mail to one person. */
export interface Mail {
  /** The email address alone, without a name. */
  to: string
  subject: string
  text: string
  html?: string
  /** Who it is from; the service itself if left out. */
  from?: Mailbox
  /** The part of its Message-ID before the @; a new one if left out. */
  id?: string
  /** The https address at which its reader leaves the list, by one click too (RFC 8058). */
  unsubscribeUrl?: string
  dkim?: DkimKey
}

/** What became of a mail; the reasons are for people to read. */
export type Delivered =
  /** The server has taken it, and answered so. */
  | { outcome: 'accepted'; answer: string }
  /** The server will never take it. */
  | { outcome: 'refused'; reason: string }
  /** It was surely not taken, and may be another time; `ourFault` where somebody has to mend a setting before. */
  | { outcome: 'later'; reason: string; ourFault?: boolean }
  /** It was handed over, and no answer came: it may have been taken. */
  | { outcome: 'unknown'; reason: string }

/** What hands mails to the people that they are for. */
export interface Mailer {
  /** How many mails may be handed over at once; more than that wait for each other. */
  readonly atOnce: number
  /** Hands over a mail once, and tells what became of it within a minute; throws for a mail that is none. */
  send(mail: Mail): Promise<Delivered>
  /** Lets go of what it holds; mails under way are ended first. */
  close(): void
}

/** Hands over a mail of the service's own, which whoever asks sends again later when this throws; tells what else became of it. */
export async function handOver(mailer: Mailer, mail: Mail): Promise<Exclude<Delivered, { outcome: 'later' }>> {
  const delivered = await mailer.send(mail)
  if (delivered.outcome === 'later') throw new Error(`the mail could not be handed over: ${delivered.reason}`)
  // Another one that was refused would fare no better; one of which nothing is known has probably arrived.
  return delivered
}
