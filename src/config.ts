import { fileURLToPath } from 'node:url'
import type { TraceSettings } from './integrations/traces/index.js'
import { type AiSettings, readAi } from './settings/ai.js'
import { misnamed } from './settings/names.js'
import { readStripe, type StripeSettings } from './settings/stripe.js'
import { readTraces } from './settings/traces.js'
import {
  hostName,
  integer,
  keyOf32Bytes,
  listOf,
  oneOf,
  type Parse,
  POSTGRES_URL,
  postgresUrl,
  proxies,
  SMTP_ADDRESS,
  smtpUrl,
  urlOf,
  webUrl,
  yesOrNo,
} from './settings/values.js'
import { readWhatsApp, type WhatsAppSettings } from './settings/whatsapp.js'

/** The settings of a process; all come from the environment, and only this file reads it. */
export interface Config {
  /** PostgreSQL 14 or later; undefined means the embedded one in the data folder. */
  databaseUrl?: string
  /** What is at that address: a pooler that hands server connections out for one transaction each, or PostgreSQL itself. */
  databasePooler: 'none' | 'transaction'
  /** PostgreSQL itself, where there is a pooler, for migrations, jobs and what is listened to. */
  databaseDirectUrl?: string
  dataDir: string
  port: number
  host: string
  production: boolean
  logLevel: string
  /** Proxies in front of the service whose X-Forwarded headers count. */
  trustProxy: boolean | number
  poolSize: number
  acquireTimeoutMs: number
  /** How long a statement of a request may take, and of that, how long it may wait for a lock. */
  statementMs: number
  lockMs: number
  /** Whether tenants' statements run under PostgreSQL's row level security, beside the conditions that each of them has. */
  rowSecurity: boolean
  /** Hours without a use after which a person's session ends, and after which it ends in any case. */
  sessionIdleHours: number
  sessionMaxHours: number
  /** Requests an hour of a person, in all sessions together. */
  sessionRateLimit: number
  /** Whether several processes serve, which then count requests together in the database. */
  cluster: boolean
  /** A Redis in which they count requests instead. */
  redisUrl?: string
  /** How long a request waits for where they are counted together, in milliseconds, before its process counts alone. */
  rateLimitWaitMs: number
  /** Wrong credentials that may come from one address in ten minutes. */
  authFailureLimit: number
  /** A port for the figures alone; without one they are at /metrics of the other port. */
  metricsPort?: number
  /** The port of the figures of `fairlead worker`; without one, it has none. */
  workerMetricsPort?: number
  /** What whoever asks for the figures must know; without one, anybody may. */
  metricsToken?: string
  /** The collector that is told of traces; undefined means none. */
  traces?: TraceSettings
  /** How long the answer to a call with an Idempotency-Key is kept. */
  idempotencyTtlHours: number
  /** The address under which callers reach the service, for links and the printed lines. */
  publicUrl?: string
  /** The host, in lower case, under which alone the agencies' API is reached, and nothing else but its document. */
  agencyHost?: string
  /** The key of the assistant that starts `fairlead mcp`. */
  apiKey?: string
  /** Billing through Stripe; undefined means the sandbox. */
  stripe?: StripeSettings
  /** Messages through WhatsApp; undefined means the sandbox. */
  whatsapp?: WhatsAppSettings
  /** What composes what agents say; undefined means their own scripted texts. */
  ai?: AiSettings
  /** What stored secrets are sealed with, 32 bytes; without one, a key is made in the data folder. */
  encryptionKey?: Buffer
  /** The keys that it takes the place of: they open what they sealed until that is sealed anew, which a job does. */
  formerEncryptionKeys?: readonly Buffer[]
  /** The server that takes outgoing mail; without one, mails become files in the data folder. */
  smtpUrl?: string
  /** What to tell of settings that are right and of no effect. */
  notices: readonly string[]
}

/** A setting with a name or a value that cannot be used; also what only shows when it is used, such as a full disk. */
export class ConfigError extends Error {}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const MODES = ['production', 'development', 'test']
const POOLERS = ['none', 'transaction'] as const

/** Reads and checks the settings; throws ConfigError that names every bad one at once. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = []
  const notices: string[] = []
  const known: string[] = []
  const read = <T>(name: string, fallback: T, parse: Parse<T>, expected: string): T => {
    known.push(name)
    const text = env[name]?.trim()
    if (!text) return fallback
    const value = parse(text)
    if (value === undefined) faults.push(`${name} must be ${expected}${shown(name, text)}`)
    return value ?? fallback
  }
  const config: Config = {
    databaseUrl: read('DATABASE_URL', undefined, postgresUrl, `an address like ${POSTGRES_URL}`),
    databasePooler: read('DATABASE_POOLER', 'none', oneOf(POOLERS), `one of ${POOLERS.join(', ')}`),
    databaseDirectUrl: read('DATABASE_DIRECT_URL', undefined, postgresUrl, `an address like ${POSTGRES_URL}`),
    dataDir: read('DATA_DIR', fileURLToPath(new URL('../.data', import.meta.url)), String, 'a folder'),
    port: read('PORT', 4000, integer(0, 65_535), 'a port number'),
    host: read('HOST', '127.0.0.1', hostName, 'an IP address or a host name'),
    production: read('NODE_ENV', 'development', oneOf(MODES), `one of ${MODES.join(', ')}`) === 'production',
    logLevel: read('LOG_LEVEL', 'info', oneOf(LOG_LEVELS), `one of ${LOG_LEVELS.join(', ')}`),
    trustProxy: read('TRUST_PROXY', false, proxies, 'true, false or a number of proxies'),
    poolSize: read('DATABASE_POOL_SIZE', 10, integer(2, 1000), 'a whole number from 2 to 1000'),
    acquireTimeoutMs: read('DATABASE_WAIT_MS', 5000, integer(1, 60_000), 'milliseconds from 1 to 60000'),
    statementMs: read('DATABASE_STATEMENT_MS', 10_000, integer(100, 600_000), 'milliseconds from 100 to 600000'),
    lockMs: read('DATABASE_LOCK_MS', 3000, integer(10, 600_000), 'milliseconds from 10 to 600000'),
    rowSecurity: read('ROW_SECURITY', false, yesOrNo, 'true or false'),
    cluster: read('CLUSTER', false, yesOrNo, 'true or false'),
    redisUrl: read('REDIS_URL', undefined, urlOf('redis:', 'rediss:'), 'a redis:// or rediss:// address'),
    rateLimitWaitMs: read('RATE_LIMIT_WAIT_MS', 40, integer(1, 10_000), 'milliseconds from 1 to 10000'),
    authFailureLimit: read('AUTH_FAILURE_LIMIT', 1000, integer(1, 1_000_000_000), 'a whole number of failures'),
    metricsPort: read('METRICS_PORT', undefined, integer(0, 65_535), 'a port number'),
    workerMetricsPort: read('WORKER_METRICS_PORT', undefined, integer(0, 65_535), 'a port number'),
    metricsToken: read('METRICS_TOKEN', undefined, String, 'a token'),
    traces: readTraces(read),
    idempotencyTtlHours: read('IDEMPOTENCY_TTL_HOURS', 24, integer(1, 8760), 'whole hours from 1 to 8760'),
    sessionIdleHours: read('SESSION_IDLE_HOURS', 24, integer(1, 8760), 'whole hours from 1 to 8760'),
    sessionMaxHours: read('SESSION_MAX_HOURS', 720, integer(1, 8760), 'whole hours from 1 to 8760'),
    sessionRateLimit: read(
      'SESSION_RATE_LIMIT',
      20_000,
      integer(1, 1_000_000_000),
      'a whole number of requests an hour',
    ),
    publicUrl: read('PUBLIC_URL', undefined, webUrl, 'an http:// or https:// address'),
    agencyHost: read('AGENCY_HOST', undefined, hostName, 'a host name without a port')?.toLowerCase(),
    stripe: readStripe(read, notices),
    whatsapp: readWhatsApp(read, notices),
    ai: readAi(read, notices, faults),
    encryptionKey: read(
      'ENCRYPTION_KEY',
      undefined,
      keyOf32Bytes,
      'a key of 32 bytes, in 64 hexadecimal digits or base64',
    ),
    formerEncryptionKeys: read(
      'ENCRYPTION_KEYS_BEFORE',
      undefined,
      listOf(keyOf32Bytes),
      'keys of 32 bytes, in 64 hexadecimal digits or base64, with commas in between',
    ),
    smtpUrl: read('SMTP_URL', undefined, smtpUrl, `an address like ${SMTP_ADDRESS}`),
    apiKey: read('FAIRLEAD_API_KEY', undefined, String, 'an API key'),
    notices,
  }
  for (const { name, meant } of misnamed(Object.keys(env), known)) {
    faults.push(`${name} is not a setting${meant ? `: is ${meant} meant?` : ''}`)
  }
  if (config.agencyHost === (hostIn(config.publicUrl) ?? config.host.toLowerCase())) {
    faults.push('AGENCY_HOST must be another host than that of the other APIs, which is in PUBLIC_URL or else HOST')
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return config
}

const hostIn = (url: string | undefined) => url && new URL(url).hostname.replace(/^\[|\]$/g, '').toLowerCase()

/**
 * An address may carry a password, and in one that cannot be read nobody knows where: none of it is printed, nor of what is
 * a secret as a whole.
 */
function shown(name: string, text: string): string {
  return /_(URL|BASE|KEY|KEYS_BEFORE|SECRET|TOKEN)$/.test(name) ? '' : `, not "${text}"`
}
