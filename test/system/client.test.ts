import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startTestApp, type TestApp } from '../support/app.js'
import { buildClient, CLIENT, codeIn, runProgram } from '../support/client-package.js'
import { makeTenant } from '../support/factories.js'

let service: TestApp
beforeAll(async () => {
  await buildClient()
  service = await startTestApp()
})
afterAll(() => service.stop())

test('the lines of the README work, as a program of its own', async () => {
  const { key, client } = await makeTenant(service)
  const lines = codeIn(join(CLIENT, 'README.md'), 'js')
  expect(lines.trimEnd().split('\n').filter(Boolean).length).toBeLessThanOrEqual(10)
  const program = join(CLIENT, `.readme-${process.pid}.mjs`)
  writeFileSync(program, lines)
  try {
    const { stdout } = await runProgram(program, [], { FAIRLEAD_URL: service.origin, FAIRLEAD_API_KEY: key })
    const [contact] = (await client.get('/contacts')).body.data
    expect(stdout.split('\n')).toEqual([`Ana Souza ${contact.id}`, 'Ana Souza ana@example.com', `is ${contact.id}`, ''])
  } finally {
    rmSync(program)
  }
})

test('the package needs no other, and nothing of Node.js', () => {
  const manifest = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8'))
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([])
  for (const name of ['index', 'transport', 'call', 'retry', 'agency', 'generated/external']) {
    const code = readFileSync(join(CLIENT, 'dist', `${name}.js`), 'utf8')
    expect([...code.matchAll(/from '([^.][^']*)'/g)]).toEqual([])
    expect(code).not.toMatch(/\bprocess\b|\bBuffer\b|\brequire\(/)
  }
})
