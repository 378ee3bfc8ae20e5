import { type Claim, Shares } from '../../src/database/connections/shares.js'

const WAIT_MS = 60_000

const tables: Shares[] = []
afterEach(() => {
  for (const shares of tables.splice(0)) shares.dismiss(new Error('The test is over.'))
})
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Claims turns and notes who got one, in the order in which they came. */
function table(size: number) {
  const shares = new Shares(size, WAIT_MS)
  tables.push(shares)
  const got: string[] = []
  const turns: (Claim & { name: string })[] = []
  const claim = (account: string, kind = 'list') => {
    const turn = { account, kind, name: `${account} ${kind}` }
    const taken = () => {
      got.push(turn.name)
      turns.push(turn)
    }
    const waiting = shares.acquire(turn)
    if (waiting) void waiting.then(taken, () => {})
    else taken()
  }
  /** Gives back the oldest turn, or that of an account or kind. */
  const release = async (of?: string, late?: boolean) => {
    const at = turns.findIndex(({ account, kind }) => of === undefined || account === of || kind === of)
    shares.release(turns.splice(at, 1)[0]!, late)
    await settled()
  }
  const holds = (of: string) => turns.filter(({ account, kind }) => account === of || kind === of).length
  return { shares, claim, release, got, holds }
}

test('one account may hold three quarters, and another finds room at once', async () => {
  const { claim, holds } = table(8)
  for (let i = 0; i < 20; i++) claim('many')
  expect(holds('many')).toBe(6)
  claim('other', 'get')
  await settled()
  expect(holds('other')).toBe(1)
})

test('one kind of work, of however many accounts, leaves room for another kind', async () => {
  const { claim, holds } = table(8)
  for (let i = 0; i < 20; i++) claim(`account ${i}`, 'locked')
  expect(holds('locked')).toBe(6)
  claim('other', 'free')
  await settled()
  expect(holds('free')).toBe(1)
})

test('what is free goes to whoever holds the fewest, so that each has its share after a while', async () => {
  const { claim, release, holds } = table(6)
  for (let i = 0; i < 50; i++) claim('first', `kind ${i % 5}`)
  for (let i = 0; i < 50; i++) claim('second', `kind ${i % 5}`)
  claim('third', 'kind 0')
  for (let i = 0; i < 20; i++) await release()
  expect([holds('first'), holds('second')].sort()).toEqual([3, 3])
})

test('of one account, the kind of work that holds the fewest comes first', async () => {
  const { claim, release, got } = table(4)
  for (let i = 0; i < 10; i++) claim('one', 'searches')
  claim('one', 'tags')
  await release('searches')
  expect(got.at(-1)).toBe('one tags')
})

test('equal ones come in the order in which they asked', async () => {
  const { claim, release, got } = table(1)
  claim('holder', 'x')
  for (const name of ['a', 'b', 'c', 'd']) claim(name, name)
  for (let i = 0; i < 4; i++) await release()
  expect(got.slice(1)).toEqual(['a a', 'b b', 'c c', 'd d'])
})

test('of a kind of work that met a lock one at a time tries again, and when one succeeds they all go on', async () => {
  const { claim, release, holds } = table(8)
  for (let i = 0; i < 20; i++) claim('one', 'locked')
  for (let i = 0; i < 6; i++) await release('locked', true)
  expect(holds('locked')).toBe(1)
  claim('one', 'free')
  await settled()
  expect(holds('free')).toBe(1)
  await release('locked', false)
  expect(holds('locked')).toBe(5)
})

test('whoever waits for too long is refused, and takes no turn later', async () => {
  const shares = new Shares(1, 20)
  const claim = { account: 'a', kind: 'k' }
  expect(shares.acquire(claim)).toBeUndefined()
  await expect(shares.acquire(claim)).rejects.toThrow('No connection')
  shares.release(claim)
  expect(shares.acquire(claim)).toBeUndefined()
})

test('whoever has left is passed over', async () => {
  const { claim, shares, release, got } = table(1)
  claim('holder')
  let left = false
  const leaver = shares.acquire({ account: 'leaver', kind: 'k', caller: { gone: () => left } })
  claim('next')
  left = true
  shares.dismiss()
  await expect(leaver).rejects.toThrow('left')
  await release()
  expect(got).toEqual(['holder list', 'next list'])
})
