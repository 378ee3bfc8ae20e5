import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

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

/** Debian's Chromium, as the tests of pages use it. */
export function launchBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM))
    throw new Error('This test needs Chromium: install it (.ci/run does), or name it by CHROMIUM.')
  return chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: process.getuid?.() !== 0, args: QUIET })
}

/** Collects what a browser complains of on a page, and what the page asks for elsewhere than at its origin. */
export function observe(page: Page, origin: string): { complaints: string[]; outside: string[] } {
  const complaints: string[] = []
  const outside: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('requestfailed', (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`))
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(origin)) outside.push(request.url())
  })
  return { complaints, outside }
}
