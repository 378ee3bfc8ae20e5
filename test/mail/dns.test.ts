import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { DnsDomainKeys } from '../../src/integrations/dns/index.js'

// A name server of one record for each name, which says of a name that it does not know that there is none, and nothing at
// all of `silent.example`.
const RECORDS: Readonly<Record<string, string>> = {
  'right.example': `v=DKIM1; k=rsa; p=${'Ab1+/'.repeat(70)}==`,
  'spaced.example': `v=DKIM1; p = ${'Ab1+/'.repeat(70).replace(/(.{40})/g, '$1 ')}==`,
  'other.example': 'v=DKIM1; k=rsa; p=other',
  'revoked.example': 'v=DKIM1; p=',
}
const KEY = `${'Ab1+/'.repeat(70)}==`

let server: Socket
let keys: DnsDomainKeys
beforeAll(async () => {
  server = createSocket('udp4', (query, { port, address }) => {
    const answer = answerTo(query)
    if (answer) server.send(answer, port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  keys = new DnsDomainKeys([`127.0.0.1:${server.address().port}`])
})
afterAll(async () => {
  server.close()
  await once(server, 'close')
})

/** An answer by RFC 1035: the question again, and a TXT record of texts of at most 255 bytes. */
function answerTo(query: Buffer): Buffer | undefined {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const name = labels.join('.')
  if (name === 'silent.example') return undefined
  const question = query.subarray(12, at + 5)
  const text = RECORDS[name]
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(text === undefined ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(text === undefined ? 0 : 1, 6)
  header.fill(0, 8)
  if (text === undefined) return Buffer.concat([header, question])
  const parts = (text.match(/.{1,255}/g) ?? ['']).map((part) =>
    Buffer.concat([Buffer.of(part.length), Buffer.from(part)]),
  )
  const data = Buffer.concat(parts)
  const record = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, data.length >> 8, data.length & 255])
  return Buffer.concat([header, question, record, data])
}

test.each([
  ['right.example', 'published'],
  ['spaced.example', 'published'],
  ['other.example', 'other'],
  ['revoked.example', 'other'],
  ['none.example', 'missing'],
  ['silent.example', 'unknown'],
])('the record of %s: %s', async (name, says) => {
  expect(await keys.look(name, KEY)).toBe(says)
})
