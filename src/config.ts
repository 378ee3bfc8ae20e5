import { fileURLToPath } from 'node:url'

/** The settings of a process; all come from the environment, and only this file reads it. */
export interface Config {
  /** PostgreSQL 14 or later; undefined means the embedded one in the data folder. */
  databaseUrl?: string
  dataDir: string
  port: number
  host: string
  production: boolean
  logLevel: string
  /** Proxies in front of the service whose X-Forwarded headers count. */
  trustProxy: boolean | number
  poolSize: number
  acquireTimeoutMs: number
  /** Whether tenants' statements run under PostgreSQL's row level security, beside the conditions that each of them has. */
  rowSecurity: boolean
  /** How long the answer to a call with an Idempotency-Key is kept. */
  idempotencyTtlHours: number
  /** The address under which callers reach the service, for links and the printed lines. */
  publicUrl?: string
}

/** A setting with a value that cannot be used. */
export class ConfigError extends Error {}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Reads and checks the settings; throws ConfigError that names every bad one at once. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = []
  const read = <T>(name: string, fallback: T, parse: (text: string) => T | undefined, expected: string): T => {
    const text = env[name]?.trim()
    if (!text) return fallback
    const value = parse(text)
    if (value === undefined) faults.push(`${name} must be ${expected}${shown(name, text)}`)
    return value ?? fallback
  }
  const config: Config = {
    databaseUrl: read('DATABASE_URL', undefined, postgresUrl, `an address like ${ADDRESS}`),
    dataDir: read('DATA_DIR', fileURLToPath(new URL('../.data', import.meta.url)), String, 'a folder'),
    port: read('PORT', 4000, integer(0, 65_535), 'a port number'),
    host: read('HOST', '127.0.0.1', String, 'an address'),
    production: env.NODE_ENV === 'production',
    logLevel: read('LOG_LEVEL', 'info', oneOf(LOG_LEVELS), `one of ${LOG_LEVELS.join(', ')}`),
    trustProxy: read('TRUST_PROXY', false, proxies, 'true, false or a number of proxies'),
    poolSize: read('DATABASE_POOL_SIZE', 10, integer(2, 1000), 'a whole number from 2 to 1000'),
    acquireTimeoutMs: read('DATABASE_WAIT_MS', 5000, integer(1, 60_000), 'milliseconds from 1 to 60000'),
    rowSecurity: read('ROW_SECURITY', false, yesOrNo, 'true or false'),
    idempotencyTtlHours: read('IDEMPOTENCY_TTL_HOURS', 24, integer(1, 8760), 'whole hours from 1 to 8760'),
    publicUrl: read('PUBLIC_URL', undefined, webUrl, 'an http:// or https:// address'),
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return config
}

/** An address may carry a password, and in one that cannot be read nobody knows where: none of it is printed. */
function shown(name: string, text: string): string {
  return name.endsWith('_URL') ? '' : `, not "${text}"`
}

const integer = (min: number, max: number) => (text: string) => {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

const oneOf = (values: readonly string[]) => (text: string) => (values.includes(text) ? text : undefined)

const urlOf =
  (...protocols: string[]) =>
  (text: string) =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined

const ADDRESS = 'postgres://user:password@host:5432/database (special characters of the password percent-encoded)'

/** Stricter than the drivers, whose complaints about half of an address would help nobody. */
function postgresUrl(text: string): string | undefined {
  const url = urlOf('postgres:', 'postgresql:')(text)
  if (url === undefined || !/^\w+:\/\//.test(url)) return undefined
  const { pathname, username, password } = new URL(url)
  return pathname.length > 1 && [pathname, username, password].every(isDecodable) ? url : undefined
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const webUrl = (text: string) => urlOf('http:', 'https:')(text)?.replace(/\/+$/, '')

const yesOrNo = (text: string) => (text === 'true' ? true : text === 'false' ? false : undefined)

function proxies(text: string): boolean | number | undefined {
  return yesOrNo(text) ?? integer(0, 100)(text)
}
