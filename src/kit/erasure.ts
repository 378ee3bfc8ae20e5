import { Extensions } from 'type-graphql'

interface Erased {
  value: unknown
}

/**
 * Says what is in a field once the person it tells of is erased, while the record that has the field stays: an
 * opportunity without its contact. Answers that are kept for repeats are changed accordingly.
 */
export function AfterErasure(value: unknown): PropertyDecorator & MethodDecorator {
  return Extensions({ afterErasure: { value } }) as PropertyDecorator & MethodDecorator
}

/** What a field has after an erasure; undefined where nothing changes. */
export function afterErasure({ extensions }: { extensions: { afterErasure?: unknown } }): Erased | undefined {
  return extensions.afterErasure as Erased | undefined
}
