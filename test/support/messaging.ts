import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { messagingChannels } from '../../src/domains/channels/index.js'
import { startMessageWorker } from '../../src/domains/conversations/index.js'
import { startAgentWorker } from '../../src/domains/workflows/index.js'
import type {
  Addressee,
  Checked,
  Line,
  MessagingChannel,
  Outgoing,
  Sent,
} from '../../src/integrations/channels/index.js'
import type { TestApp } from './app.js'

/** A provider that takes everything unless a test says otherwise, and tells what it took. */
export class FakeChannel implements MessagingChannel {
  readonly hasWindow = true
  readonly sent: { line: Line; to: Addressee; message: Outgoing }[] = []
  /** What it answers, one after the other; accepted once there is none left. */
  answers: (Sent | (() => Promise<Sent>))[] = []
  checked: Checked = { outcome: 'connected', address: '+5511900000000', portfolioId: '77' }
  // As a provider's: none is given twice, also where several of these stand for one.
  private readonly name = randomUUID()
  private count = 0

  async send(line: Line, to: Addressee, message: Outgoing): Promise<Sent> {
    this.sent.push({ line, to, message })
    const answer = this.answers.shift() ?? { outcome: 'accepted', messageId: `wamid.${this.name}.${++this.count}` }
    return typeof answer === 'function' ? answer() : answer
  }

  async check(): Promise<Checked> {
    return this.checked
  }

  close(): void {}
}

/** Puts a fake provider in the place of all. */
export function fakeChannels({ database }: TestApp): FakeChannel {
  const fake = new FakeChannel()
  database.needs.provide(messagingChannels, { whatsapp: fake, instagram: fake, linkedin: fake })
  return fake
}

/** Runs the workers of messages and agents until nothing is due any more but what waits for its time. */
export async function workOff({ database }: TestApp, { soon = true } = {}): Promise<void> {
  const errors: unknown[] = []
  const log = (error: unknown) => void errors.push(error)
  // A reply waits a little for what else is written.
  if (soon) await database.pool.query(`update agent_run set due_at = now() - interval '1 s' where state = 'due'`)
  const workers = [startAgentWorker({ database, log, pollMs: 5 }), startMessageWorker({ database, log, pollMs: 5 })]
  // What was made due just now may lie half a millisecond ahead, since a time is kept to the millisecond.
  const soonest = `now() + interval '1 millisecond'`
  const busy = `select (select count(*) from agent_run where due_at <= now() + interval '3 minutes' and state = 'due'
        and (attempts = 0 or due_at <= ${soonest} or due_at > now() + interval '100 seconds'))::int
      + (select count(*) from message m where status = 'sending' or (status = 'queued' and due_at <= ${soonest}
        and not exists (select from message e where e.conversation_id = m.conversation_id and e.due_at is not null
          and (e.sent_at, e.id) < (m.sent_at, m.id))))::int as left`
  for (const end = Date.now() + 20_000; Date.now() < end; await delay(10)) {
    if ((await database.pool.query(busy)).rows[0].left === 0) break
  }
  await Promise.all(workers.map((worker) => worker.stop()))
  if (errors.length > 0) throw errors[0]
}
