import { randomBytes, randomUUID } from 'node:crypto'
import { makeAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createClient } from '../support/client.js'
import { makePerson, PASSWORD, signIn, withSession } from '../support/factories/people.js'
import { makeTenant } from '../support/factories.js'
import { freePort } from '../support/programs.js'
import { startLocalStripe } from '../support/stripe/index.js'

const word = () => randomBytes(18).toString('hex')

/** All that nobody may read in the log, by what it is. */
const secrets = new Map<string, string>()
const secret = (what: string, text = word()): string => {
  secrets.set(what, text)
  return text
}

let service: TestApp
let stripe: Awaited<ReturnType<typeof startLocalStripe>>
beforeAll(async () => {
  stripe = await startLocalStripe()
  const nobody = await freePort()
  service = await startTestApp({
    logLevel: 'trace',
    // Neither a mail server nor a Redis is there: what fails is told of.
    smtpUrl: `smtp://mailer:${secret('the password of the mail server')}@127.0.0.1:${nobody}`,
    redisUrl: `redis://counter:${secret('the password of Redis')}@127.0.0.1:${nobody}`,
    stripe: {
      secretKey: secret('the key at Stripe', stripe.secretKey),
      apiBase: stripe.base,
      webhookSecrets: [secret('the secret of webhooks', `whsec_${word()}`)],
    },
    metricsToken: secret('the token of the figures'),
    encryptionKey: Buffer.from(secret('the key that seals', randomBytes(32).toString('hex')), 'hex'),
  })
})
afterAll(async () => {
  await service?.stop()
  await stripe?.stop()
})

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(service.origin + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

test('no secret that was used is in the log, whatever was done with it', async () => {
  // People, and what they type.
  const person = await makePerson(service)
  secret('the password of a person', PASSWORD)
  const { token } = await signIn(service, person.email)
  secret('the token of a session', token)
  const me = withSession(service.origin, token)
  const wrong = secret('a wrong password')
  await me.graphql(`mutation { login(email: "${person.email}", password: "${wrong}") { token } }`)
  const newer = secret('a new password')
  await me.graphql('mutation ($to: String!) { changePassword(currentPassword: "x", newPassword: $to) }', { to: newer })
  await post('/graphql', {
    query: `mutation { changePassword(currentPassword: "${PASSWORD}", newPassword: "${newer}") }`,
  })
  await post(
    '/graphql',
    `{"query":"mutation { resetPassword(token: \\"${secret('the token of a link')}\\", password: \\"${newer}\\"`,
  )
  await me.graphql('mutation ($email: String!) { requestPasswordReset(email: $email) }', { email: person.email })

  // Keys, in each place where one may stand, and one that is made.
  const { key, client } = await makeTenant(service)
  secret('an API key', key)
  await client.get('/contacts')
  await fetch(`${service.base}/contacts?api_key=${key}&limit=x`)
  await fetch(`${service.base}/contacts/${key}`, { headers: { Authorization: `Bearer ${key}` } })
  await fetch(`${service.base}/${encodeURIComponent(`?api_key=${key}`)}`, {
    headers: { 'User-Agent': key, Referer: key },
  })
  await client.post('/contacts', { name: key, notes: `Bearer ${key}` })
  const { body } = await client.graphql(
    'mutation { createApiKey(input: { name: "Made", permissions: ["contacts:read"] }) { secret } }',
  )
  secret('a key that was made', body.data.createApiKey.secret)
  await createClient(service.origin, `${key}0`).get('/contacts')

  // Channels, agencies, webhooks, figures.
  const connect = 'mutation ($input: ConnectChannelInput!) { connectChannel(input: $input) { id } }'
  await client.graphql(connect, {
    input: { kind: 'WHATSAPP', externalId: randomUUID(), token: secret('the token of a channel') },
  })
  await client.graphql(
    `mutation { connectChannel(input: { kind: WHATSAPP, externalId: 5, token: "${secret('a malformed token')}" }) { id } }`,
  )
  const agency = await makeAgency(service)
  secret('the token of an agency', agency.token)
  await agency.client.create({ name: 'Sub', admin_email: `${randomUUID()}@example.com`, channels: { linkedin: 1 } })
  await agency.client.get(`/events/${agency.token}`)
  await post('/webhooks/stripe', { id: 'evt_1' }, { 'Stripe-Signature': `t=1,v1=${secret('a signature')}` })
  await fetch(`${service.origin}/metrics`, {
    headers: { Authorization: `Bearer ${secrets.get('the token of the figures')}` },
  })
  await fetch(`${service.origin}/metrics?token=${secrets.get('the token of the figures')}`)
  await fetch(`${service.origin}/unsubscribe/${secret('the token of an unsubscription')}`)

  for (let i = 0; i < 500 && service.logs().filter(({ msg }) => msg === 'answered').length < 20; i++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const log = JSON.stringify(service.logs())
  expect(log).toContain('Requests are counted by this process alone')
  const found = [...secrets].filter(([, text]) => log.includes(text)).map(([what]) => what)
  expect(found).toEqual([])
})
