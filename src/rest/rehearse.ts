import { getNamedType } from 'graphql'
import type { Context } from '../database/index.js'
import { harmless, thrown } from '../graphql/index.js'
import { InvalidInput } from '../shared/errors.js'
import type { Findings } from './findings.js'
import type { Endpoint } from './operation.js'
import { detailOf } from './respond.js'

/**
 * Looks in a request whose form is wrong for what else is: whether the records exist that its other fields name. The
 * operation is rehearsed with something harmless in place of what is missing or wrong, of which nothing is told.
 */
export async function rehearse(
  endpoint: Endpoint,
  context: Context,
  variables: Record<string, unknown>,
  findings: Findings,
): Promise<void> {
  const { operation, parameters } = endpoint
  if (!operation.mutation) return
  const good = parameters.filter(({ name }) => variables[name] !== undefined && !findings.isWrong(name))
  if (!good.some(({ source, type }) => source === 'body' && getNamedType(type).name === 'ID')) return
  const filled: Record<string, unknown> = {}
  for (const { name } of good) filled[name] = variables[name]
  for (const { name, type, required } of parameters) {
    if (required && !(name in filled)) filled[name] = harmless(type, (_, sent) => sent)
  }
  context.rehearsing = true
  const { errors = [] } = await operation.execute(context, filled)
  const error = thrown(errors[0])
  if (!(error instanceof InvalidInput)) return
  const known = new Set(good.map(({ name }) => name))
  for (const fault of error.faults) {
    const { field, message } = detailOf(fault, endpoint)
    if (known.has(field.split('.')[0]!)) findings.fault(field, message)
  }
}
