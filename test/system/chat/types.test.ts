import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { jest } from '@jest/globals'
import { installFixture } from '../../support/fixture-folder.js'

const run = promisify(execFile)
const FOLDER = fileURLToPath(new URL('../../support/chat/types', import.meta.url))

// A registry and a compiler: seconds, and many on a busy machine.
jest.setTimeout(300_000)

test('what the local chat API demands and answers is what the installed openai package says', async () => {
  await installFixture(FOLDER)
  const { stdout } = await run(process.execPath, [join(FOLDER, 'read.mjs'), '--stdout'], { maxBuffer: 10_000_000 })
  // `npm run chat:types` writes it anew after the package has changed.
  expect(readFileSync(join(FOLDER, 'chat-types.json'), 'utf8')).toBe(stdout)
})
