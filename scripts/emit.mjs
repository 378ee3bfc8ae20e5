// Writes the files that are made from the code: the GraphQL schema. With --check it writes nothing and fails when a
// committed file differs. It works on the built code, so the npm scripts build first.
import 'reflect-metadata'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { emittedFiles } from '../dist/emit.js'

const check = process.argv.includes('--check')
const stale = []
for (const [name, text] of Object.entries(emittedFiles())) {
  const path = fileURLToPath(new URL(`../schema/${name}`, import.meta.url))
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
  if (check) stale.push(`schema/${name}`)
  else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    console.log(`wrote schema/${name}`)
  }
}
if (stale.length > 0) {
  console.error(`${stale.join(', ')} differs from the code: run \`npm run schema\` and commit the result.`)
  process.exitCode = 1
}
