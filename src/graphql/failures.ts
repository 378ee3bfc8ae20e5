import { GraphQLError } from 'graphql'
import { databaseFailure } from '../database/index.js'
import { AppError } from '../shared/errors.js'

/** The error that a resolver threw, without GraphQL's wrapping. */
export function thrown(error: unknown): unknown {
  return error instanceof GraphQLError ? (error.originalError ?? error) : error
}

/**
 * What the caller is told of an error: domain errors as they are, failures of the database by their meaning, and
 * nothing but INTERNAL_ERROR of the rest, which `log` gets whole.
 */
export function presentable(error: unknown, log: (error: unknown) => void): AppError {
  const cause = thrown(error)
  if (cause instanceof AppError) return cause
  const failure = databaseFailure(cause)
  if (failure) {
    if (failure.status >= 500) log(cause)
    return failure
  }
  log(cause)
  return new AppError('INTERNAL_ERROR', 'Something went wrong on our side.', { cause })
}
