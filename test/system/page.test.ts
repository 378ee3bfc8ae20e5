import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { startTestApp, type TestApp } from '../support/app.js'
import { makeTenant } from '../support/factories.js'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
// What a browser does of its own accord stays off, or it looks up its maker's hosts.
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let service: TestApp
let browser: Browser

beforeAll(async () => {
  if (!existsSync(CHROMIUM))
    throw new Error('This test needs Chromium: install it (.ci/run does), or name it by CHROMIUM.')
  service = await startTestApp()
  browser = await chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: process.getuid?.() !== 0, args: QUIET })
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

/** The page at /graphql in a fresh browser profile, what the browser complained of, and what it asked for elsewhere. */
async function openPage(query = ''): Promise<{ page: Page; complaints: string[]; outside: string[] }> {
  const page = await browser.newPage()
  const complaints: string[] = []
  const outside: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('requestfailed', (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(service.origin) && !request.url().startsWith('data:')) outside.push(request.url())
  })
  await page.goto(`${service.origin}/graphql${query}`)
  await page.getByRole('button', { name: /execute query/i }).waitFor()
  return { page, complaints, outside }
}

const answerOf = (page: Page) => page.locator('.result-window')

test('answers a query with the key of its field, loads nothing from elsewhere and breaks no rule of its policy', async () => {
  const { key, accountId } = await makeTenant(service)
  const { page, complaints, outside } = await openPage()
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: /execute query/i }).click()
  await answerOf(page).getByText('"permissions"').waitFor()
  const { rows } = await service.database.pool.query('select name from account where id = $1', [accountId])
  expect(await answerOf(page).textContent()).toContain(`"name": "${rows[0].name}"`)

  await page.getByRole('button', { name: /show documentation explorer/i }).click()
  await page.getByRole('link', { name: 'Query' }).click()
  await page.getByRole('link', { name: 'contacts', exact: true }).click()
  await page.locator('.graphiql-doc-explorer').getByText('ContactFilter').first().waitFor()
  if (process.env.PAGE_PICTURE) await page.screenshot({ path: process.env.PAGE_PICTURE })

  await page.reload()
  expect(await page.getByLabel('API key').inputValue()).toBe(key)
  expect({ complaints, outside }).toEqual({ complaints: [], outside: [] })
  await page.close()
})

test('shows what goes wrong without a key, and takes a query from its address', async () => {
  const { page, complaints, outside } = await openPage(`?query=${encodeURIComponent('{ contacts { items { id } } }')}`)
  await page.getByRole('button', { name: /execute query/i }).click()
  await answerOf(page).getByText('MISSING_API_KEY').waitFor()
  const refused = 'Failed to load resource: the server responded with a status of 401 (Unauthorized)'
  expect({ complaints, outside }).toEqual({ complaints: [refused], outside: [] })
  await page.close()
})
