import { readdirSync } from 'node:fs'

test('each migration has a number of its own, without a gap', () => {
  const files = readdirSync(new URL('../../src/database/migrations', import.meta.url)).filter((name) =>
    /^M\d/.test(name),
  )
  expect(files.sort().map((name) => Number(name.slice(1, 5)))).toEqual(files.map((_, i) => i + 1))
})
