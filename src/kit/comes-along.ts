import { Extensions } from 'type-graphql'

/**
 * Declares a field that reads bring along with its record where it is asked for, under its own name. Its resolver is only
 * for a record that came without it.
 */
export function ComesAlong(): MethodDecorator {
  return Extensions({ comesAlong: true }) as MethodDecorator
}
