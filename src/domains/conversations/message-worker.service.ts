import type { Database } from '../../database/index.js'
import { type ClaimWorkerOptions, startClaimWorker } from '../../kit/claim-worker.js'
import { asTrace } from '../../kit/traced.js'
import { type ClaimedMessage, claimMessages, giveUpAbandoned, releaseMessages } from './claim.service.js'
import { sendClaimed } from './send.service.js'

/** What sends messages in the background. */
export interface MessageWorkerOptions extends Pick<ClaimWorkerOptions<ClaimedMessage>, 'log' | 'pollMs'> {
  database: Database
}

const AT_ONCE = 8

/** Sends the messages that are due, until stopped; however many processes do so, each is sent once or never. */
export function startMessageWorker({ database, log, pollMs }: MessageWorkerOptions): { stop(): Promise<void> } {
  return startClaimWorker<ClaimedMessage>({
    atOnce: AT_ONCE,
    claim: (limit) => claimMessages(database, limit),
    run: (message) => asTrace(database, 'send message', message, () => sendClaimed(database, message)),
    release: (messages) => releaseMessages(database, messages),
    whenIdle: () => giveUpAbandoned(database),
    log,
    pollMs,
  })
}
