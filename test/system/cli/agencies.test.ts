import { jest } from '@jest/globals'
import pg from 'pg'
import { createDatabase } from '../../support/cluster.js'
import { expectFailure, run as runWith } from './run.js'

// Each command is a real process: a second each, and many on a busy machine.
jest.setTimeout(120_000)

let own: Awaited<ReturnType<typeof createDatabase>>
beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

const run = (...args: string[]) => runWith(args, { DATABASE_URL: own.url })

async function json(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  return { ...JSON.parse(stdout), stderr }
}

test('an agency and its tokens are made, listed and revoked', async () => {
  const { agency_id, agency_key } = await json('agency', 'create', '--name', 'Norte Digital')
  expect(agency_key).toMatch(/^ag_[0-9a-f]{24}$/)
  const made = await json(
    'token',
    'create',
    '--agency',
    agency_key,
    '--scopes',
    'sub_account.create, sub_account.delete',
  )
  expect(made.token).toMatch(/^fl_agency_/)
  const { tokens } = await json('token', 'list', '--agency', agency_key)
  expect(tokens).toEqual([
    {
      id: made.id,
      agency_id,
      prefix: made.token.slice(0, 16),
      scopes: ['sub_account.create', 'sub_account.delete'],
      created_at: expect.any(String),
      last_used_at: null,
      revoked_at: null,
    },
  ])
  const { revoked_at } = await json('token', 'revoke', made.id)
  expect((await json('token', 'list')).tokens[0].revoked_at).toBe(revoked_at)
})

test('a card that cannot be on file is replaced by one that is declined when charged, and the command says so', async () => {
  const { stderr } = await json('agency', 'create', '--name', 'Sul', '--payment-method', 'pm_card_chargeDeclined')
  expect(stderr).toMatch(/pm_card_chargeDeclined .* pm_card_chargeCustomerFail/)
  const none = await json('agency', 'create', '--name', 'Leste', '--payment-method', 'none')
  expect(none.stderr).toBe('')
})

test.each([
  [['agency', 'create', '--name', 'A', '--currency', 'XYZ'], /currency must be one of/],
  [['agency', 'create', '--name', 'A', '--payment-method', 'pm_x'], /no payment method pm_x/],
  [['agency', 'create', '--name', 'A', '--seat-price-cents', '1.5'], /whole number/],
])('%j is refused', async (args, says) => {
  expectFailure(await run(...args), { code: 2, says })
})

test('a token wants known scopes and an agency that there is', async () => {
  const { agency_key } = await json('agency', 'create', '--name', 'Oeste')
  const [scope, agency] = await Promise.all([
    run('token', 'create', '--agency', agency_key, '--scopes', 'everything'),
    run('token', 'create', '--agency', 'ag_none', '--scopes', 'sub_account.create'),
  ])
  expectFailure(scope, { code: 2, says: /Unknown scope: everything/ })
  expectFailure(agency, { code: 1, says: /no agency with the key ag_none/ })
})

test('what the provider of billing has is compared, and mended where that is safe', async () => {
  const { agency_id, agency_key } = await json('agency', 'create', '--name', 'Centro')
  const compared = async (...args: string[]) => {
    const { code, stdout } = await run('billing', 'reconcile', ...args, '--json')
    const { agencies } = JSON.parse(stdout) as { agencies: { agency_key: string; differences: object[] }[] }
    return { code, agencies: agencies.filter((one) => one.agency_key === agency_key) }
  }
  expect(await compared()).toEqual({ code: 0, agencies: [] })
  const client = new pg.Client(own.url)
  await client.connect()
  await client.query(`update agency set payment_method = 'pm_other' where id = $1`, [agency_id])
  await client.end()
  const differs = (mended: boolean) => [
    {
      agency_id,
      agency_key,
      name: 'Centro',
      trouble: null,
      differences: [
        {
          kind: 'card',
          what: 'The card on file is pm_card_visa and counts as pm_other.',
          invoice_id: null,
          charge_id: null,
          charge_key: null,
          mended,
        },
      ],
    },
  ]
  expect(await compared()).toEqual({ code: 1, agencies: differs(false) })
  const { code, stdout } = await run('billing', 'reconcile')
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/Centro[\s\S]*DIFFERS {2}card: [\s\S]*1 differences, 0 mended/),
  ])
  expect(await compared('--apply')).toEqual({ code: 0, agencies: differs(true) })
  expect(await compared('--days', '1')).toEqual({ code: 0, agencies: [] })
  expectFailure(await run('billing', 'reconcile', '--days', 'few'), { code: 2, says: /whole number/ })
})
