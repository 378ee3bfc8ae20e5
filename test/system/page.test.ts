import type { Browser, Page } from 'playwright-core'
import { startTestApp, type TestApp } from '../support/app.js'
import { launchBrowser, observe } from '../support/browser.js'
import { makeTenant } from '../support/factories.js'

let service: TestApp
let browser: Browser

beforeAll(async () => {
  service = await startTestApp()
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

/** The page at /graphql in a fresh browser profile, what the browser complained of, and what it asked for elsewhere. */
async function openPage(query = ''): Promise<{ page: Page; complaints: string[]; outside: string[] }> {
  const page = await browser.newPage()
  const { complaints, outside } = observe(page, service.origin)
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
