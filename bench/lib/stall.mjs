// Preloaded into a server: the longest turn of its event loop, of the wall clock and without the time for which the
// thread waited for a core, which is the machine's doing. A message asks for it and begins anew.
import { readFileSync } from 'node:fs'

const EVERY_MS = 2
const waitedMs = () => Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6
let [wall, waited] = [performance.now(), waitedMs()]
let worst = { wall: 0, own: 0 }
setInterval(() => {
  const [wallNow, waitedNow] = [performance.now(), waitedMs()]
  const gap = wallNow - wall - EVERY_MS
  worst = { wall: Math.max(worst.wall, gap), own: Math.max(worst.own, gap - (waitedNow - waited)) }
  ;[wall, waited] = [wallNow, waitedNow]
}, EVERY_MS).unref()

process.on('message', () => {
  process.send(worst)
  worst = { wall: 0, own: 0 }
})
process.channel.unref()
