import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createClient } from '../support/client.js'
import { createDatabase } from '../support/cluster.js'
import { until } from '../support/crash/locks.js'
import { makeKey, makeTenant } from '../support/factories.js'
import { dataOf } from '../support/graphql.js'
import { openSilently } from '../support/open-database.js'
import { type Running, start } from './cli/run.js'

const SCRIPT = fileURLToPath(new URL('../../scripts/whatsapp-local.mjs', import.meta.url))
const KEY = Buffer.alloc(32, 5)

let local: ChildProcess | undefined
let fairlead: Running | undefined
afterEach(async () => {
  for (const child of [local, fairlead?.child]) {
    if (!child || child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

/** A port that nobody listens on: both ends must know the other's address before they start. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test('a conversation is held from the terminal: the agent opens it, is asked, answers, and hears what else is sent', async () => {
  const { url, drop } = await createDatabase()
  const database = await openSilently(url, { encryptionKey: KEY })
  try {
    const [port, webhookPort] = [await freePort(), await freePort()]
    const webhook = `http://127.0.0.1:${webhookPort}/webhooks/whatsapp`
    local = spawn(process.execPath, [SCRIPT, '--port', `${port}`, '--webhook', webhook], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let printed = ''
    local.stdout!.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
    const prints = (text: string) => until(`it prints ${text}`, () => printed.includes(text))
    const type = (line: string) => local!.stdin!.write(`${line}\n`)
    await prints('/fault KIND')
    // What it says to start Fairlead with is what Fairlead is started with.
    const [, told] = /^ {2}(WHATSAPP_API_BASE=.*) npm start$/m.exec(printed)!
    const settings = Object.fromEntries(told!.split(' ').map((one) => one.split('=') as [string, string]))
    const [, numberId, token] = /connect the number (\S+) with the token (\S+?)\./.exec(printed)!
    expect(settings.WHATSAPP_API_BASE).toBe(`http://127.0.0.1:${port}`)

    await database.prepare()
    const { accountId } = await makeTenant({ database, origin: '' })
    const { secret } = await makeKey(database, accountId, { permissions: ['*', 'conversations:write'] })
    fairlead = start(['serve', '--port', `${webhookPort}`], {
      ...{ ...settings, DATABASE_URL: url, ENCRYPTION_KEY: KEY.toString('hex'), LOG_LEVEL: 'error' },
    })
    const client = createClient(`http://127.0.0.1:${webhookPort}`, secret)
    await until('it serves', () =>
      client.get('/').then(
        ({ status }) => status === 200,
        () => false,
      ),
    )
    type('/verify')
    await prints('the webhook answered 200 with the challenge')

    const connect = 'mutation ($input: ConnectChannelInput!) { connectChannel(input: $input) { id status } }'
    const line = dataOf(await client.graphql(connect, { input: { kind: 'WHATSAPP', externalId: numberId, token } }))
    expect(line.status).toBe('CONNECTED')
    const create = 'mutation ($input: CreateAiAgentInput!) { createAiAgent(input: $input) { id } }'
    const input = {
      ...{ name: 'Sofia', type: 'WHATSAPP', channelAccountId: line.id, opening: 'Olá {{first_name}}!' },
      openingTemplate: { name: 'opening', language: 'pt_BR', parameters: ['{{first_name}}'] },
      scripts: [{ keywords: ['preço'], reply: 'Custa 100.' }],
    }
    const agent = dataOf(await client.graphql(create, { input }))
    const lead = { name: 'Ana Souza', email: 'ana@example.com', phone: '+5511987654321' }
    const made = await client.post('/opportunities', { ...lead, activate_agent_id: agent.id })
    expect(made.body.actions.agent).toMatchObject({ activated: true, error: null })
    await prints('< [template opening ["Ana"]]')

    type('Qual o preço?')
    await prints('< Custa 100.')
    type('/image a casa')
    type('/read')
    const conversation = async () =>
      (await client.get(`/conversations/${made.body.actions.agent.conversation_id}`)).body.data
    await until('all is recorded', async () => (await conversation()).messages.length === 4)
    const { messages } = await conversation()
    expect(messages.map((one: { sender_type: string; content: string }) => [one.sender_type, one.content])).toEqual([
      ['ai', 'Olá Ana!'],
      ['lead', 'Qual o preço?'],
      ['ai', 'Custa 100.'],
      ['lead', expect.stringContaining('a casa')],
    ])
    const read = `select from message where account_id = '${accountId}' and status = 'read'`
    await until('it is read', async () => (await database.pool.query(read)).rowCount === 1)

    type('/group Y2Fw Buyers')
    type('Bom dia a todos')
    type('/group Y2Fw Buyers of 2026')
    const groups = async () => (await client.get('/conversations?is_group=true')).body.data
    await until('the group has its second name', async () => (await groups())[0]?.group_name === 'Buyers of 2026')
    expect((await client.get(`/conversations/${(await groups())[0].id}`)).body.data.messages).toMatchObject([
      { content: 'Bom dia a todos' },
    ])
  } finally {
    fairlead?.child.kill('SIGKILL')
    await fairlead?.finished
    await database.close()
    await drop()
  }
})
