import { Agent, request } from 'node:http'
import { median } from '../lib/bench.mjs'

const CALLS = 300

/** What a call by a tool takes beside the same over REST: one at a time, the two by turns, so that both have the same machine. */
export default async function tools(bench) {
  const [{ id }] = await bench.ask('/contacts?limit=1')
  const name = () => `Bench ${Math.random()}`
  const pairs = {
    'read a contact': [() => ['GET', `/contacts/${id}`], () => ['get_contact', { id }]],
    'create a contact': [() => ['POST', '/contacts', { name: name() }], () => ['create_contact', { name: name() }]],
    'change a contact': [
      () => ['PUT', `/contacts/${id}`, { company: name() }],
      () => ['update_contact', { id, company: name() }],
    ],
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const call = (url, method, body, headers = {}) =>
    new Promise((done, fail) => {
      const begin = performance.now()
      const key = { 'X-API-Key': bench.accounts.measured.key, ...(body && { 'Content-Type': 'application/json' }) }
      const sent = request(url, { method, agent, headers: { ...key, ...headers } }, async (answer) => {
        let text = ''
        for await (const chunk of answer) text += chunk
        if (answer.statusCode >= 300 || text.includes('"isError":true')) return fail(new Error(text))
        done(performance.now() - begin)
      })
      sent.on('error', fail)
      sent.end(body && JSON.stringify(body))
    })
  const rest = ([method, path, body]) => call(bench.api + path, method, body)
  const accept = { Accept: 'application/json, text/event-stream' }
  const tool = ([name, args]) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
    return call(new URL('/mcp', bench.api), 'POST', message, accept)
  }
  console.log('\nA tool beside the same call over REST, p50 in ms of', CALLS, 'each, one at a time\n')
  console.log('| what | REST | tool | more |\n| --- | --- | --- | --- |')
  for (const [what, [overRest, byTool]] of Object.entries(pairs)) {
    const times = { rest: [], tool: [] }
    for (let i = 0; i < CALLS + 50; i++) {
      const both = [await rest(overRest()), await tool(byTool())]
      if (i < 50) continue // for the compiler
      times.rest.push(both[0])
      times.tool.push(both[1])
    }
    const [one, other] = [median(times.rest), median(times.tool)]
    console.log(`| ${what} | ${one.toFixed(2)} | ${other.toFixed(2)} | ${(other - one).toFixed(2)} |`)
  }
  agent.destroy()
}
