// Compares schema/openapi with what it was at an earlier commit – OPENAPI_BASE, or the one before – and fails when something
// breaks callers that the section "Breaking" of the version at the top of CHANGELOG.md does not name, as `GET /contacts`.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { breakingChanges } from './openapi/breaking.mjs'
import { namedAsBreaking } from './openapi/changelog.mjs'

const base = process.env.OPENAPI_BASE || 'HEAD^'
const root = new URL('..', import.meta.url)
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })

const isThere = () => {
  try {
    git('rev-parse', '--verify', '--quiet', `${base}^{commit}`)
    return true
  } catch {
    return false
  }
}
const deepen = () => {
  try {
    git('fetch', '--quiet', '--deepen=1')
  } catch {} // there is nowhere to fetch from
}

if (!isThere()) deepen()
if (!isThere()) {
  // A commit that was named must be there; a clone without history has nothing that it could break.
  console.error(`There is no commit ${base} to compare with: fetch the history, or name one by OPENAPI_BASE.`)
  process.exit(process.env.OPENAPI_BASE ? 1 : 0)
}
const announced = namedAsBreaking(readFileSync(new URL('CHANGELOG.md', root), 'utf8'))
const published = git('ls-tree', '--name-only', base, 'schema/openapi/').split('\n').filter(Boolean)
const present = readdirSync(new URL('schema/openapi/', root))
for (const path of published) {
  const name = path.split('/').pop()
  const before = JSON.parse(git('show', `${base}:${path}`))
  const after = present.includes(name)
    ? JSON.parse(readFileSync(new URL(path, root), 'utf8'))
    : { ...before, paths: {} }
  for (const { operation, text } of breakingChanges(before, after)) {
    const known = announced.includes(operation)
    console.error(`${known ? 'announced' : 'BREAKING'}: ${name} ${operation} ${text}`)
    if (!known) process.exitCode = 1
  }
}
if (process.exitCode)
  console.error('Keep the old form beside the new one, or name the operation under "### Breaking" in CHANGELOG.md.')
