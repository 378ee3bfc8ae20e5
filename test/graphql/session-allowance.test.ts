import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { makePerson, signIn } from '../support/factories/people.js'
import { makeKey } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ sessionRateLimit: 3 })
})
afterAll(() => service.stop())

const ASK = '{ session { account { id } key { id name } rateLimit { limit remaining } } }'

test('a person is told of their own session and allowance, and of no key when that is used up', async () => {
  const { email, tenant } = await makePerson(service, { name: 'Bia Ramos' })
  const { client } = await signIn(service, email)
  const [{ id }] = (await service.database.pool.query('select id from sign_in_session')).rows
  expect((await client.graphql(ASK)).body.data.session).toMatchObject({
    account: { id: tenant.accountId },
    key: { id, name: 'Bia Ramos' },
    rateLimit: { limit: 3 },
  })
  const told = async (caller: typeof client) => {
    for (let i = 0; ; i++) {
      const { status, body } = await caller.graphql(ASK)
      if (status === 429) return body.errors[0].message
      if (i > 3) throw new Error('nothing is refused')
    }
  }
  expect(await told(client)).toMatch(
    /^The 3 requests that you may make in an hour are used up; try again in \d+ seconds\.$/,
  )
  const { secret } = await makeKey(service.database, tenant.accountId, { rateLimit: 2 })
  expect(await told(createClient(service.origin, secret))).toContain('that this key may make')
})
