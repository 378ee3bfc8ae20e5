// What WhatsApp would tell, from a process of its own: signed webhooks of one message each, of many people in turns, at a
// steady rate. Told by a message {url, secret, numberId, people, rate, seconds, connections}; answers the result.
import { createHmac } from 'node:crypto'
import { Agent, request } from 'node:http'

process.once('message', ({ url, secret, numberId, people, rate, seconds, connections }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const latencies = []
  let [sent, bad] = [0, 0]
  const begin = performance.now()

  /** The next message of whoever's turn it is; it says the how manieth of theirs it is. */
  function next() {
    const who = sent % people
    const from = `55118${String(10_000_000 + who)}`
    const message = { from, id: `wamid.bench.${sent}`, timestamp: `${Math.floor(Date.now() / 1000)}`, type: 'text' }
    const value = {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '5511900000000', phone_number_id: numberId },
      contacts: [{ wa_id: from, profile: { name: `Person ${who}` } }],
      messages: [{ ...message, text: { body: `${Math.floor(sent / people)}` } }],
    }
    const changes = [{ field: 'messages', value }]
    sent++
    return JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: 'bench', changes }] })
  }

  /** Latencies count from when the message was due, be this process late or not. */
  function tell(due) {
    const body = next()
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature }
    const failed = () => {
      latencies.push(Number.POSITIVE_INFINITY)
      bad++
    }
    const asked = request(url, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    })
    asked.on('error', failed)
    asked.on('response', (response) => {
      response.resume()
      response.on('end', () => {
        if (response.statusCode !== 200) return failed()
        latencies.push(performance.now() - due)
      })
    })
    asked.end(body)
  }

  const timer = setInterval(() => {
    const passed = Math.min(performance.now() - begin, seconds * 1000)
    while (sent < (passed * rate) / 1000) tell(begin + (sent * 1000) / rate)
    if (passed < seconds * 1000 || latencies.length < sent) return
    clearInterval(timer)
    agent.destroy()
    const sorted = Float64Array.from(latencies).sort()
    const at = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]
    process.send({ sent, bad, p50: at(0.5), p99: at(0.99), seconds: (performance.now() - begin) / 1000 }, () =>
      process.exit(),
    )
  }, 5)
})
