import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { jest } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { startTestApp, type TestApp } from '../support/app.js'
import { launchBrowser, observe } from '../support/browser.js'
import { makeTag, makeTenant } from '../support/factories.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
// A browser that builds the whole reference takes seconds, and many on a busy machine.
const PATIENCE_MS = 150_000
jest.setTimeout(400_000)

const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 390, height: 800 }

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

/** The page in a browser of its own, once its first heading is there. */
async function openDocs({ api = '', colorScheme = 'light' as 'light' | 'dark', viewport = WIDE, path = '/docs' } = {}) {
  const page = await browser.newPage({ colorScheme, viewport })
  page.setDefaultTimeout(PATIENCE_MS)
  const observed = observe(page, service.origin)
  await page.goto(service.origin + path + (api && `?api=${api}`))
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  return { page, ...observed }
}

/** What axe finds that is serious or critical. */
async function seriousIn(page: Page): Promise<string[]> {
  await page.evaluate(`${AXE};0`)
  const found: [string, ...string[]][] = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(
    ({ violations }) => violations.map(({ impact, id, nodes }) => [impact, id, ...nodes.map(({ html }) => html.slice(0, 200))]))`)
  return found.filter(([impact]) => ['serious', 'critical'].includes(impact)).map(String)
}

const LIGHT_AND_WIDE = { colorScheme: 'light' as const, viewport: WIDE }
const DARK_AND_NARROW = { colorScheme: 'dark' as const, viewport: NARROW }

test.each([
  ['guides', 'light and wide', { ...LIGHT_AND_WIDE, api: '' }],
  ['guides', 'dark and narrow', { ...DARK_AND_NARROW, api: '' }],
  ['external API', 'light and narrow', { ...LIGHT_AND_WIDE, viewport: NARROW, api: 'fairlead-external-api' }],
  ['external API', 'dark and wide', { ...DARK_AND_NARROW, viewport: WIDE, api: 'fairlead-external-api' }],
  ['agency API', 'light and wide', { ...LIGHT_AND_WIDE, api: 'fairlead-agency-api' }],
])('the page of the %s, %s, has no fault, asks nobody else, and is accessible', async (_, __, look) => {
  const { page, complaints, outside } = await openDocs(look)
  await page.waitForTimeout(500)
  expect(await page.title()).toContain('Fairlead')
  const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  const brightness = Number(/\d+/.exec(background)![0])
  expect(look.colorScheme === 'dark' ? brightness : 255 - brightness).toBeLessThan(60)
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  expect(await seriousIn(page)).toEqual([])
  expect({ complaints, outside }).toEqual({ complaints: [], outside: [] })
  await page.close()
})

test('the keyboard alone leads to a guide', async () => {
  const { page } = await openDocs()
  const focused = () => page.evaluate<string>('document.activeElement.textContent.trim()')
  for (let presses = 0; presses < 30 && !(await focused()).startsWith('Errors'); presses++)
    await page.keyboard.press('Tab')
  expect(await focused()).toMatch(/^Errors/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/#.*errors/)
  await page.close()
})

test.each([
  ['guides', 'wide', WIDE, ''],
  ['guides', 'narrow', NARROW, ''],
  ['external API', 'wide', WIDE, 'fairlead-external-api'],
])('the codes of errors in the %s, %s, stand each in one line with its status', async (_, __, viewport, api) => {
  const { page } = await openDocs({ viewport, api })
  await page.locator('td').first().waitFor()
  const broken = await page.evaluate(`[...document.querySelectorAll('tr:has(td:nth-child(4)) > td:nth-child(-n + 2)')]
    .filter((cell) => {
      const range = document.createRange()
      range.selectNodeContents(cell)
      const lines = [...range.getClientRects()].map(({ bottom }) => bottom)
      return Math.max(...lines) - Math.min(...lines) > 8
    })
    .map((cell) => cell.textContent)`)
  expect(broken).toEqual([])
  expect(await page.locator('tr:has(td:nth-child(4))').count()).toBeGreaterThan(10)
  await page.close()
})

test('a link from one guide leads to another', async () => {
  const { page } = await openDocs()
  await page.locator('.markdown').getByRole('link', { name: 'incremental sync' }).click()
  await page.waitForURL(/#.*incremental-sync/)
  await page.waitForFunction(`(() => {
    const heading = [...document.querySelectorAll('h1')].find(({ textContent }) => textContent === 'Incremental sync')
    const { top } = heading.getBoundingClientRect()
    return top >= 0 && top < innerHeight
  })()`)
  await page.close()
})

test('a browser that comes to / is led to the guides; a program gets what it got', async () => {
  const { page } = await openDocs({ path: '/' })
  expect(page.url()).toMatch(/\/docs(#.*)?$/)
  await page.getByRole('heading', { name: 'First request' }).first().waitFor()
  await page.close()
  const answer = await fetch(service.origin, { headers: { Accept: 'application/json' }, redirect: 'manual' })
  expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([404, 'NOT_FOUND'])
})

test('a call can be tried out with a key, against this server', async () => {
  const { key, accountId } = await makeTenant(service)
  await makeTag(service.database, accountId, { name: 'Found it' })
  const { page, complaints, outside } = await openDocs({ api: 'fairlead-external-api' })
  const field = page.getByRole('textbox', { name: 'Value' }).first()
  await field.fill(key)
  await field.press('Tab')
  await page.evaluate("location.hash = 'fairlead-external-api/tag/tags/GET/tags'")
  await page
    .getByRole('button', { name: /test request.*\/tags/i })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  expect(await seriousIn(page)).toEqual([])
  const answered = page.waitForResponse((response) => response.url().includes('/external/v1/tags'))
  await dialog.getByRole('button', { name: /send/i }).first().click()
  const response = await answered
  expect([response.status(), (await response.request().allHeaders())['x-api-key']]).toEqual([200, key])
  await dialog.getByText('Found it').first().waitFor()
  expect({ complaints, outside }).toEqual({ complaints: [], outside: [] })
  await page.close()
})
