import { mkdirSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../../shared/ids.js'
import type { Addressee, Checked, Line, MessagingChannel, Outgoing, Sent } from './channel.js'

/** A token that the sandbox takes for one that was revoked. */
export const REVOKED_TOKEN = 'sandbox_revoked'

/** What the sandbox says to whom ends so; anybody else gets every message. */
export const SANDBOX_ENDINGS = {
  refused: '0001',
  windowClosed: '0002',
  later: '0003',
  unknown: '0004',
} as const

/**
 * Stands where no provider is: nothing leaves the machine, and each message that would becomes a line of JSON in a file of
 * the channel. It fails as a provider does for whoever's number or id ends in one of four ways, so that all that can happen can be
 * seen.
 */
export class SandboxChannel implements MessagingChannel {
  private readonly file: string

  constructor(
    private readonly folder: string,
    kind: Line['kind'],
    readonly hasWindow: boolean,
  ) {
    this.file = join(folder, `${kind}.jsonl`)
  }

  async send(line: Line, to: Addressee, message: Outgoing): Promise<Sent> {
    if (line.token === REVOKED_TOKEN) return { outcome: 'refused', reason: 'The token was revoked.', ourFault: true }
    const whom = Object.values(to)[0] as string
    const ends = (ending: string) => whom.endsWith(ending)
    if (ends(SANDBOX_ENDINGS.refused)) return { outcome: 'refused', reason: 'The sandbox refuses this recipient.' }
    if (ends(SANDBOX_ENDINGS.later)) return { outcome: 'later', reason: 'The sandbox has no time for this recipient.' }
    if (ends(SANDBOX_ENDINGS.windowClosed) && message.kind !== 'template') {
      return { outcome: 'window closed', reason: 'The person has not written within the last 24 hours.' }
    }
    const messageId = `sandbox.${newId()}`
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 })
      const { kind, numberId } = line
      const sent = { at: new Date().toISOString(), messageId, kind, from: numberId, to, message }
      await appendFile(this.file, `${JSON.stringify(sent)}\n`, { mode: 0o600 })
    } catch (error) {
      return { outcome: 'later', reason: `the outbox takes no line: ${(error as Error).message}` }
    }
    if (ends(SANDBOX_ENDINGS.unknown)) return { outcome: 'unknown', reason: 'The sandbox gave no answer.' }
    return { outcome: 'accepted', messageId }
  }

  async check({ numberId, token }: Line): Promise<Checked> {
    if (token === REVOKED_TOKEN) return { outcome: 'refused', reason: 'The token was revoked.' }
    return { outcome: 'connected', address: numberId, portfolioId: 'sandbox' }
  }

  close(): void {}
}
