/** What every project of ours sets; see runtime.js for how tests are loaded. */
const shared = {
  rootDir: new URL('../../..', import.meta.url).pathname,
  testEnvironment: '<rootDir>/test/support/jest/environment.js',
  runtime: '<rootDir>/test/support/jest/runtime.js',
  runner: '<rootDir>/test/support/jest/runner.js',
  extensionsToTreatAsEsm: ['.ts'],
  // Only for what Jest works out from imports: --findRelatedTests, --onlyChanged.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
}

const withDatabase = {
  ...shared,
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  setupFiles: ['<rootDir>/test/support/setup.ts'],
}

/** Needs no database: import rules, drift of emitted files. */
export const staticProject = {
  ...shared,
  displayName: 'static',
  testMatch: ['<rootDir>/test/architecture.test.ts', '<rootDir>/test/architecture/*.test.ts'],
}

/** What talks with the strict local servers of Stripe, of WhatsApp and of a model: each call is a round over HTTP. */
const NEIGHBOURS = ['stripe/*', 'whatsapp/*', 'chat/*', 'billing/{compare,refunds,renewal,stripe,unpaid}*']

/**
 * What goes through all there is – each field for each role, each write beside each other, each right that ends during each
 * call – or has to wait for limits of time: some ten seconds or more for a file.
 */
const THOROUGH = [
  'agency/{crossings,paths}',
  'client/methods',
  'database/{migrations,phone,plans,prepared,seed}',
  'domains/{agent-workflow,erasure,locks,reports-model,sellers-reads,sellers-writes,write-storm}',
  'flows/crossings',
  'graphql/{audit,heavy,hostile-documents,lasting-rights,permissions,rights-that-end,sign-in}',
  'http/{agency-host,connections,mcp,mcp-crossings,traces}',
  'jobs/one-off',
  'matrix/*',
  'rest/{bad-input,copy-storm,cursors,hostile-input,isolation,parity,reports-filters}',
]

const namesOf = (files) => files.map((names) => `<rootDir>/test/${names}.test.ts`)

/** The service in the test's process, on a database of its own. */
export const integrationProject = {
  ...withDatabase,
  displayName: 'integration',
  testMatch: [
    '<rootDir>/test/**/*.test.ts',
    ...[...NEIGHBOURS, ...THOROUGH].map((names) => `!**/test/${names}.test.ts`),
  ],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/architecture', '<rootDir>/test/system/'],
}

/** As that, beside servers of ours that stand for others' services. */
export const neighboursProject = {
  ...withDatabase,
  displayName: 'neighbours',
  testMatch: namesOf(NEIGHBOURS),
}

/** As the integration tests, of what takes long. */
export const thoroughProject = {
  ...withDatabase,
  displayName: 'thorough',
  testMatch: namesOf(THOROUGH),
}

/** Starts, kills and looks at processes: the command line, the embedded PostgreSQL, browsers, generators. */
export const systemProject = {
  ...withDatabase,
  displayName: 'system',
  testMatch: ['<rootDir>/test/system/**/*.test.ts'],
}

/** A configuration of these projects. */
export function configOf(...projects) {
  return {
    maxWorkers: 2,
    // Far above what a test takes, since a busy machine may take ten times as long.
    testTimeout: 120_000,
    // Of the half second that Jest grants, a process that has done everything does not get enough on a busy machine. That
    // nothing keeps it, environment.js sees to after each file.
    workerGracefulExitTimeout: 10_000,
    projects,
  }
}
