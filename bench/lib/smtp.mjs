// A mail server on this machine, a process of its own: takes every mail and counts. Tells its port; then, for each message
// {expect: n}, when so many more have come.
import { SMTPServer } from 'smtp-server'

let received = 0
let expected
const told = () => {
  if (expected === undefined || received < expected) return
  expected = undefined
  process.send({ arrived: true })
}
const server = new SMTPServer({
  logger: false,
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  disableReverseLookup: true,
  onData: (stream, _session, done) => {
    stream.on('data', () => {})
    stream.on('end', () => {
      done()
      received++
      told()
    })
  },
})
server.on('error', () => {})
server.listen(0, '127.0.0.1', () => process.send({ port: server.server.address().port }))
process.on('message', ({ expect }) => {
  expected = received + expect
  told()
})
