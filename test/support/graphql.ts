import { randomUUID } from 'node:crypto'
import { Kind, parse } from 'graphql'
import { assembly } from '../../src/assembly.js'
import { createSchema, demandsOf } from '../../src/graphql/index.js'
import type { Permission } from '../../src/kit/permissions.js'
import type { TestApp } from './app.js'
import { type Answer, type Client, createClient } from './client.js'
import { dumpOf } from './dump.js'
import { makeKey, makeTenant, type Tenant } from './factories.js'
import { GRANTABLE } from './permissions.js'

export const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** The single root field of a call's answer; a call that failed fails the test. */
export function dataOf({ body }: Answer) {
  expect(body.errors).toBeUndefined()
  return Object.values(body.data)[0] as Answer['body']
}

/** What the error of a call says beside its message; a call that succeeded fails the test. */
export function failureOf({ body }: Answer) {
  expect(body.errors).toHaveLength(1)
  return body.errors[0].extensions
}

/** The faults of a refused input, as `path: message`. */
export function faultsOf(answer: Answer): string[] {
  const { code, details } = failureOf(answer)
  expect(code).toBe('VALIDATION_ERROR')
  return details.map(({ path, message }: { path: string[]; message: string }) => `${path.join('.')}: ${message}`)
}

const schema = createSchema(assembly)

/** The permissions that it takes to run a query of one operation. */
export function permissionsFor(query: string): Permission[] {
  const document = parse(query)
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)!
  return [...new Set(demandsOf(schema, document, operation).shown.map(({ permission }) => permission))]
}

/** A mutation with variables that are good in the account that they are made for. */
export interface Guarded {
  name: string
  query: string
  permission: Permission
  variables(tenant: Tenant): Promise<Record<string, unknown>> | Record<string, unknown>
  /** The variable that holds the id of a record, of which another account and an unknown id know nothing. */
  id?: string
}

/** The tests that hold for every mutation: who may not make the call changes nothing, and who may, may. */
export function describeGuards(service: () => TestApp, mutations: Guarded[]): void {
  const keyWith = async ({ accountId }: Tenant, permissions: string[]): Promise<Client> => {
    const { secret } = await makeKey(service().database, accountId, { permissions })
    return createClient(service().origin, secret)
  }

  describe.each(mutations)('$name', ({ query, permission, variables, id }) => {
    test('needs a key with its permission', async () => {
      const tenant = await makeTenant(service())
      const given = await variables(tenant)
      const others = GRANTABLE.filter((one) => one !== permission)
      const poor = await keyWith(tenant, others)
      const before = await dumpOf(service().database, tenant.accountId)
      expect(failureOf(await createClient(service().origin).graphql(query, given)).code).toBe('MISSING_API_KEY')
      expect(failureOf(await poor.graphql(query, given))).toMatchObject({
        code: 'INSUFFICIENT_PERMISSIONS',
        requiredPermission: permission,
      })
      expect(await dumpOf(service().database, tenant.accountId)).toEqual(before)
      dataOf(await (await keyWith(tenant, permissionsFor(query))).graphql(query, given))
      expect(await dumpOf(service().database, tenant.accountId)).not.toEqual(before)
    })

    if (!id) return
    test('finds nothing of another account, and no id that is unknown or none', async () => {
      // A permission that only admins give is not one of all.
      const all = { permissions: ['*', permission] }
      const [mine, theirs] = [await makeTenant(service(), all), await makeTenant(service())]
      const given = await variables(theirs)
      const before = [
        await dumpOf(service().database, mine.accountId),
        await dumpOf(service().database, theirs.accountId),
      ]
      for (const value of [given[id], randomUUID(), 'nobody', '']) {
        const answer = await mine.client.graphql(query, { ...given, [id]: value })
        expect(failureOf(answer).code).toBe('NOT_FOUND')
      }
      const after = [
        await dumpOf(service().database, mine.accountId),
        await dumpOf(service().database, theirs.accountId),
      ]
      expect(after).toEqual(before)
    })
  })
}
