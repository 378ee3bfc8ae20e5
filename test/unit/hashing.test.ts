import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { hashSync } from '@node-rs/argon2'
import { hashOf, isHashOf, nobodysHash } from '../../src/shared/hashing.js'

const WAITING = 500

test('a hash is argon2id with the parameters that OWASP asks for, and is that of one password', async () => {
  const stored = await hashOf('correct horse battery')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await isHashOf(stored, 'correct horse battery')).toBe(true)
  expect(await isHashOf(stored, 'correct horse batterY')).toBe(false)
  expect(nobodysHash()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(nobodysHash()).toHaveLength(stored.length)
  expect(await isHashOf(nobodysHash(), '')).toBe(false)
})

test('what cannot be compared fails alone', async () => {
  const stored = await hashOf('correct horse battery')
  const [broken, good] = await Promise.allSettled([isHashOf('no hash', 'x'), isHashOf(stored, 'correct horse battery')])
  expect(broken.status).toBe('rejected')
  expect(good).toEqual({ status: 'fulfilled', value: true })
})

test('who finds the line full is told at once when to try again, and nobody in it is lost', async () => {
  const quick = hashSync('right', { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 })
  const atOnce = Math.max(1, Math.floor(availableParallelism() / 2))
  const all = Array.from({ length: WAITING + atOnce + 40 }, (_, i) => isHashOf(quick, i % 2 ? 'right' : 'wrong'))
  const ends = await Promise.allSettled(all)
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  expect(refused).toHaveLength(40)
  for (const reason of refused) expect(reason).toMatchObject({ code: 'SERVICE_UNAVAILABLE', extra: { retryAfter: 5 } })
  const answers = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
  expect(answers).toEqual(Array.from({ length: WAITING + atOnce }, (_, i) => i % 2 === 1))
  expect(await isHashOf(quick, 'right')).toBe(true)
})

test('the threads that hash come after those that answer calls', async () => {
  await hashOf('correct horse battery')
  // The nineteenth field is the thread's nice value; the name before it may hold spaces.
  const niceOf = (stat: string) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  const nices = readdirSync('/proc/self/task').map((id) => niceOf(readFileSync(`/proc/self/task/${id}/stat`, 'utf8')))
  expect(nices.filter((nice) => nice === 19).length).toBeGreaterThan(0)
  expect(niceOf(readFileSync('/proc/self/stat', 'utf8'))).toBeLessThan(19)
})
