import { median } from './bench.mjs'

const BODY = {
  ...{ name: 'Bench {{n}}', email: 'bench-{{n}}@example.com', company: 'Bench Ltda', phone: '+55119{{n}}' },
}

/**
 * The same creation of opportunities with and without something more, in windows taken in turns. `sides` has the further
 * fields of each by its name, the plain one first; told are the medians, and of each side the ratio of its rate to the
 * plain one's in the window next to it.
 */
export async function compareCreations(bench, title, sides) {
  const names = Object.keys(sides)
  const create = (more) =>
    bench.send('POST', '/opportunities', { ...BODY, ...more }, { 'Idempotency-Key': 'bench-{{n}}' })
  const windows = Object.fromEntries(names.map((name) => [name, []]))
  for (let i = 0; i < 2 * +bench.options.rounds; i++) {
    for (const name of i % 2 ? names : names.toReversed()) {
      const window = await bench.window(create(sides[name]), [], +bench.options.connections, { seconds: 3 })
      if (window.non2xx > 0) throw new Error(window.firstBad)
      windows[name].push(window)
    }
  }
  const ratio = (name) => median(windows[names[0]].map(({ rps }, i) => windows[name][i].rps / rps))
  const lines = names.map((name) => [
    name,
    ...['rps', 'p50', 'p99', 'serverCpu', 'postgresCpu'].map((what) => median(windows[name].map((one) => one[what]))),
    ratio(name),
  ])
  bench.table(title, lines, [
    'creation',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'server CPU ms',
    'PostgreSQL CPU ms',
    'ratio',
  ])
}
