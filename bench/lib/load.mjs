// Load generator, a process of its own: keep-alive sockets, one request in flight on each, microsecond latencies.
// Told by a message {workload, ids, terms, connections, warmup, seconds, rate, samples}; answers {measuring: true}, then the
// result, with `samples` also when each request was due, by the clock, and its latency.
// With a rate each socket has a time for its next request, and latencies count from then, be the socket late or not.
import { connect } from 'node:net'

process.once('message', (job) => {
  const { workload, ids = [], terms = [] } = job
  const url = new URL(workload.url)
  const template = (text) => text.split(/(\{\{(?:n|id|q)\}\})/)
  const path = template(workload.url.slice(workload.url.indexOf(url.host) + url.host.length))
  const body = workload.body ? template(workload.body) : []
  const head = template(
    ` HTTP/1.1\r\nhost: ${url.host}\r\n` +
      Object.entries({ ...(workload.body && { 'content-type': 'application/json' }), ...workload.headers })
        .map(([k, v]) => `${k}: ${v}\r\n`)
        .join(''),
  )
  const method = workload.method ?? 'GET'

  let n = job.firstNumber
  const random = (list) => list[(Math.random() * list.length) | 0]
  function request() {
    const values = { '{{n}}': n++, '{{id}}': random(ids), '{{q}}': random(terms) }
    const fill = (parts) => parts.map((p) => (p in values ? values[p] : p)).join('')
    const content = fill(body)
    const length = content || method === 'POST' ? `content-length: ${Buffer.byteLength(content)}\r\n` : ''
    return `${method} ${encodeURI(fill(path))}${fill(head)}${length}\r\n${content}`
  }

  let [latencies, samples] = [[], []]
  let [non2xx, errors, sent, bytes] = [0, 0, 0, 0]
  let firstBad
  let running = true
  let live = job.connections
  const everyMs = job.rate ? (job.connections / job.rate) * 1000 : 0
  const sockets = Array.from({ length: job.connections }, open)

  function finish() {
    process.send({ sent }, () => process.exit())
  }

  function open() {
    const socket = connect(Number(url.port), url.hostname).setNoDelay()
    let [started, left, header, chunked, status] = [0, -1, '', false, 0]
    let due = performance.now() + Math.random() * everyMs
    function next() {
      if (!running) return socket.end()
      const early = everyMs && due - performance.now()
      if (early > 0) return setTimeout(next, early)
      left = -1
      header = ''
      sent++
      started = everyMs ? due : performance.now()
      due += everyMs
      socket.write(request())
    }
    socket.on('connect', next)
    socket.on('data', (data) => {
      bytes += data.length
      if (left === -1) {
        header += data.latin1Slice()
        const end = header.indexOf('\r\n\r\n')
        if (end === -1) return
        status = Number(header.slice(9, 12))
        const length = /\r\ncontent-length: *(\d+)/i.exec(header.slice(0, end + 2))
        chunked = !length && /\r\ntransfer-encoding: *chunked/i.test(header.slice(0, end + 2))
        left = (length ? Number(length[1]) : 0) - (header.length - end - 4)
      } else left -= data.length
      if (chunked ? data.latin1Slice(-5) !== '0\r\n\r\n' : left > 0) return
      latencies.push(performance.now() - started)
      if (job.samples) samples.push([performance.timeOrigin + started, latencies.at(-1)])
      if (status < 200 || status > 299) {
        non2xx++
        firstBad ??= header.slice(0, 600)
      }
      next()
    })
    socket.on('error', () => errors++)
    socket.on('close', () => {
      if (!running) return --live || finish()
      errors++
      sockets[sockets.indexOf(socket)] = open()
    })
    return socket
  }

  setTimeout(() => {
    const [cpu, from] = [process.cpuUsage(), performance.now()]
    latencies = []
    samples = []
    bytes = 0
    process.send({ measuring: true })
    setTimeout(() => {
      const seconds = (performance.now() - from) / 1000
      const used = process.cpuUsage(cpu)
      const sorted = Float64Array.from(latencies).sort()
      const at = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]
      const requests = sorted.length
      process.send({
        requests,
        samples,
        rps: requests / seconds,
        p50: at(0.5),
        p99: at(0.99),
        non2xx,
        errors,
        firstBad,
        bytes: bytes / requests,
        loadCpu: (used.user + used.system) / 1000 / requests,
      })
      running = false
      setTimeout(finish, 15_000).unref() // the answers still on their way are waited for, so that the next window begins in peace
    }, job.seconds * 1000)
  }, job.warmup * 1000)
})
