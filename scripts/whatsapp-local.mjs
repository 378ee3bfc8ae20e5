#!/usr/bin/env node
// Starts the local WhatsApp of test/support/whatsapp alone, so that a conversation can be held from the terminal: a line that is
// typed is what a person writes, and what the service sends is printed; see --help.
import { createInterface } from 'node:readline'
import { Command, Option } from 'commander'
import { number, untilStopped } from './local.mjs'

const { FAULT_KINDS, startLocalWhatsApp } = await import('../test/support/whatsapp/index.ts')

const options = new Command('whatsapp:local')
  .description('A WhatsApp of your own on 127.0.0.1; its state is in memory and gone when it ends')
  .addOption(new Option('--port <number>', 'where it listens').default(12112).argParser(number))
  .option('--webhook <url>', 'where it tells what happens', 'http://127.0.0.1:4000/webhooks/whatsapp')
  .option('--app-secret <secret>', 'what signs it', 'local_app_secret')
  .option('--verify-token <token>', 'what it shakes hands with', 'local_verify_token')
  .option('--number-id <id>', "the id of the business's number", '106540352242922')
  .option('--token <token>', 'what opens that number', 'local_token')
  .option('--phone <phone>', 'who writes', '+5511987654321')
  .option('--name <name>', 'what they are called', 'Ana Souza')
  .option('--hidden', 'who writes has a username, and tells nobody their phone')
  .parse()
  .opts()

const whatsapp = await startLocalWhatsApp({
  port: options.port,
  webhook: { url: options.webhook, appSecret: options.appSecret, verifyToken: options.verifyToken },
})
const business = whatsapp.addNumber({ id: options.numberId, token: options.token })
for (const language of ['pt_BR', 'en_US']) {
  whatsapp.addTemplate({ name: 'hello_world', language })
  whatsapp.addTemplate({ name: 'opening', language, body: 'Olá {{1}}!' })
}
let writer = whatsapp.addPerson({ phone: options.phone, name: options.name, hidden: options.hidden })
let group

const say = (text) => process.stdout.write(`${text}\n`)
whatsapp.onSent = ({ to, body }) => {
  const { text, template } = body
  const values = (template?.components ?? []).flatMap(({ parameters = [] }) => parameters.map((one) => one.text))
  const content = text?.body ?? `[template ${template?.name} ${JSON.stringify(values)}]`
  say(
    `${'group' in to ? `(${to.group}) ` : to === writer ? '' : `(to ${to.name}, ${to.phone ?? to.userId}) `}< ${content}`,
  )
}

say(`A local WhatsApp listens at ${whatsapp.base}. Start Fairlead with

  WHATSAPP_API_BASE=${whatsapp.base} WHATSAPP_APP_SECRET=${options.appSecret} WHATSAPP_VERIFY_TOKEN=${options.verifyToken} npm start

and connect the number ${business.id} with the token ${business.token}. Templates: hello_world, opening ({{1}}), in pt_BR and en_US.
What you type is what ${writer.name} (${writer.phone}, ${writer.userId}) writes; what the service sends is printed. Also:

  /as +5521… NAME      somebody else writes            /image TEXT          sends a picture
  /group ID NAME       in a group of that name         /place               sends where they are
  /group               in no group any more
  /read                reads the last message          /verify              shakes hands with the webhook
  /fault KIND          ${FAULT_KINDS.join(', ')}
`)

const COMMANDS = {
  as: (rest) => {
    const [, phone, name] = /^(\+?[\d() -]*\d)\s*(.*)$/.exec(rest) ?? []
    writer = whatsapp.world.byPhone(phone ?? '') ?? whatsapp.addPerson({ phone, ...(name ? { name } : {}) })
    say(`${writer.name} writes, ${writer.userId}`)
  },
  image: (caption) => {
    const image = { id: whatsapp.world.id(), mime_type: 'image/jpeg', sha256: 'x', ...(caption ? { caption } : {}) }
    whatsapp.sends(writer, business, { type: 'image', image }, { group })
  },
  place: () => {
    const location = { latitude: -23.561, longitude: -46.656, name: 'MASP' }
    whatsapp.sends(writer, business, { type: 'location', location }, { group })
  },
  read: () => {
    const last = whatsapp.world.sent.findLast(({ to }) => to === writer)
    if (last) whatsapp.reads(last.id)
  },
  group: (rest) => {
    const [, id, name] = /^(\S*)\s*(.*)$/.exec(rest)
    group = id || undefined
    if (!group) return
    if (!whatsapp.world.groups.has(id)) whatsapp.makesGroup(business, name || id, { id })
    else if (name) whatsapp.renamesGroup(business, id, name)
  },
  verify: async () => {
    const { status, isEcho } = await whatsapp.webhooks.verify()
    say(`the webhook answered ${status}${isEcho ? ' with the challenge' : ''}`)
  },
  fault: (kind) => {
    if (!FAULT_KINDS.includes(kind)) throw new Error(`a fault is one of ${FAULT_KINDS.join(', ')}`)
    whatsapp.disturb({ kind })
  },
}

const lines = createInterface({ input: process.stdin })
lines.on('line', async (line) => {
  const [, name, rest] = /^\/(\w+)\s*(.*)$/.exec(line) ?? []
  try {
    if (name === undefined) {
      if (line.trim() !== '') whatsapp.says(writer, business, line, { group })
    } else if (Object.hasOwn(COMMANDS, name)) await COMMANDS[name](rest)
    else throw new Error(`there is no /${name}`)
  } catch (error) {
    say(error.message)
  }
  await whatsapp.deliver()
  if (whatsapp.webhooks.waiting > 0)
    say(`nobody took ${whatsapp.webhooks.waiting} of what was told to ${options.webhook}`)
})
lines.on('close', () => process.stdin.isTTY && process.kill(process.pid, 'SIGTERM'))

untilStopped(whatsapp, () => lines.close())
