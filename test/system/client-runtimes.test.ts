import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { jest } from '@jest/globals'
import { startTestApp, type TestApp } from '../support/app.js'
import { launchBrowser, observe } from '../support/browser.js'
import { buildClient, CLIENT, codeIn } from '../support/client-package.js'
import { makeTenant } from '../support/factories.js'
import { installFixture } from '../support/fixture-folder.js'

// Deno comes from the registry at first, and a browser starts slowly on a busy machine.
jest.setTimeout(300_000)

const run = promisify(execFile)
/** Deno with a lockfile of its own: a hundred megabytes that no other test needs. */
const DENO = fileURLToPath(new URL('deno', import.meta.url))
const QUIET = { NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' }

let service: TestApp
let site: Server
beforeAll(async () => {
  await buildClient()
  service = await startTestApp()
  site = await serveCompiledClient()
})
afterAll(async () => {
  site.close()
  await service.stop()
})

/** A web site of another origin than the service, which has an empty page and the compiled client. */
async function serveCompiledClient(): Promise<Server> {
  const server = createServer((request, response) => {
    const script = request.url!.endsWith('.js')
    response.setHeader('Content-Type', script ? 'text/javascript' : 'text/html')
    response.setHeader('Connection', 'close')
    response.end(
      script
        ? readFileSync(join(CLIENT, 'dist', request.url!))
        : '<!doctype html><title>Shop</title><link rel="icon" href="data:,">',
    )
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return server
}

test('it runs in a browser, on a page of another origin', async () => {
  const { key, client } = await makeTenant(service)
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    const { complaints } = observe(page, service.origin)
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    const told = await page.evaluate(`(async () => {
      const { DuplicateError, Fairlead } = await import('/index.js')
      const fairlead = new Fairlead({ baseUrl: '${service.origin}', apiKey: '${key}' })
      const { data, http } = await fairlead.createContact({ name: 'Ana', email: 'ana@example.com' })
      const again = { idempotencyKey: 'shop-1' }
      await fairlead.createContact({ name: 'Bia' }, again)
      const { http: repeated } = await fairlead.createContact({ name: 'Bia' }, again)
      const names = []
      for await (const { name } of fairlead.allContacts({ limit: 1 })) names.push(name)
      const error = await fairlead.createContact({ name: 'B', email: 'ana@example.com' }).catch((thrown) => thrown)
      return {
        names: names.sort(),
        duplicate: error instanceof DuplicateError && error.details[0].existing_id === data.id,
        replayed: [http.replayed, repeated.replayed],
        limited: http.rateLimit.limit > 0,
        traced: /./.test(http.requestId),
      }
    })()`)
    expect(told).toEqual({
      names: ['Ana', 'Bia'],
      duplicate: true,
      replayed: [false, true],
      limited: true,
      traced: true,
    })
    // What Chromium says of the 409 that was wanted.
    expect(complaints.filter((text) => !/status of 409/.test(text))).toEqual([])
    expect((await client.get('/contacts')).body.pagination.total).toBe(2)
  } finally {
    await browser.close()
  }
})

test('the lines of its README work in Deno, which lets them reach the server and read two variables, no more', async () => {
  await installFixture(DENO)
  const { key, client } = await makeTenant(service)
  const { stdout } = await inDeno(codeIn(join(CLIENT, 'README.md'), 'js'), 'readme.js', key)
  const [contact] = (await client.get('/contacts')).body.data
  expect(stdout.split('\n')).toEqual([`Ana Souza ${contact.id}`, 'Ana Souza ana@example.com', `is ${contact.id}`, ''])
})

test('Deno knows its types', async () => {
  await installFixture(DENO)
  const { key } = await makeTenant(service)
  const program = (field: string) => `import { Fairlead } from '@fairlead/client'
const fairlead = new Fairlead({ baseUrl: '${service.origin}', apiKey: '${key}' })
const name: string = (await fairlead.createContact({ name: 'Ana' })).data.${field}
console.log(name)`
  expect((await inDeno(program('name'), 'right.ts', key)).stdout).toBe('Ana\n')
  await expect(inDeno(program('nome'), 'wrong.ts', key)).rejects.toThrow(/TS2\d+.*'nome' does not exist/)
})

/** Runs a program in Deno, types checked, in a project whose only package is the client as npm installs it. */
async function inDeno(code: string, name: string, key: string) {
  const project = mkdtempSync(join(tmpdir(), 'fairlead-deno-'))
  const home = join(project, 'node_modules/@fairlead/client')
  try {
    for (const part of ['dist', 'package.json']) cpSync(join(CLIENT, part), join(home, part), { recursive: true })
    writeFileSync(join(project, 'package.json'), '{"type": "module", "dependencies": {"@fairlead/client": "*"}}')
    writeFileSync(join(project, name), code)
    const leave = [`--allow-net=${new URL(service.origin).host}`, '--allow-env=FAIRLEAD_URL,FAIRLEAD_API_KEY']
    const program = join(DENO, 'node_modules/deno/bin.cjs')
    const options = ['--no-prompt', '--check', '--node-modules-dir=manual', '--cached-only', ...leave]
    return await run(process.execPath, [program, 'run', ...options, name], {
      cwd: project,
      env: { ...process.env, ...QUIET, FAIRLEAD_URL: service.origin, FAIRLEAD_API_KEY: key },
    })
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}
