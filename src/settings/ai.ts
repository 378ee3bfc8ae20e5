import { LEAST_TOKENS } from '../shared/least-tokens.js'
import { integer, type Parse, type Read, webUrl } from './values.js'

/** Which model composes what agents say, and how much of it an account may use. */
export interface AiSettings {
  /** An API that speaks as OpenAI's does, with its version. */
  apiBase: string
  apiKey: string
  model: string
  /** The most tokens of an account in a day (UTC), asked and answered together. */
  dailyTokens: number
}

const OPENAI = 'https://api.openai.com/v1'
const DAILY_TOKENS = 1_000_000

const keyOf: Parse<string> = (text) => (/^[\x21-\x7e]{1,1000}$/.test(text) ? text : undefined)
const nameOf: Parse<string> = (text) => (/^[\x21-\x7e]{1,200}$/.test(text) ? text : undefined)

/** Reads the settings of the model; undefined without a key. */
export function readAi(read: Read, notices: string[], faults: string[]): AiSettings | undefined {
  const address = `an http:// or https:// address such as ${OPENAI}`
  const apiBase = read<string | undefined>('AI_API_BASE', undefined, webUrl, address)
  const apiKey = read<string | undefined>('AI_API_KEY', undefined, keyOf, 'a key without spaces')
  const model = read<string | undefined>('AI_MODEL', undefined, nameOf, 'the name of a model, without spaces')
  const tokens = integer(LEAST_TOKENS, 1_000_000_000_000)
  const expected = `a whole number of tokens, ${LEAST_TOKENS} at least`
  const dailyTokens = read<number | undefined>('AI_DAILY_TOKENS', undefined, tokens, expected)
  if (apiKey !== undefined) {
    if (model === undefined) faults.push('AI_MODEL must be set along with AI_API_KEY')
    return { apiBase: apiBase ?? OPENAI, apiKey, model: model ?? '', dailyTokens: dailyTokens ?? DAILY_TOKENS }
  }
  const rest = { AI_API_BASE: apiBase, AI_MODEL: model, AI_DAILY_TOKENS: dailyTokens }
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined) notices.push(`${name} has no effect without AI_API_KEY`)
  }
  return undefined
}
