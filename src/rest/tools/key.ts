import type { Findings } from '../findings.js'
import { checkedKey } from '../idempotency.js'
import type { JsonSchema } from '../openapi/json-schema.js'

/** The argument by which a call of a tool names itself: a repeat with the same name and arguments does nothing anew. */
export const KEY_ARGUMENT = 'idempotency_key'

export const KEY_SCHEMA: JsonSchema = {
  description:
    'A name for this call that you make up, such as a UUID. Call again with the same name and arguments when you do not ' +
    'know whether a call has worked: what was done is not done again, and the answer is that of the first call.',
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[\\x21-\\x7e]+$',
}

/** The name of a call, if it has one, and its other arguments; one that cannot be a name is a fault. */
export function takeKey(
  args: object,
  isNeeded: boolean,
  findings: Findings,
): { key: string | undefined; rest: object } {
  const { [KEY_ARGUMENT]: key, ...rest } = args as Record<string, unknown>
  if (key === undefined || key === null) {
    if (isNeeded) findings.fault(KEY_ARGUMENT, 'is required', true)
    return { key: undefined, rest }
  }
  return { key: checkedKey(key, KEY_ARGUMENT, findings), rest }
}
