import type { Answer } from '../client.js'
import type { Word } from './access-table.js'
import type { Caller } from './callers.js'

/** Whoever is let in is answered, or told what is wrong with the arguments. */
const LET_IN = new Set(['NOT_FOUND', 'EVENT_NOT_FOUND', 'VALIDATION_ERROR', 'INVALID_CREDENTIALS'])

interface Refusal {
  code: string
  requiredPermission?: string
  required_permission?: string
}

/** What an error comes to for the matrix: `allowed`, or the code with the permission that it names. */
export function outcomeOf(error: Refusal | undefined): string {
  if (!error || LET_IN.has(error.code)) return 'allowed'
  const { code, requiredPermission = error.required_permission } = error
  return requiredPermission ? `${code} ${requiredPermission}` : code
}

/** What /graphql has answered; a query that was let in has no error at all. */
export function outcomeOfGraphql({ body }: Answer, isQuery: boolean): string {
  const error: Refusal | undefined = body.errors?.[0].extensions
  return isQuery && error && LET_IN.has(error.code) ? error.code : outcomeOf(error)
}

/** What a caller is to be answered by a root field, of whom all these words are demanded, in this order. */
export function expectedOf(caller: Caller, demanded: readonly Word[], root = ''): string {
  if (caller.refused && !(caller.kind === 'anonymous' && demanded[0] === 'public')) return caller.refused
  for (const word of demanded) {
    const refusal = refusalOf(caller, word)
    if (refusal) return refusal
  }
  return caller.told?.[root] ?? 'allowed'
}

function refusalOf({ kind, holds, temporary }: Caller, word: Word): string | undefined {
  if (word === 'public' || (word === 'any' && !temporary)) return
  if (temporary && word !== 'fresh_session') return 'PASSWORD_CHANGE_REQUIRED'
  if (word === 'session' || word === 'fresh_session') return kind === 'session' ? undefined : 'SESSION_REQUIRED'
  if (word === 'agency') return kind === 'token' || holds.includes('agencies:read') ? undefined : 'TOKEN_REQUIRED'
  if (holds.includes(word)) return
  return kind === 'token' ? 'INSUFFICIENT_PERMISSIONS' : `INSUFFICIENT_PERMISSIONS ${word}`
}
