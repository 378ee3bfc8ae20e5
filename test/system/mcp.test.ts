import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { jest } from '@jest/globals'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeContact, makeTenant } from '../support/factories.js'
import { startToolFixtures } from '../support/mcp-fixture.js'
import { cleanEnvironment, run } from './cli/run.js'

jest.setTimeout(180_000)

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const CONFORMANCE = join(process.cwd(), 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

describe("the protocol's own conformance suite", () => {
  // It sends no headers of one's own, so the key stands in the address.
  test.each(['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])('%s', async (scenario) => {
    const { key } = await makeTenant(service)
    const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
    const url = `${service.origin}/mcp?api_key=${key}`
    const args = [CONFORMANCE, 'server', '--url', url, '--scenario', scenario, '--output-dir', folder]
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: cleanEnvironment() })
    expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/)
    await rm(folder, { recursive: true })
  })

  // It fails where a scenario fails that is not named in the file, and where one passes that is.
  test('whole, on the same mount with operations of its own: what fails is known, with the reason', async () => {
    const fixtures = await startToolFixtures()
    const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
    const known = join(process.cwd(), 'test/system/mcp-expected-failures.yml')
    const where = ['--url', `${fixtures.origin}/mcp`, '--output-dir', folder]
    const args = [CONFORMANCE, 'server', ...where, '--suite', 'all', '--expected-failures', known]
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: cleanEnvironment() }).catch(
      (error: unknown) => error as { stdout: string },
    )
    await fixtures.stop()
    await rm(folder, { recursive: true })
    expect(stdout).toContain('Baseline check passed: all failures are expected.')
    for (const scenario of ['tools-call-simple-text', 'tools-call-error', 'json-schema-2020-12']) {
      expect(stdout).toMatch(new RegExp(`✓ ${scenario}: \\d+ passed, 0 failed`))
    }
  })
})

describe('fairlead mcp --stdio', () => {
  const settings = (key?: string) => ({
    DATABASE_URL: service.databaseUrl,
    LOG_LEVEL: 'warn',
    ...(key !== undefined && { FAIRLEAD_API_KEY: key }),
  })

  test('serves the assistant that has started it, until it leaves or its key ends', async () => {
    const { accountId, key, keyId } = await makeTenant(service, { permissions: ['contacts:*', 'tags:read'] })
    const contact = await makeContact(service.database, accountId)
    const assistant = new Client({ name: 'test', version: '1' })
    const env = cleanEnvironment(settings(key)) as Record<string, string>
    const args = [join(process.cwd(), 'dist/main.js'), 'mcp', '--stdio']
    const transport = new StdioClientTransport({ command: process.execPath, args, env })
    await assistant.connect(transport, { timeout: 120_000 })
    const { tools } = await assistant.listTools()
    expect(tools.map(({ name }) => name)).toContain('search_contacts')
    expect(tools.map(({ name }) => name)).not.toContain('list_users')
    const found = await assistant.callTool({ name: 'get_contact', arguments: { id: contact.id } })
    expect(found.structuredContent).toMatchObject({ data: { id: contact.id, name: contact.name } })
    await service.database.pool.query('update api_key set revoked_at = now() where id = $1', [keyId])
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await expect(assistant.callTool({ name: 'get_contact', arguments: { id: contact.id } })).rejects.toThrow(
      /INVALID_API_KEY/,
    )
    await assistant.close()
  })

  test.each([
    [undefined, 2, /FAIRLEAD_API_KEY/],
    ['fl_live_nobody', 1, /API key/],
  ])('says at the start what is wrong with the key: %p', async (key, status, expected) => {
    const { code, stdout, stderr } = await run(['mcp', '--stdio'], settings(key))
    expect({ code, stdout }).toEqual({ code: status, stdout: '' })
    expect(stderr).toMatch(expected)
  })
})
