#!/usr/bin/env node
// Starts the local chat API of test/support/chat alone, so that agents can be seen at work without a model: what they ask is
// printed, and a line that is typed is what the model says next; see --help.
import { createInterface } from 'node:readline'
import { Command, Option } from 'commander'
import { number, untilStopped } from './local.mjs'

const { FAULT_KINDS, schemaOf, startLocalChat } = await import('../test/support/chat/index.ts')

const options = new Command('chat:local')
  .description('A chat API of your own on 127.0.0.1, whose model says what you type, or thanks')
  .addOption(new Option('--port <number>', 'where it listens').default(12113).argParser(number))
  .option('--key <key>', 'what opens it', 'local_key')
  .option('--model <name>', 'what its model is called', 'local')
  .parse()
  .opts()

const chat = await startLocalChat({ port: options.port, key: options.key, models: [options.model] })
const say = (text) => process.stdout.write(`${text}\n`)

say(`A local chat API listens at ${chat.base}. Start Fairlead with

  AI_API_BASE=${chat.base} AI_API_KEY=${options.key} AI_MODEL=${options.model} npm start

What you type is what the model says next, as the reply of an agent; a line that begins with { is its whole answer. Also:

  /fault KIND   ${FAULT_KINDS.join(', ')}
`)

const thanks = chat.model
let typed = []
chat.model = (request) => {
  const [instructions, data] = request.messages
  say(`${instructions.content}\n\n${data.content}\n`)
  const line = typed.shift()
  if (line === undefined) return thanks(request)
  if (line.startsWith('{') || !schemaOf(request)) return { content: line, unfitting: true }
  const plain = JSON.parse(thanks(request).content)
  return { content: JSON.stringify({ ...plain, reply: line }), unfitting: true }
}

const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const [, kind] = /^\/fault\s+(\w+)$/.exec(line) ?? []
  if (kind && FAULT_KINDS.includes(kind)) chat.disturb({ kind })
  else if (line.startsWith('/')) say(`a fault is one of ${FAULT_KINDS.join(', ')}`)
  else if (line.trim() !== '') typed = [...typed, line]
})
lines.on('close', () => process.stdin.isTTY && process.kill(process.pid, 'SIGTERM'))

untilStopped(chat, () => lines.close())
