import type { Context } from '../database/index.js'
import { thrown } from '../graphql/index.js'
import { AppError } from '../shared/errors.js'
import type { Members } from './api.js'
import type { Endpoint } from './operation.js'
import { addWarnings, documentedWarnings, type Envelop } from './respond.js'

/** Runs an operation and puts its result into its envelope, with what services found odd; throws what it ends with. */
export async function carryOut(
  endpoint: Endpoint,
  envelop: Envelop,
  context: Context,
  variables: Record<string, unknown>,
): Promise<Members> {
  await context.begin(endpoint.operation.mutation)
  try {
    return await carried(endpoint, envelop, context, variables)
  } finally {
    context.end()
  }
}

async function carried(
  endpoint: Endpoint,
  envelop: Envelop,
  context: Context,
  variables: Record<string, unknown>,
): Promise<Members> {
  const { operation, mount } = endpoint
  const { data, errors } = await operation.execute(context, variables)
  if (errors && errors.length > 0) throw thrown(errors[0])
  const found = data as Members
  if (mount.envelope === 'DATA' && found[operation.roots[0]!.key] === null) {
    throw new AppError('NOT_FOUND', 'There is no such record.')
  }
  const body = envelop(found)
  addWarnings(body, documentedWarnings(context, endpoint))
  return body
}
