import { defineNeed } from '../../database/index.js'
import type { Mailer } from '../../integrations/mail/index.js'

/** How long sessions last, and what they may do. */
export interface SessionSettings {
  /** Hours without a use after which a session ends. */
  idleHours: number
  /** Hours after which it ends in any case. */
  maxHours: number
  /** Requests an hour of a person, in all sessions together. */
  rateLimit: number
  /** The address of the dashboard, for links. */
  publicUrl: string
}

/** The settings of this domain, which the start of the process provides. */
export const sessionSettings = defineNeed<SessionSettings>('sessionSettings')

/** What sends this domain's mails, which the start of the process provides. */
export const mailer = defineNeed<Mailer>('mailer')
