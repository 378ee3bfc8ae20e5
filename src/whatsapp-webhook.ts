import { createHash, timingSafeEqual } from 'node:crypto'
import type { Inbox } from './domains/inbox/index.js'
import type { Webhook } from './http/index.js'
import { isSigned, readWebhook } from './integrations/channels/index.js'
import type { WhatsAppSettings } from './settings/whatsapp.js'
import { AppError } from './shared/errors.js'

/** Meta's webhooks have up to 3 MB. */
const MAX_BYTES = 3 * 1_048_576

/** What WhatsApp tells, signed with one of the app's secrets; without any it is not believed. It is answered once stored. */
export function whatsappWebhook(inbox: Inbox, { appSecrets, verifyToken }: WhatsAppSettings): Webhook {
  return {
    path: '/webhooks/whatsapp',
    signature: 'X-Hub-Signature-256',
    maxBytes: MAX_BYTES,
    take: async (body, signature) => {
      if (!isSigned(body, signature, appSecrets)) {
        throw new AppError('VALIDATION_ERROR', 'The signature of what is told is not right.')
      }
      await inbox.store('whatsapp', readWebhook(parsed(body)))
    },
    shakeHands: (query) => {
      const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query
      const isRight = mode === 'subscribe' && verifyToken !== undefined && isSame(token, verifyToken)
      return isRight && typeof challenge === 'string' && /^[\w.-]{1,255}$/.test(challenge) ? challenge : undefined
    },
  }
}

/** What was signed and is no JSON would be none when told again. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest()
const isSame = (given: unknown, known: string) =>
  typeof given === 'string' && timingSafeEqual(hashOf(given), hashOf(known))
