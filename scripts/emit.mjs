// Writes the files that are made from the code: the GraphQL schema, the OpenAPI documents, and the client out of these. With --check it writes nothing and fails when a
// committed file differs. It works on the built code, so the npm scripts build first.
import 'reflect-metadata'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { emittedFiles } from '../dist/emit.js'
import { collectionFile } from './clients/postman.mjs'
import { clientFiles } from './clients/typescript.mjs'

const check = process.argv.includes('--check')
const stale = []
const emitted = emittedFiles()
const documents = Object.fromEntries(
  Object.entries(emitted).flatMap(([name, text]) => {
    const api = /^openapi\/(.+)\.json$/.exec(name)?.[1]
    return api ? [[api, JSON.parse(text)]] : []
  }),
)
for (const [name, text] of Object.entries({ ...emitted, ...clientFiles(documents), ...collectionFile(documents) })) {
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
