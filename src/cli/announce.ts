import type { Config } from '../config.js'
import type { Database } from '../database/index.js'
import type { Demo } from './demo/make.js'

/** The printed lines on how to get in, for a base address of the external API. */
export type KeyLines = (external: string) => string[]

/** How to get a key where there is none to show. */
export const HOW_TO_GET_A_KEY: KeyLines = () => [
  '  API key   `npx fairlead demo` or `npx fairlead key create` makes one',
]
const DEMO_IS_THERE: KeyLines = () => [
  '  API key   was shown when the demo account was made; `npx fairlead demo` makes it anew, with a new one',
]

/** Makes the demo account if the service is empty; of processes that start at once, one does and the others find it. */
export async function firstDemoLines(database: Database): Promise<KeyLines> {
  const [{ Accounts }, { makeFirstDemo }] = await Promise.all([
    import('../domains/accounts/index.js'),
    import('./demo/make.js'),
  ])
  const demo = await makeFirstDemo(database)
  if (demo) return (external) => linesOf(demo, external)
  return (await new Accounts(database).hasDemo()) ? DEMO_IS_THERE : HOW_TO_GET_A_KEY
}

function linesOf({ api_key: key, user }: Demo, external: string): string[] {
  return [
    `  API key   ${key}`,
    '            (of the demo account, shown only now; `npx fairlead demo` makes a new one)',
    `  Sign in   ${user.email} with the password ${user.password}`,
    'Try:',
    `  curl -H 'X-API-Key: ${key}' '${external}/contacts?limit=2'`,
  ]
}

/** Tells on stdout that the server is ready, and where. */
export function announce(port: number, external: string, { host, publicUrl }: Config, keyLines: KeyLines): void {
  const base = publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const lines = [
    'Fairlead is ready.',
    `  REST      ${base}${external}`,
    `  GraphQL   ${base}/graphql`,
    `  Health    ${base}/readyz`,
    ...keyLines(base + external),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
