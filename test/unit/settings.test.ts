import { ConfigError, readConfig } from '../../src/config.js'
import { fault } from '../../src/database/suitability.js'

/** What is said of settings that are wrong; nothing if they are right. */
function faultsOf(settings: Record<string, string>): string[] {
  try {
    readConfig(settings)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message.split('\n')
  }
}

const exactly = (text: string) => new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`)

describe('a setting', () => {
  test.each<[string, string, string | RegExp]>([
    ['HOST', 'not a host', 'HOST must be an IP address or a host name, not "not a host"'],
    ['HOST', '999.1.1.1', 'HOST must be an IP address or a host name, not "999.1.1.1"'],
    ['HOST', '127.0.0.1:4000', 'HOST must be an IP address or a host name, not "127.0.0.1:4000"'],
    ['HOST', 'http://localhost', 'HOST must be an IP address or a host name, not "http://localhost"'],
    ['NODE_ENV', 'prod', 'NODE_ENV must be one of production, development, test, not "prod"'],
    ['CLUSTER', 'banana', 'CLUSTER must be true or false, not "banana"'],
    ['REDIS_URL', 'here:6379', 'REDIS_URL must be a redis:// or rediss:// address'],
    ['AGENCY_HOST', 'agency.example:443', 'AGENCY_HOST must be a host name without a port, not "agency.example:443"'],
    [
      'AGENCY_HOST',
      'https://agency.example',
      'AGENCY_HOST must be a host name without a port, not "https://agency.example"',
    ],
    ['AGENCY_HOST', '127.0.0.1', /^AGENCY_HOST must be another host than that of the other APIs/],
    ['STRIPE_API_BASE', 'ftp://user:secret@x', 'STRIPE_API_BASE must be an http:// or https:// address without a path'],
    ['STRIPE_API_BASE', 'http://localhost/v1', 'STRIPE_API_BASE must be an http:// or https:// address without a path'],
    ['WHATSAPP_API_BASE', 'graph.facebook.com', /^WHATSAPP_API_BASE must be an http/],
    ['WHATSAPP_APP_SECRET', 'short', /^WHATSAPP_APP_SECRET must be the app's secret/],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', /^OTEL_EXPORTER_OTLP_ENDPOINT must be an http/],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'OTEL_TRACES_SAMPLER_ARG must be a share from 0 to 1, not "1.5"'],
    ['SMTP_URL', 'smtp://', /^SMTP_URL must be an address like smtp:/],
    ['SMTP_URL', 'http://mail.example', /^SMTP_URL must be an address like smtp:/],
    ['SMTP_URL', 'smtp://mail.example?pool=true', /^SMTP_URL must be an address like smtp:/],
    ['SMTP_URL', 'smtp://user:100%@mail.example', /^SMTP_URL must be an address like smtp:/],
  ])('%s=%s is refused by name', (name, value, says) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringMatching(says instanceof RegExp ? says : exactly(says))])
  })

  test.each(['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost', 'db-1.internal.example'])('HOST=%s is one', (host) => {
    expect(readConfig({ HOST: host }).host).toBe(host)
  })

  test('AGENCY_HOST is a host of its own, however it is spelled', () => {
    expect(readConfig({ AGENCY_HOST: 'Agency.Example' }).agencyHost).toBe('agency.example')
    expect(readConfig({}).agencyHost).toBeUndefined()
    const same = { AGENCY_HOST: 'api.example', PUBLIC_URL: 'https://API.example:8443/' }
    expect(faultsOf(same)).toEqual([expect.stringMatching(/^AGENCY_HOST must be another host/)])
  })

  test('of WhatsApp is told of where others are missing', () => {
    const [WHATSAPP_API_BASE, WHATSAPP_APP_SECRET] = ['https://graph.facebook.com/', 'first-secret, second-secret']
    const set = { WHATSAPP_API_BASE, WHATSAPP_APP_SECRET, WHATSAPP_VERIFY_TOKEN: 'token' }
    expect(readConfig(set)).toMatchObject({
      whatsapp: {
        apiBase: 'https://graph.facebook.com',
        appSecrets: ['first-secret', 'second-secret'],
        verifyToken: 'token',
      },
      notices: [],
    })
    expect(readConfig({ WHATSAPP_API_BASE }).notices).toEqual([
      expect.stringContaining('WHATSAPP_APP_SECRET'),
      expect.stringContaining('WHATSAPP_VERIFY_TOKEN'),
    ])
    expect(readConfig({ ...set, WHATSAPP_API_BASE: '' })).toMatchObject({
      whatsapp: undefined,
      notices: [
        expect.stringMatching(/WHATSAPP_APP_SECRET has no/),
        expect.stringMatching(/WHATSAPP_VERIFY_TOKEN has/),
      ],
    })
  })
})

describe('the model', () => {
  test('needs a key and a name; without a key the rest has no effect, and is told of', () => {
    expect(readConfig({}).ai).toBeUndefined()
    expect(readConfig({ AI_API_BASE: 'http://127.0.0.1:1/v1', AI_MODEL: 'm', AI_DAILY_TOKENS: '20000' })).toMatchObject(
      {
        ai: undefined,
        notices: [
          'AI_API_BASE has no effect without AI_API_KEY',
          'AI_MODEL has no effect without AI_API_KEY',
          'AI_DAILY_TOKENS has no effect without AI_API_KEY',
        ],
      },
    )
    expect(() => readConfig({ AI_API_KEY: 'sk-hush' })).toThrow(/^AI_MODEL must be set along with AI_API_KEY$/)
    expect(readConfig({ AI_API_KEY: 'sk-1', AI_MODEL: 'gpt-4.1' })).toMatchObject({
      ai: { apiBase: 'https://api.openai.com/v1', apiKey: 'sk-1', model: 'gpt-4.1', dailyTokens: 1_000_000 },
      notices: [],
    })
  })

  test.each([
    ['AI_API_KEY', 'sk hush'],
    ['AI_API_BASE', 'ftp://hush'],
    ['AI_MODEL', 'a b'],
    ['AI_DAILY_TOKENS', '19999'],
    ['AI_DAILY_TOKENS', '1e6'],
  ])('%s is told of when it cannot be used, and no secret with it', (name, value) => {
    const wrong = () => readConfig({ AI_API_KEY: 'sk-1', AI_MODEL: 'm', [name]: value })
    expect(wrong).toThrow(new RegExp(`^${name} must be`))
    expect(wrong).not.toThrow(/hush/)
  })
})

describe('Stripe', () => {
  test('needs a key; without one the rest has no effect, and is told of', () => {
    expect(readConfig({}).stripe).toBeUndefined()
    const rest = { STRIPE_WEBHOOK_SECRET: 'whsec_a', STRIPE_API_BASE: 'http://127.0.0.1:1' }
    expect(readConfig(rest)).toMatchObject({
      stripe: undefined,
      notices: [
        'STRIPE_WEBHOOK_SECRET has no effect without STRIPE_SECRET_KEY',
        'STRIPE_API_BASE has no effect without STRIPE_SECRET_KEY',
      ],
    })
  })

  test('takes several signing secrets, for the time in which one takes the place of the other', () => {
    const { stripe, notices } = readConfig({
      STRIPE_SECRET_KEY: 'sk_test_1a',
      STRIPE_WEBHOOK_SECRET: 'whsec_a, whsec_b',
    })
    expect(stripe).toEqual({ secretKey: 'sk_test_1a', webhookSecrets: ['whsec_a', 'whsec_b'], apiBase: undefined })
    expect(notices).toEqual([])
    expect(readConfig({ STRIPE_SECRET_KEY: 'rk_live_1a' }).notices).toHaveLength(1)
  })

  test.each([
    ['STRIPE_SECRET_KEY', 'pk_test_hush'],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_hush,hush'],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_hush,'],
  ])('%s that is none is refused, and not printed', (name, value) => {
    expect(faultsOf({ [name]: value })).toHaveLength(1)
    expect(faultsOf({ [name]: value })[0]).not.toContain('hush')
  })
})

describe('a name that looks like a setting', () => {
  test.each([
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['DATADIR', 'DATA_DIR'],
    ['TRUSTED_PROXY', 'TRUST_PROXY'],
    ['IDEMPOTENCY_TTL_HUORS', 'IDEMPOTENCY_TTL_HOURS'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['ROW_SECURTY', 'ROW_SECURITY'],
    ['FAIRLEAD_PORT', 'PORT'],
    ['FAIRLEAD_DATABASE_URL', 'DATABASE_URL'],
  ])('%s is refused, and %s suggested', (name, meant) => {
    expect(faultsOf({ [name]: 'x' })).toEqual([`${name} is not a setting: is ${meant} meant?`])
  })

  test('with the product before it is refused, whatever it is', () => {
    expect(faultsOf({ FAIRLEAD_COLOUR: 'green' })).toEqual(['FAIRLEAD_COLOUR is not a setting'])
    expect(faultsOf({ FAIRLEAD_NEWER_NODE: '1' })).toEqual([])
  })

  test('what environments hold for other programs is none of our business', () => {
    const others = `PATH HOME HOSTNAME HOSTTYPE HOSTS USER LANG TERM SHELL PWD OLDPWD LOGNAME MAIL EDITOR DISPLAY TZ CI
      XDG_DATA_DIRS XDG_DATA_HOME XDG_RUNTIME_DIR NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_VERSION NODENV_ROOT
      npm_config_loglevel npm_lifecycle_event npm_package_json INIT_CWD DATABASE_PORT DATABASE_HOST DATABASE_USER
      DATABASE_PASSWORD DATABASE_SERVICE_HOST DATABASE_SERVICE_PORT DATABASE_PRIVATE_URL DATABASE_PUBLIC_URL
      POSTGRES_URL PGHOST PGPORT PGDATABASE PGDATA SPORT PORTS EXPORT KUBERNETES_PORT KUBERNETES_SERVICE_HOST HTTP_PROXY
      HTTPS_PROXY NO_PROXY ALL_PROXY RUST_LOG LOG_FORMAT DEBUG SSH_AUTH_SOCK PUBLIC_KEY BASE_URL API_URL`
    expect(faultsOf(Object.fromEntries(others.split(/\s+/).map((name) => [name, 'x'])))).toEqual([])
  })

  test('every fault is told at once', () => {
    expect(faultsOf({ PORT: 'x', DATABASE_URI: 'y', CLUSTER: 'z' })).toHaveLength(3)
  })
})

test('a server that is too old or does not keep Unicode is told of', () => {
  expect(fault({ encoding: 'UTF8', version: 14 })).toBeUndefined()
  expect(fault({ encoding: 'UTF8', version: 13 })).toBe('the server is PostgreSQL 13, and must be 14 or later')
  expect(fault({ encoding: 'SQL_ASCII', version: 18 })).toMatch(/^the database is in SQL_ASCII, and must be in UTF8/)
})
