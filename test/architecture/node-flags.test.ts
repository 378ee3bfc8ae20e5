import { readFileSync } from 'node:fs'

// What is measured is what is started: Node.js's own room for young objects is a hundred MiB more.
const FLAG = '--max-semi-space-size=16'

test('npm start, the container and the benchmark start Node.js alike', () => {
  const { start } = JSON.parse(readFileSync('package.json', 'utf8')).scripts
  expect(start).toContain(`node ${FLAG} `)
  expect(readFileSync('docs/container/Dockerfile', 'utf8')).toContain(`ENV NODE_OPTIONS=${FLAG}\n`)
  expect(readFileSync('bench/lib/accounts.mjs', 'utf8')).toContain(`NODE_FLAGS = '${FLAG}'`)
})
