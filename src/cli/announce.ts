import type { Config } from '../config.js'
import type { Demo } from './demo/make.js'
import type { Environment } from './environment.js'

/** Where the APIs are: their paths, or whole addresses. */
interface Bases {
  external: string
  agency: string
}

/** The printed lines on how to get in, for the addresses of the APIs. */
export type KeyLines = (addresses: Bases) => string[]

/** How to get a key where there is none to show. */
export const HOW_TO_GET_A_KEY: KeyLines = () => [
  '  API key   `npx fairlead demo` or `npx fairlead key create` makes one',
]
const DEMO_IS_THERE: KeyLines = () => [
  '  API key   was shown when the demo account was made; `npx fairlead demo` makes it anew, with a new one',
]

/** The client for which the printed command creates a sub-account of the demo agency. */
const CLIENT = { name: 'Padaria Central', admin_email: 'ana@padaria-central.example', channels: { whatsapp: 1 } }

/** Makes the demo account if the service is empty; of processes that start at once, one does and the others find it. */
export async function firstDemoLines({
  database,
  config,
}: Pick<Environment, 'database' | 'config'>): Promise<KeyLines> {
  const [{ Accounts }, { makeFirstDemo }] = await Promise.all([
    import('../domains/accounts/index.js'),
    import('./demo/make.js'),
  ])
  const demo = await makeFirstDemo(database, config)
  if (demo) return (addresses) => linesOf(demo, addresses)
  return (await new Accounts(database).hasDemo()) ? DEMO_IS_THERE : HOW_TO_GET_A_KEY
}

function linesOf(
  { api_key: key, user, agency_key: agencyKey, agency_token: token }: Demo,
  { external, agency }: Bases,
) {
  return [
    `  API key   ${key}`,
    '            (of the demo account, shown only now; `npx fairlead demo` makes a new one)',
    `  Sign in   ${user.email} with the password ${user.password}`,
    `  Agency    ${agencyKey}, the key of the demo agency, which stands in the addresses of its API`,
    `  Token     ${token}`,
    '            (of the demo agency, shown only now)',
    'Try:',
    `  curl -H 'X-API-Key: ${key}' '${external}/contacts?limit=2'`,
    `  curl -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${JSON.stringify(CLIENT)}' '${agency}/${agencyKey}/sub-accounts'`,
  ]
}

/** Tells on stdout that the server is ready, and where. */
export function announce(port: number, paths: Bases, settings: Config, keyLines: KeyLines): void {
  const { host, publicUrl, agencyHost } = settings
  const base = publicUrl ?? `http://${bracketed(host)}:${port}`
  const agencies = agencyHost === undefined ? base : at(base, agencyHost)
  const lines = [
    'Fairlead is ready.',
    `  REST      ${base}${paths.external}`,
    `  GraphQL   ${base}/graphql`,
    `  Health    ${base}/readyz`,
    ...keyLines({ external: base + paths.external, agency: agencies + paths.agency }),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host)

/** The address with another host in it, and its port. */
function at(address: string, host: string): string {
  return Object.assign(new URL(address), { hostname: bracketed(host) }).href.replace(/\/$/, '')
}
