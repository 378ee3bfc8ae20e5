import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { rowsOf } from '../../docs/recipes/csv.mjs'
import { makeAgency, startTestWorker } from '../support/agencies.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { buildClient, runProgram } from '../support/client-package.js'
import { makeContact, makeTenant } from '../support/factories.js'
import { launch } from './cli/run.js'

const RECIPES = fileURLToPath(new URL('../../docs/recipes/', import.meta.url))

let service: TestApp
let folder: string
beforeAll(async () => {
  await buildClient()
  service = await startTestApp()
  folder = mkdtempSync(join(tmpdir(), 'fairlead-recipes-'))
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

const envOf = (key: string) => ({ FAIRLEAD_URL: service.origin, FAIRLEAD_API_KEY: key })

test('a copy in SQLite is whole the first time, and has what changed after that', async () => {
  const { key, accountId, client } = await makeTenant(service)
  for (let n = 0; n < 120; n++) await makeContact(service.database, accountId, { name: `Contact ${n}` })
  const { contact_id } = (await client.post('/opportunities', { name: 'Ana' })).body.data
  const file = join(folder, 'copy.db')
  const copy = async () => (await runProgram(`${RECIPES}copy-to-sqlite.mjs`, [file], envOf(key))).stdout
  expect(await copy()).toBe('contacts: 121 in all\nopportunities: 1 in all\n')
  await client.put(`/contacts/${contact_id}`, { company: 'Aurora' })
  await client.post('/opportunities', { name: 'Bia' })
  // The contact of the new opportunity, the one that changed, and the one at the bookmark.
  expect(await copy()).toMatch(/^contacts: [23] since .*\nopportunities: [23] since /)
  const db = new DatabaseSync(file)
  const rows = (sql: string) => db.prepare(sql).all()
  expect(rows('select count(*) as count from contacts')).toEqual([{ count: 122 }])
  expect(rows(`select company from contacts where id = '${contact_id}'`)).toEqual([{ company: 'Aurora' }])
  expect(rows('select title from opportunities order by title')).toEqual([{ title: 'Ana' }, { title: 'Bia' }])
  db.close()
})

test('a form on a web page makes one opportunity, however often it is sent', async () => {
  const { key, client } = await makeTenant(service)
  const form = launch(process.execPath, ['--no-warnings', `${RECIPES}web-form.mjs`], { ...envOf(key), PORT: '0' })
  try {
    const [address] = /http:\S+/.exec(await form.prints(/http:\S+/))!
    const html = await (await fetch(address)).text()
    const [, entry] = /name="entry" value="([^"]+)"/.exec(html)!
    const send = async (fields: Record<string, string>) => {
      const response = await fetch(address, { method: 'POST', body: new URLSearchParams({ entry: entry!, ...fields }) })
      return [response.status, /role="status">([^<]*)/.exec(await response.text())![1]]
    }
    const wrong = await send({ name: 'Ana "A" <b>', email: 'ana' })
    expect(wrong).toEqual([400, expect.stringContaining('email')])
    const sent = { name: 'Ana "A" <b>', email: 'ana@example.com', notes: 'A visit' }
    const answers = [await send(sent), await send(sent)]
    expect(answers).toEqual(Array(2).fill([200, 'Thank you, we will be in touch.']))
    const { data } = (await client.get('/opportunities')).body
    expect(data).toMatchObject([{ title: 'Ana "A" <b>', contact_email: 'ana@example.com', notes: 'A visit' }])
  } finally {
    form.child.kill('SIGTERM')
    await form.finished
  }
})

test('ten clients of a CSV file are there after two runs, an hour apart, each once', async () => {
  const { agencyKey, agencyId, token } = await makeAgency(service)
  const worker = startTestWorker(service)
  const file = join(folder, 'clients.csv')
  const rows = Array.from({ length: 10 }, (_, n) => `c-${n},"Client ${n}, Ltd",c${n}@${agencyId}.example,1,`)
  writeFileSync(file, `external_ref,name,admin_email,whatsapp,linkedin\n${rows.join('\n')}\n`)
  const env = { FAIRLEAD_URL: service.origin, AGENCY_KEY: agencyKey, AGENCY_TOKEN: token }
  const run = async () => (await runProgram(`${RECIPES}provision-clients.mjs`, [file], env)).stdout.trim().split('\n')
  const first = await run()
  expect(first.filter((line) => /: created /.test(line))).toHaveLength(5)
  expect(first.filter((line) => /: later, in \d+ s/.test(line))).toHaveLength(5)
  await service.database.pool.query(
    "update sub_account set created_at = created_at - interval '61 minutes' where agency_id = $1",
    [agencyId],
  )
  const second = await run()
  expect(second.filter((line) => /: created /.test(line))).toHaveLength(10)
  expect(second.filter((line) => first.includes(line))).toHaveLength(5)
  await worker.stop()
})

test('contacts of a CSV file are imported, and what failed is reported in a file that can be imported', async () => {
  const { key, accountId, client } = await makeTenant(service)
  await makeContact(service.database, accountId, { name: 'There', email: 'there@example.com' })
  const file = join(folder, 'contacts.csv')
  writeFileSync(
    file,
    'name,email,company\r\n"Souza, Ana",ana@example.com,"The ""A"" Team"\r\nBia,bia,\r\nCaio,THERE@example.com,X\r\n,d@example.com,\r\n',
  )
  const run = async (path: string) => (await runProgram(`${RECIPES}import-contacts.mjs`, [path], envOf(key))).stdout
  expect(await run(file)).toBe(`1 of 4 created, 3 in ${file}.failed.csv\n`)
  const failed = rowsOf(readFileSync(`${file}.failed.csv`, 'utf8'))
  expect(failed.map(({ name, error }) => [name, error?.split(':')[0]]).toSorted()).toEqual([
    ['', 'VALIDATION_ERROR'],
    ['Bia', 'VALIDATION_ERROR'],
    ['Caio', 'DUPLICATE_ERROR'],
  ])
  writeFileSync(file, readFileSync(`${file}.failed.csv`, 'utf8').replace('"bia"', '"bia@example.com"'))
  expect(await run(file)).toContain('1 of 3 created, 2 in')
  const { data } = (await client.get('/contacts?sort_by=name&sort_order=asc')).body
  expect(data.map(({ name, company }: { name: string; company: string }) => [name, company])).toEqual([
    ['Bia', null],
    ['Souza, Ana', 'The "A" Team'],
    ['There', null],
  ])
})
