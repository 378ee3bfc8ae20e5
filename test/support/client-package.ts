import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The folder of the TypeScript client. */
export const CLIENT = fileURLToPath(new URL('../../schema/clients/typescript', import.meta.url))

/** Compiles the client, as its users get it. */
export async function buildClient(): Promise<void> {
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
  await run(process.execPath, [tsc, '-p', CLIENT])
}

/** Runs a program that uses the client, with this Node.js; rejects, with what it wrote, when it fails. */
export function runProgram(file: string, args: string[] = [], env: Record<string, string> = {}) {
  return run(process.execPath, ['--no-warnings', file, ...args], { cwd: ROOT, env: { ...process.env, ...env } })
}

/** The first block of code of a kind in a Markdown file. */
export function codeIn(file: string, kind: string): string {
  const found = new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``).exec(readFileSync(file, 'utf8'))
  if (!found) throw new Error(`${file} has no ${kind}`)
  return found[1]!
}
