// Preloaded into a server: switches `globalThis.off` on and off in turns, and adds up for each side what was answered,
// the server's own CPU and that of its PostgreSQL backends. On SIGUSR2 it prints what was added up and begins anew.
import { subscribe } from 'node:diagnostics_channel'
import { readdirSync, readFileSync } from 'node:fs'

const SLICE_MS = 100
const newSide = () => ({ answers: 0, ms: 0, cpuMs: 0, postgresMs: 0 })
let [sides, at, answers] = [[newSide(), newSide()], 0, 0]
subscribe('http.server.response.finish', () => answers++)

/** The backends are found by the name that the server's connections bear. */
let backends = []
const findBackends = () => {
  backends = readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && /^postgres: .*127\.0\.0\.1\(\d+\)/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    } catch {
      return false
    }
  })
}

function clocks() {
  const { user, system } = process.cpuUsage()
  let postgresNs = 0
  for (const pid of backends) {
    try {
      postgresNs += Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])
    } catch {} // it ended meanwhile
  }
  return { ms: performance.now(), cpuMs: (user + system) / 1000, postgresMs: postgresNs / 1e6 }
}

let before = clocks()
let slices = 0
setInterval(() => {
  const after = clocks()
  // A slice in which the load did not run, or the machine did something else, says nothing.
  if (answers > 5) {
    sides[at].answers += answers
    for (const clock of ['ms', 'cpuMs', 'postgresMs']) sides[at][clock] += after[clock] - before[clock]
  }
  if (slices++ % 20 === 0) findBackends()
  at ^= 1
  answers = 0
  globalThis.off = at === 1
  before = clocks()
}, SLICE_MS).unref()

process.on('SIGUSR2', () => {
  const [on, off] = sides.map(({ answers, ms, cpuMs, postgresMs }) => ({
    rate: (answers / ms) * 1000,
    cpu: cpuMs / answers,
    postgres: postgresMs / answers,
  }))
  const lines = Object.keys(on).map(
    (key) => `${key} ${on[key].toFixed(3)} on, ${off[key].toFixed(3)} off, off ÷ on ${(off[key] / on[key]).toFixed(3)}`,
  )
  if (sides[0].answers > 100) console.error(lines.join('; '))
  sides = [newSide(), newSide()]
})
