import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

// What is measured is what is started: Node.js's own room for young objects is a hundred MiB more, and with its own limit
// for old ones it lets them come to four times what is in use before it collects. Its four threads take the cores from calls.
const FLAGS = '--max-semi-space-size=16 --max-old-space-size=1024 --v8-pool-size=1'

test('npm start, the container and the benchmark start Node.js alike', () => {
  const { start } = JSON.parse(readFileSync('package.json', 'utf8')).scripts
  expect(start).toContain(`MALLOC_ARENA_MAX=2 exec node ${FLAGS} `)
  expect(readFileSync('docs/container/Dockerfile', 'utf8')).toContain(
    `ENV NODE_OPTIONS="${FLAGS}"\nENV MALLOC_ARENA_MAX=2\n`,
  )
  expect(readFileSync('bench/lib/accounts.mjs', 'utf8')).toContain(`NODE_FLAGS = '${FLAGS}'`)
  expect(readFileSync('bench/lib/accounts.mjs', 'utf8')).toContain(`MALLOC_ARENA_MAX: '2'`)
})

test('a flag that services set themselves is one that this Node.js has', () => {
  const [, flag] = /setFlagsFromString\('--no-([a-z-]+)'\)/.exec(readFileSync('src/main.ts', 'utf8'))!
  expect(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })).toContain(`  --${flag} (`)
})
