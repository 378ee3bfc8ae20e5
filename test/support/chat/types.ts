import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'

const types = JSON.parse(readFileSync(new URL('types/chat-types.json', import.meta.url), 'utf8')) as {
  request: object
  answer: object
}

/** What the local chat API demands of a request, or of its own answer: the types of the `openai` package. */
export class ChatTypes {
  private readonly ajv = new Ajv({ strict: false, allErrors: true })
  private readonly checks: Record<'request' | 'answer', ValidateFunction> = {
    request: this.ajv.compile(types.request),
    answer: this.ajv.compile(types.answer),
  }

  /** What of a value does not fit, in words; nothing if all does. */
  faultsOf(value: unknown, kind: 'request' | 'answer'): string[] {
    const check = this.checks[kind]
    return check(value) ? [] : (check.errors ?? []).map(inWords)
  }

  /** The same of what a model says, and of the schema that was asked for. */
  faultsOfContent(content: unknown, schema: object): string[] {
    const check = this.ajv.compile(schema)
    return check(content) ? [] : (check.errors ?? []).map(inWords)
  }
}

const inWords = ({ instancePath, message, params }: ErrorObject) =>
  `${instancePath || '/'} ${message} ${JSON.stringify(params)}`
