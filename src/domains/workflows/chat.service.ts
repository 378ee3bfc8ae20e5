import type { Scope } from '../../database/index.js'
import { invalid } from '../../shared/errors.js'
import type { ChatInput } from './chat.inputs.js'
import type { ChatAnswer } from './chat.types.js'
import { tryOut } from './try-out.service.js'

const MAX_SAID = 40

/** Has an agent answer in a sandbox: nothing is sent, and nothing is kept. Fails as `tryOut` does. */
export async function chat(
  db: Scope,
  agentId: string,
  { messages: said, leadName, leadCompany }: ChatInput,
): Promise<ChatAnswer> {
  if (said.length === 0 || said.length > MAX_SAID) {
    throw invalid([{ path: ['input', 'messages'], message: `must be 1 to ${MAX_SAID} messages` }])
  }
  const lead = { name: leadName ?? '', company: leadCompany ?? '' }
  const { reply, handsOver, qualification, articles } = await tryOut(db, { agentId, said, lead })
  const { score = null, stage = null, reasons = [], objections = [] } = qualification ?? {}
  return { reply, handsOver, score, stage, reasons, objections, articles: [...articles] }
}
