import { sourceFiles } from './sources.js'

// See http/by-request.ts: what a request referred to would grow old with it. That cost a call of /graphql 13 KiB of old objects.
const KEYED_BY_A_CALL = /Weak(?:Map|Set)<(?:\w*Request|\w*Response|IncomingMessage|Context|Scope|Exchange|Turn)\b/

test('nothing that ends with a call is a key of a WeakMap', () => {
  expect(sourceFiles().filter(({ text }) => KEYED_BY_A_CALL.test(text))).toEqual([])
  expect('new WeakMap<Request, Context>()').toMatch(KEYED_BY_A_CALL)
})
