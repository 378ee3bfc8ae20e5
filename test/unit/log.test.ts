import { createLogger } from '../../src/http/index.js'

/** What the log writes of an error. */
function logged(err: Error): Record<string, unknown> {
  let text = ''
  const write = (line: string) => {
    text += line
  }
  createLogger('info', { write }).error({ err }, 'failed')
  return JSON.parse(text).err
}

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
