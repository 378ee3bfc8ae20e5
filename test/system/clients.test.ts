import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { jest } from '@jest/globals'
import { installFixture } from '../support/fixture-folder.js'

const run = promisify(execFile)

// A registry and three compilers: seconds each, and many on a busy machine.
jest.setTimeout(600_000)

const DOCUMENT = fileURLToPath(new URL('../../schema/openapi/external.json', import.meta.url))
/** The generators with a lockfile and a TypeScript of their own, since they need its old programming interface. */
const FIXTURE = fileURLToPath(new URL('clients', import.meta.url))

let folder: string

beforeAll(async () => {
  await installFixture(FIXTURE)
  folder = mkdtempSync(join(tmpdir(), 'fairlead-clients-'))
  symlinkSync(join(FIXTURE, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a command of a package of the fixture with our Node.js. */
function bin(name: string, command: string, cwd: string, ...args: string[]) {
  const manifest = join(FIXTURE, 'node_modules', name, 'package.json')
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'))
  const script = join(dirname(manifest), typeof bin === 'string' ? bin : bin[command])
  return run(process.execPath, [script, ...args], { cwd })
}

/** Each makes a client; `types` holds its parameters, in types whose names match `holders`. */
const GENERATORS = [
  {
    name: 'openapi-typescript',
    generate: (cwd: string) =>
      bin('openapi-typescript', 'openapi-typescript', cwd, DOCUMENT, '-o', 'openapi-typescript.ts'),
    types: 'openapi-typescript.ts',
    holders: '^operations$',
  },
  {
    name: 'hey-api',
    generate: (cwd: string) =>
      bin('@hey-api/openapi-ts', 'openapi-ts', cwd, '--input', DOCUMENT, '--output', 'hey-api'),
    types: 'hey-api/types.gen.ts',
    holders: 'Data$',
  },
  {
    name: 'orval',
    generate: (cwd: string) =>
      bin('orval', 'orval', cwd, '--input', DOCUMENT, '--output', 'orval/client.ts', '--client', 'fetch'),
    types: 'orval/client.ts',
    holders: '(Params|Body|Request)$',
  },
]

test.each(GENERATORS)('$name makes a client that compiles and knows the type of every parameter', async (generator) => {
  const { name, generate, types, holders } = generator
  const here = join(folder, name)
  mkdirSync(here)
  await generate(here)
  const { stdout } = await run(process.execPath, [join(FIXTURE, 'unknown-parameters.mjs'), join(here, types), holders])
  const { parameters, unknown } = JSON.parse(stdout)
  expect(parameters).toBeGreaterThan(100)
  expect(unknown).toEqual([])

  for (const file of ['tsconfig.json', `use-${name}.ts`]) cpSync(join(FIXTURE, file), join(here, file))
  const compiled = await bin('typescript', 'tsc', here, '-p', 'tsconfig.json').catch((failure) => failure)
  expect(compiled.stdout).toBe('')
})
