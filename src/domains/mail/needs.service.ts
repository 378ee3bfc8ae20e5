import { defineNeed } from '../../database/index.js'
import type { DomainKeys } from '../../integrations/dns/index.js'
import type { Settled } from './send.service.js'

/** Where domains publish their keys, which the start of the process provides. */
export const domainKeys = defineNeed<DomainKeys>('domainKeys')

/** What hands a mail over that was stored as claimed, and tells what came of it; the start of the process provides it. */
export const sendNow = defineNeed<(accountId: string, mailId: string) => Promise<Settled>>('sendNow')
