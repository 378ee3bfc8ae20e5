import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { jest } from '@jest/globals'
import { installFixture } from '../../support/fixture-folder.js'

const run = promisify(execFile)
const FOLDER = fileURLToPath(new URL('../../support/stripe/types', import.meta.url))

// A registry and a compiler: seconds, and many on a busy machine.
jest.setTimeout(300_000)

test('what the local Stripe demands and answers is what the installed stripe package says', async () => {
  await installFixture(FOLDER)
  const options = { maxBuffer: 10_000_000 }
  const { stdout } = await run(process.execPath, [join(FOLDER, 'read.mjs'), '--stdout'], options)
  // `npm run stripe:types` writes it anew after the package has changed.
  expect(readFileSync(join(FOLDER, 'stripe-types.json'), 'utf8')).toBe(stdout)
})
