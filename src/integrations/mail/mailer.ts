/** A mail to one person, in plain text. */
export interface Mail {
  /** The email address alone, without a name. */
  to: string
  subject: string
  text: string
}

/** What hands mails to the people that they are for. */
export interface Mailer {
  /** Resolves when the mail is on its way; a failure is thrown, and the caller tries again later. */
  send(mail: Mail): Promise<void>
}
