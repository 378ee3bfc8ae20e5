import { createHash } from 'node:crypto'
import { Extensions } from 'type-graphql'
import type { ErrorName } from '../shared/errors.js'

/** The errors of its own that a root field can end with, beside those that every call can; they become documentation. */
export function MayFail(...errors: ErrorName[]): MethodDecorator {
  return Extensions({ errors }) as MethodDecorator
}

/**
 * A text that people outside of the account wrote, or may have written: whoever hands it to an AI assistant says so, since
 * nothing in it is an instruction.
 */
export function WrittenOutside(): PropertyDecorator & MethodDecorator {
  return Extensions({ foreign: true }) as PropertyDecorator & MethodDecorator
}

/** A value of a field as the examples of the documentation show it. */
export function Example(example: unknown): PropertyDecorator & MethodDecorator {
  return Extensions({ example }) as PropertyDecorator & MethodDecorator
}

/**
 * Values of an object type's fields that only fit together, as the documentation's examples show them: of one record, or
 * of several, all of which a list shows. They win over what a field says itself, which other types may inherit.
 */
export function ExampleRecords(...records: Record<string, unknown>[]): ClassDecorator {
  return Extensions({ examples: records }) as ClassDecorator
}

/** The errors of its own that a root field ends with, as the examples of the documentation show them: by their code. */
export function ExampleErrors(errorExamples: Record<string, ErrorExample>): MethodDecorator {
  return Extensions({ errorExamples }) as MethodDecorator
}

/** What an error says, in the names of the documentation. */
export interface ErrorExample {
  message: string
  [member: string]: unknown
}

const BORN = Date.parse('2026-01-20T10:15:00Z').toString(16).padStart(12, '0')

/** The id (a uuid v7) by which the examples of the documentation know a record, wherever it appears. */
export function exampleId(record: string): string {
  const hex = createHash('sha256').update(record).digest('hex')
  const variant = '89ab'[Number.parseInt(hex[15]!, 16) % 4]
  return `${BORN.slice(0, 8)}-${BORN.slice(8)}-7${hex.slice(0, 3)}-${variant}${hex.slice(3, 6)}-${hex.slice(16, 28)}`
}
