import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { clientOf } from '../../../src/embedded-postgres/client.js'
import { EmbeddedBench, query, until } from '../../support/embedded.js'

const PASSWORD = 'correct-horse-battery'

const message = (type: string, body: Buffer) => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const int = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const authentication = (kind: number, more = Buffer.alloc(0)) => message('R', Buffer.concat([int(kind), more]))
const ok = () => Buffer.concat([authentication(0), message('Z', Buffer.from('I'))])

/** A program that bound the port of a PostgreSQL, and what it was told after the greeting. */
interface Impostor {
  port: number
  heard(): string
  close(): Promise<void>
}

/** `answer` gets each packet after the greeting, the first one empty, and says what comes back. */
async function pose(port: number, answer: (packet: Buffer) => Buffer): Promise<Impostor> {
  const packets: Buffer[] = []
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    let greeted = false
    socket.on('error', () => {})
    socket.on('data', (packet) => {
      if (greeted) packets.push(packet)
      socket.write(answer(greeted ? packet : Buffer.alloc(0)))
      greeted = true
    })
  })
  await until('free port', () => {
    return new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
  })
  return {
    port: (server.address() as AddressInfo).port,
    heard: () => Buffer.concat(packets).toString('latin1'),
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** SCRAM whose last step is no proof, with everything behind it that a connection needs to be open. */
function falseScram(packet: Buffer): Buffer {
  const nonce = /n,,n=\*,r=(.+)$/.exec(packet.toString('latin1'))?.[1]
  if (packet.length === 0) return authentication(10, Buffer.from('SCRAM-SHA-256\0\0'))
  if (nonce) return authentication(11, Buffer.from(`r=${nonce}more,s=${Buffer.from('salt').toString('base64')},i=4096`))
  const signature = Buffer.alloc(32).toString('base64')
  return Buffer.concat([authentication(12, Buffer.from(`v=${signature}`)), ok()])
}

const POSES: [string, (packet: Buffer) => Buffer, RegExp][] = [
  ['asks for the password in clear text', () => authentication(3), /clear text/],
  ['asks for the password as MD5', () => authentication(5, Buffer.from('salt')), /MD5/],
  ['lets everybody in', ok, /does not prove that it knows the password/],
  ['does SCRAM without knowing the password', falseScram, /server signature does not match/],
]

test.each(POSES)('a server that %s gets neither password nor statement', async (_, answer, says) => {
  const impostor = await pose(0, answer)
  try {
    const Client = clientOf(impostor)
    const client = new Client(`postgres://app:${PASSWORD}@127.0.0.1:1/app`)
    client.on('error', () => {})
    const connected = client.connect()
    const asked = client.query('select secret').catch((error: Error) => error)
    await expect(connected).rejects.toThrow(says)
    await client.end()
    expect(await asked).toBeInstanceOf(Error)
    expect(impostor.heard()).not.toContain(PASSWORD)
    expect(impostor.heard()).not.toContain('md5')
    expect(impostor.heard()).not.toContain('secret')
  } finally {
    await impostor.close()
  }
})

test('who binds the port of a killed server gets nothing, and the server comes back on another', async () => {
  const bench = new EmbeddedBench()
  const server = await bench.acquire()
  const port = Number(new URL(server.url).port)
  const password = new URL(server.url).password
  const { Client, url, pid } = server
  process.kill(pid, 'SIGKILL')
  const impostor = await pose(port, () => authentication(3))
  try {
    await until('server again', () => query(url, 'select 1 as answer', Client).catch(() => undefined))
    expect(await query(url, 'select 1 as answer', Client)).toEqual([{ answer: 1 }])
    expect(Number(new URL(server.url).port)).not.toBe(port)
    expect(impostor.heard()).not.toContain(password)
  } finally {
    await impostor.close()
    await bench.releaseAll()
    bench.remove()
  }
})
