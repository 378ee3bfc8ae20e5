import { databaseFailure } from '../../src/database/index.js'
import { createLogger, FailureLog } from '../../src/http/index.js'

/** The lines that are logged by what somebody does with the logger. */
function linesOf(work: (logger: ReturnType<typeof createLogger>) => void): Record<string, unknown>[] {
  const lines: string[] = []
  work(createLogger('info', { write: (line: string) => void lines.push(line) }))
  return lines.map((line) => JSON.parse(line))
}

/** What the log writes of an error. */
const logged = (err: Error) => linesOf((logger) => logger.error({ err }, 'failed'))[0]!.err as Record<string, unknown>

const failure = (code: string, message: string) => Object.assign(new Error(message), { code })

test('of an error of the database its kind is logged, and neither its connection nor the values concerned', () => {
  const error = Object.assign(new Error('duplicate key value violates unique constraint "contact_email"'), {
    code: '23505',
    constraint: 'contact_email',
    detail: 'Key (email)=(ana@example.com) already exists.',
    client: { connectionParameters: { host: 'db.internal' } },
  })
  const { stack, ...told } = logged(new Error('not stored', { cause: error }))
  expect(told).toEqual({ type: 'Error', message: expect.stringMatching(/^not stored: duplicate key/) })
  expect(stack).toMatch(/caused by: Error: duplicate key/)
  expect(logged(error)).toEqual({
    type: 'Error',
    message: error.message,
    stack: error.stack,
    code: '23505',
    constraint: 'contact_email',
  })
})

test.each([
  ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432'],
  ['53100', 'could not extend file "base/5/2619": No space left on device'],
  ['57P01', 'terminating connection due to administrator command'],
  ['25006', 'cannot execute INSERT in a read-only transaction'],
])('a database that is away (%s) is told in the line of the answer, or in one without a stack', (code, message) => {
  const error = new Error('not stored', { cause: failure(code, message) })
  expect(databaseFailure(error)?.status).toBe(503)
  const { stack, ...told } = logged(error)
  expect([stack, told.message]).toEqual([undefined, `not stored: ${message}`])
  const lines = linesOf((logger) => {
    const failures = new FailureLog(logger)
    failures.tell(error, 'one')
    expect([failures.take('other'), failures.take('one'), failures.take('one')]).toEqual([
      undefined,
      `${code}: ${message}`,
      undefined,
    ])
    failures.tell(error)
  })
  expect(lines).toEqual([expect.objectContaining({ level: 'error', msg: 'the database is away' })])
})

test('what only a bug explains has a line of its own, with the request and a stack', () => {
  const lines = linesOf((logger) => {
    const failures = new FailureLog(logger)
    failures.tell(new TypeError('x is not a function'), 'one')
    expect(failures.take('one')).toBeUndefined()
  })
  expect(lines).toMatchObject([{ msg: 'unexpected error', requestId: 'one', err: { stack: expect.any(String) } }])
})
