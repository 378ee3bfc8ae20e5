import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeAgency } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { buildClient, CLIENT, runProgram } from '../support/client-package.js'
import { makeConversation } from '../support/factories/conversations.js'
import { makeContact, makeTenant } from '../support/factories.js'
import { DESCRIBED_APIS } from '../support/openapi.js'

const run = promisify(execFile)
const FOLDER = fileURLToPath(new URL('../../docs/guides/', import.meta.url))

/** A block of code that a guide shows, with the one after it when that is an answer. */
interface Shown {
  language: string
  code: string
  answer: unknown
}

function shownIn(guide: string): Shown[] {
  const blocks = [...readFileSync(FOLDER + guide, 'utf8').matchAll(/```(\w+)\n([\s\S]*?)```/g)]
  return blocks.flatMap(([, language, code], i) => {
    if (!['sh', 'js'].includes(language!)) return []
    const next = blocks[i + 1]
    return [{ language: language!, code: code!, answer: next?.[1] === 'json' ? JSON.parse(next[2]!) : undefined }]
  })
}

const guides = readdirSync(FOLDER)
const examples = guides.flatMap((guide) => shownIn(guide).map((shown, i) => [`${guide} ${i + 1}`, shown] as const))

let service: TestApp
let env: Record<string, string>
beforeAll(async () => {
  await buildClient()
  service = await startTestApp()
  const { key, accountId, client } = await makeTenant(service)
  const contact = await makeContact(service.database, accountId, { name: 'Ana', email: 'ana@example.com' })
  for (const name of ['Bia', 'Caio', 'Davi', 'Eva']) await makeContact(service.database, accountId, { name })
  await makeConversation(service.database, accountId, {
    contactId: contact.id,
    messages: [{}],
    lastMessageAt: new Date(),
  })
  for (const name of ['Ana', 'Bia', 'Caio']) await client.post('/opportunities', { name })
  const { agencyKey, token } = await makeAgency(service)
  env = { URL: service.origin, KEY: key, AGENCY_KEY: agencyKey, TOKEN: token }
})
afterAll(() => service.stop())

/** Whether all that is shown is there, by name and type; of a list its first item. A null may become something. */
function lacking(shown: unknown, real: unknown, where: string): string[] {
  if (shown === null) return real === undefined ? [where] : []
  if (Array.isArray(shown)) {
    if (!Array.isArray(real) || real.length === 0) return [where]
    return shown.slice(0, 1).flatMap((one) => lacking(one, real[0], `${where}[0]`))
  }
  if (typeof shown === 'object') {
    const members = (real ?? {}) as Record<string, unknown>
    return Object.entries(shown!).flatMap(([name, value]) => lacking(value, members[name], `${where}.${name}`))
  }
  return typeof shown === typeof real || real === null ? [] : [where]
}

async function outputOf({ language, code }: Shown): Promise<string> {
  if (language === 'sh') {
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', code], { env: { ...process.env, ...env } })
    return stdout
  }
  const program = join(CLIENT, `.guide-${process.pid}.mjs`)
  const head = `import { Fairlead } from '@fairlead/client'
const fairlead = new Fairlead({ baseUrl: process.env.URL, apiKey: process.env.KEY })\n`
  writeFileSync(program, head + code)
  try {
    return (await runProgram(program, [], env)).stdout
  } finally {
    rmSync(program)
  }
}

test.each(examples)('%s works as it stands, and is answered as shown', async (_, shown) => {
  const output = await outputOf(shown)
  expect(output.trim()).not.toBe('')
  if (shown.answer === undefined) return
  const last = output.trim().split('\n').at(-1)!
  expect(lacking(shown.answer, JSON.parse(last), 'answer')).toEqual([])
  const { error } = shown.answer as { error?: { code: string } }
  if (error) expect(JSON.parse(last).error.code).toBe(error.code)
})

test('a repeat is shown to be one', async () => {
  const repeated = examples.find(([, { code }]) => code.includes('Idempotent-Replayed'))![1]
  expect(await outputOf(repeated)).toContain('Idempotent-Replayed: true')
})

test('the page shows all guides, and every code of both APIs with what to do', async () => {
  const guide = (await (await fetch(`${service.origin}/docs/guides.json`)).json()) as { info: { description: string } }
  for (const name of guides) {
    const title = /^# (.*)/.exec(readFileSync(FOLDER + name, 'utf8'))![1]!
    expect(guide.info.description).toContain(`# ${title}\n`)
  }
  const rows = guide.info.description.split('\n')
  for (const { document } of DESCRIBED_APIS) {
    expect(document['x-errors'].length).toBeGreaterThan(10)
    for (const { code, remedy } of document['x-errors'])
      expect(rows.some((row) => row.startsWith(`| \`${code}\` |`) && row.endsWith(`| ${remedy} |`))).toBe(true)
  }
})
