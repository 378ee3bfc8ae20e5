import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
/** What `npm start` and the container give to Node.js; what is set for a measurement counts more. */
const NODE_FLAGS = '--max-semi-space-size=16 --max-old-space-size=1024 --v8-pool-size=1'
export const environment = (url) => ({
  ...process.env,
  NODE_OPTIONS: [NODE_FLAGS, process.env.NODE_OPTIONS].filter(Boolean).join(' '),
  MALLOC_ARENA_MAX: '2',
  ...{ DATABASE_URL: url, NODE_ENV: 'production', LOG_LEVEL: 'warn', SESSION_RATE_LIMIT: '1000000000' },
})
export const log = (...words) => console.error(new Date().toISOString().slice(11, 19), ...words)

/** The measured account among others, and for the growth with the account a small and a large one. */
const plans = ({ contacts, others, opportunities, scaling }) => ({
  others: { contacts: others, notes: 0, opportunities: 0 },
  measured: { contacts, notes: 2, opportunities },
  ...(scaling && {
    small: { contacts: 1000, notes: 0, opportunities: 10_000 },
    large: { contacts: 1_000_000, notes: 0, opportunities: 1_000_000 },
  }),
})

/** Seeds what is not there yet; the accounts of a work folder are kept with what they hold. */
export function seeded(url, options) {
  const fairlead = (...args) => {
    const stdio = ['ignore', 'pipe', 'inherit']
    const out = execFileSync(process.execPath, [main, ...args], { env: environment(url), stdio }).toString()
    return out.startsWith('{') ? JSON.parse(out) : {}
  }
  fairlead('migrate')
  const file = join(options.work, 'accounts.json')
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const accounts = {}
  for (const [name, plan] of Object.entries(plans(options))) {
    const id = `${name} ${JSON.stringify(plan)}`
    known[id] ??= seed(fairlead, name, plan)
    accounts[name] = { ...plan, ...known[id] }
    writeFileSync(file, JSON.stringify(known))
  }
  return accounts
}

function seed(fairlead, name, plan) {
  log(`seeding ${name}: ${plan.contacts} contacts, ${plan.opportunities} opportunities`)
  const { account_id } = fairlead('account', 'create', '--name', name, '--json')
  const amounts = Object.entries(plan).flatMap(([what, number]) => [`--${what}`, String(number)])
  const { rows, rows_per_second } = fairlead('seed', '--account', account_id, ...amounts, '--json')
  log(`${rows} rows, ${rows_per_second} a second`)
  const rights = ['--permissions', '*', '--rate-limit', '1000000000']
  const { key } = fairlead('key', 'create', '--account', account_id, '--name', 'bench', ...rights, '--json')
  return { account_id, key }
}
