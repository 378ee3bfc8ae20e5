/** What a model is asked. */
export interface ChatQuestion {
  /** What it is to do, in our words and the account's. */
  instructions: string
  /** What it is to do that with: what others wrote, whatever that says, as JSON. */
  data: string
  /** The form of its answer, a JSON Schema of an object of which every field must be there and no other may be. */
  form: { name: string; schema: Record<string, unknown> }
  /** What it answered to the same before, and what is wrong with that. */
  before?: { answer: string; fault: string }
  /** How long its answer may be. */
  maxTokens: number
}

/** What came of a question; reasons are in our own words, since a provider's may repeat what was asked, or a key. */
export type ChatAnswer = {
  /** How many tokens it took; null where nobody knows. */
  tokens: number | null
} & (
  | { outcome: 'answered'; text: string }
  /** What came cannot be used: asked once more it may do better. */
  | { outcome: 'unusable'; reason: string }
  /** It has not answered, and may another time. */
  | { outcome: 'later'; reason: string; retryAfterMs?: number }
  /** It does not take such questions, as with a key that opens nothing. */
  | { outcome: 'refused'; reason: string }
)

/** A language model that answers questions, each of them alone; it remembers none, and can do nothing but answer. */
export interface ChatModel {
  /** Asks once; it does not throw, and asks no second time by itself. */
  ask(question: ChatQuestion): Promise<ChatAnswer>
}
