import { Extensions } from 'type-graphql'
import type { ErrorName } from '../shared/errors.js'

/** The errors of its own that a root field can end with, beside those that every call can; they become documentation. */
export function MayFail(...errors: ErrorName[]): MethodDecorator {
  return Extensions({ errors }) as MethodDecorator
}

/** A value of a field as the examples of the documentation show it. */
export function Example(example: unknown): PropertyDecorator & MethodDecorator {
  return Extensions({ example }) as PropertyDecorator & MethodDecorator
}
