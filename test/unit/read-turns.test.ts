import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { ReadTurns, type Turn } from '../../src/shared/read-turns.js'

let now = 0
beforeEach(() => {
  now = 0
})

const make = (atOnce = 1) => new ReadTurns(() => now, atOnce)

/** Has an account ask for three reads of 100 ms at a time, for two seconds. */
async function load(turns: ReadTurns, account: string, takes = 100, atATime = 3): Promise<void> {
  for (const end = now + 2000; now < end; ) {
    const reads = await Promise.all(Array.from({ length: atATime }, () => turns.read(account)))
    now += takes
    for (const read of reads) read.end()
  }
}

const begun = (turn: Turn | Promise<Turn>): turn is Turn => !(turn instanceof Promise)

test('reads begin at once while nobody else is at work, however many and long', async () => {
  const turns = make()
  await load(turns, 'a')
  for (let i = 0; i < 10; i++) expect(begun(turns.read('a'))).toBe(true)
  expect(turns.waiting).toBe(0)
})

test('while others are at work, those of one that asks for many come one after another, in their order', async () => {
  const turns = make()
  await load(turns, 'a')
  turns.write('b')
  const first = turns.read('a') as Turn
  const order: string[] = []
  const rest = ['second', 'third'].map(async (name) => {
    const turn = await turns.read('a')
    order.push(name)
    return turn
  })
  expect(begun(first)).toBe(true)
  expect(turns.waiting).toBe(2)
  first.end()
  const second = await rest[0]!
  await turnOfLoop()
  expect([order, turns.waiting]).toEqual([['second'], 1])
  first.end() // once more, which is nothing
  await turnOfLoop()
  expect(turns.waiting).toBe(1)
  second.end()
  ;(await rest[1]!).end()
  expect([order, turns.waiting]).toEqual([['second', 'third'], 0])
})

test('the others do not wait for it, and so many run at once as are let', async () => {
  const turns = make(2)
  await load(turns, 'b', 100, 1)
  now += 5000
  await load(turns, 'a')
  turns.write('b')
  const mine = [turns.read('a'), turns.read('a'), turns.read('a')]
  expect(mine.map(begun)).toEqual([true, true, false])
  const theirs = [turns.read('b'), turns.read('b'), turns.read('c')]
  expect(theirs.map(begun)).toEqual([true, true, true])
  for (const turn of mine) (await turn).end()
})

test('one at a time, or several at one moment, do not wait', async () => {
  const turns = make()
  await load(turns, 'one', 100, 1)
  now += 5000
  turns.write('b')
  for (const account of ['one', 'never seen']) {
    const reads = Array.from({ length: 5 }, () => turns.read(account))
    now += 50
    expect([account, ...reads.map(begun)]).toEqual([account, true, true, true, true, true])
    for (const read of reads) (read as Turn).end()
  }
})

test('what is far behind is forgotten', async () => {
  const turns = make()
  await load(turns, 'a')
  now += 5000
  turns.write('b')
  expect([turns.read('a'), turns.read('a')].map(begun)).toEqual([true, true])
})

test('a read that takes too long holds up nobody, and those who wait go on when the others stop', async () => {
  const turns = make()
  await load(turns, 'a')
  turns.write('b')
  const stuck = turns.read('a') as Turn
  const second = turns.read('a')
  expect(begun(second)).toBe(false)
  now += 900
  turns.write('b')
  now += 150
  const next = await second
  const third = turns.read('a')
  expect(begun(third)).toBe(false) // b still counts as at work, and the second has its turn
  now += 1000
  for (const turn of [stuck, next, await third]) turn.end()
  expect(turns.waiting).toBe(0)
})

describe('statements', () => {
  /** A statement that is answered when told, and whether it was sent. */
  function statement(turn: Turn) {
    const one = { sent: false, answer: () => {}, done: Promise.resolve() }
    const answered = new Promise<void>((resolve) => (one.answer = resolve))
    one.done = turn.statement(() => {
      one.sent = true
      return answered
    })
    return one
  }
  const settled = async () => {
    for (let i = 0; i < 5; i++) await turnOfLoop()
  }

  test('of one read run four at once', async () => {
    const turn = make().read('a') as Turn
    const sent = Array.from({ length: 6 }, () => statement(turn))
    await settled()
    expect(sent.map(({ sent }) => sent)).toEqual([true, true, true, true, false, false])
    sent[0]!.answer()
    await settled()
    expect(sent.map(({ sent }) => sent)).toEqual([true, true, true, true, true, false])
    for (const { answer } of sent) answer()
    await Promise.all(sent.map(({ done }) => done))
  })

  test('of a read that takes long come one after another while others are at work, and no longer', async () => {
    const turns = make()
    const turn = turns.read('a') as Turn
    now += 60
    const alone = [statement(turn), statement(turn)]
    await settled()
    expect(alone.map(({ sent }) => sent)).toEqual([true, true])
    for (const { answer } of alone) answer()
    await settled()
    turns.write('b')
    const beside = [statement(turn), statement(turn), statement(turn)]
    await settled()
    expect(beside.map(({ sent }) => sent)).toEqual([true, false, false])
    beside[0]!.answer()
    await settled()
    expect(beside.map(({ sent }) => sent)).toEqual([true, true, false])
    now += 1500 // b has gone
    beside[1]!.answer()
    for (const { answer } of beside) answer()
    await Promise.all(beside.map(({ done }) => done))
  })

  test('of an account that asks for many, that of the oldest read comes first', async () => {
    const turns = make()
    const first = turns.read('a') as Turn
    now++
    const second = turns.read('a') as Turn
    now += 2000
    turns.write('b')
    const running = statement(second)
    await settled()
    const [young, old] = [statement(second), statement(first)]
    await settled()
    expect([running.sent, young.sent, old.sent]).toEqual([true, false, false])
    running.answer()
    await settled()
    expect([young.sent, old.sent]).toEqual([false, true])
    old.answer()
    await settled()
    expect(young.sent).toBe(true)
    young.answer()
    await young.done
  })

  test('that need what is locked are sent at once, and their read lets the next begin', async () => {
    const turns = make()
    await load(turns, 'a')
    turns.write('b')
    const first = turns.read('a') as Turn
    const second = turns.read('a')
    const running = statement(first)
    await settled()
    expect([running.sent, turns.waiting]).toEqual([true, 1])
    const failing = first.statement(() => Promise.reject(new Error('locked')), true)
    await expect(failing).rejects.toThrow('locked')
    await settled()
    expect(turns.waiting).toBe(0)
    running.answer()
    for (const turn of [first, await second]) turn.end()
  })

  test('that fail are their own failure', async () => {
    const turn = make().read('a') as Turn
    const failing = () => Promise.reject(new Error('no'))
    const ends = await Promise.allSettled(Array.from({ length: 6 }, () => turn.statement(failing)))
    expect(ends.map(({ status }) => status)).toEqual(Array(6).fill('rejected'))
    expect(await turn.statement(async () => 1)).toBe(1)
  })
})

test('of accounts that do nothing any more nothing is kept', async () => {
  const turns = make()
  for (let i = 0; i < 1000; i++) {
    ;(turns.read(`account ${i}`) as Turn).end()
    now += 1000
  }
  expect((turns as unknown as { uses: Map<string, unknown> }).uses.size).toBeLessThanOrEqual(100)
})
