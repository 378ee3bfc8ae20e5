#!/usr/bin/env node
// Reads out of the types of the `openai` package, as JSON Schema, what the chat API is asked and what it answers.
// TypeScript 7 has no programming interface, so this folder has a TypeScript of its own.
//
//   node read.mjs            writes chat-types.json
//   node read.mjs --stdout   prints it
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createGenerator } from 'ts-json-schema-generator'

const here = dirname(fileURLToPath(import.meta.url))
const openai = join(here, '..', '..', '..', '..', 'node_modules', 'openai')
const path = join(openai, 'resources', 'chat', 'completions', 'completions.d.ts')

const schemaOf = (type) => {
  const options = {
    path,
    type,
    skipTypeCheck: true,
    additionalProperties: false,
    topRef: true,
    jsDoc: 'none',
    sortProps: true,
  }
  return createGenerator(options).createSchema(type)
}

const { version } = JSON.parse(readFileSync(join(openai, 'package.json'), 'utf8'))
// One line for each type, so that a new version of the package shows what it changes.
const lines = (definitions) =>
  Object.entries(definitions).map(([name, schema]) => `   ${JSON.stringify(name)}: ${JSON.stringify(schema)}`)
const block = ({ $ref, definitions }) => `{
  "$ref": ${JSON.stringify($ref)},
  "definitions": {
${lines(definitions).join(',\n')}
  }
 }`
const text = `{
 "openai": ${JSON.stringify(version)},
 "request": ${block(schemaOf('ChatCompletionCreateParamsNonStreaming'))},
 "answer": ${block(schemaOf('ChatCompletion'))}
}
`
if (process.argv.includes('--stdout')) process.stdout.write(text)
else writeFileSync(join(here, 'chat-types.json'), text)
