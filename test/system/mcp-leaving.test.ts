import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { jest } from '@jest/globals'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant } from '../support/factories.js'
import { hold, untilHeld } from '../support/holding.js'
import { callTool, connectAssistant } from '../support/mcp.js'
import { cleanEnvironment, MAIN } from './cli/run.js'

// An assistant on this machine leaves, or thinks better of it, while the database still works on what it asked for.

jest.setTimeout(180_000)

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})
afterAll(() => service.stop())

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const CREATE = { name: 'create_contact', arguments: { name: 'Ana', idempotency_key: 'one' } }
const calling = (id: number, params: object) => ({ jsonrpc: '2.0', id, method: 'tools/call', params })

const settings = (key: string) => ({
  ...{ DATABASE_URL: service.databaseUrl, LOG_LEVEL: 'warn', FAIRLEAD_API_KEY: key },
  ...{ DATABASE_LOCK_MS: '60000', DATABASE_STATEMENT_MS: '60000' },
})

/** Starts the tools and says this to them, line by line. */
function say(key: string, ...messages: object[]) {
  const child = spawn(process.execPath, [MAIN, 'mcp', '--stdio'], { env: cleanEnvironment(settings(key)) })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
    })
  for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`)
  return { child, ended: ended(child, printed) }
}

async function ended(child: ChildProcess, printed: { stdout: string; stderr: string }) {
  const [code, signal] = await once(child, 'close')
  const lines = printed.stdout.split('\n').filter(Boolean)
  const answers = new Map(lines.map((line) => JSON.parse(line)).map(({ id, ...answer }) => [id, answer]))
  return { code, signal, answers, stderr: printed.stderr }
}

/** An account in which whatever creates something waits until it is released. */
async function makeHeld() {
  const { accountId, key, client } = await makeTenant(service)
  const release = await hold(accountId, service.databaseUrl)
  return { key, release, contacts: async () => (await client.get('/contacts')).body.data.map(Object) }
}

test('what came in one go with the end of the input is answered all the same', async () => {
  const { key } = await makeTenant(service)
  const { child, ended } = say(key, INITIALIZE, calling(2, CREATE), { jsonrpc: '2.0', id: 3, method: 'tools/list' })
  child.stdin.end()
  const { code, answers, stderr } = await ended
  expect({ code, stderr, ids: [...answers.keys()].sort() }).toEqual({ code: 0, stderr: '', ids: [1, 2, 3] })
  expect(answers.get(2).result.structuredContent).toMatchObject({ data: { name: 'Ana' } })
})

test.each([
  ['its input closes', (child: ChildProcess) => child.stdin!.end()],
  ['it is told to stop', (child: ChildProcess) => child.kill('SIGTERM')],
])('a call under way when %s is done and answered, and then the process ends', async (_, leave) => {
  const { key, release, contacts } = await makeHeld()
  const { child, ended } = say(key, INITIALIZE, calling(2, CREATE))
  await untilHeld(service.database)
  leave(child)
  await new Promise((resolve) => setTimeout(resolve, 300))
  await release()
  const { code, signal, answers, stderr } = await ended
  expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' })
  const [created, ...more] = await contacts()
  expect(more).toEqual([])
  expect(answers.get(2).result.structuredContent.data.id).toBe(created.id)
})

test('a call that does not come to its end after that is undone, and the process ends', async () => {
  const { key, release, contacts } = await makeHeld()
  const { child, ended } = say(key, INITIALIZE, calling(2, CREATE))
  await untilHeld(service.database)
  child.stdin.end()
  const { code, signal, answers } = await ended
  expect({ code, signal, answered: answers.has(2) }).toEqual({ code: 0, signal: null, answered: false })
  await untilHeld(service.database, false)
  await release()
  expect(await contacts()).toEqual([])
})

test('a call of an assistant who dies and closes both ends is whole or undone: its repeat by name finds out', async () => {
  const { key, release, contacts } = await makeHeld()
  const { child, ended } = say(key, INITIALIZE, calling(2, CREATE))
  await untilHeld(service.database)
  child.stdin.destroy()
  child.stdout.destroy()
  await release()
  expect(await ended).toMatchObject({ code: 0, signal: null })
  const assistant = await connectAssistant(service.origin, key)
  const again = await callTool(assistant, CREATE.name, CREATE.arguments)
  expect(await contacts()).toEqual([expect.objectContaining({ id: Object(again.structuredContent).data.id })])
  await assistant.close()
})

test('a call that the assistant cancels does nothing; the next by its name does it', async () => {
  const { key, release, contacts } = await makeHeld()
  const assistant = new Client({ name: 'test', version: '1' })
  const env = cleanEnvironment(settings(key)) as Record<string, string>
  const transport = new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', '--stdio'], env })
  await assistant.connect(transport, { timeout: 120_000 })
  const cancel = new AbortController()
  const answer = assistant.callTool(CREATE, { signal: cancel.signal })
  await untilHeld(service.database)
  cancel.abort()
  await expect(answer).rejects.toThrow()
  await untilHeld(service.database, false)
  await release()
  expect(await contacts()).toEqual([])
  const again = await assistant.callTool(CREATE)
  expect(again).toMatchObject({ structuredContent: { data: { name: 'Ana' } } })
  expect(again._meta).not.toHaveProperty('fairlead/replayed')
  await assistant.close()
})
