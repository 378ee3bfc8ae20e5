import type { IncomingMessage } from 'node:http'
import { addressBehind } from '../../src/http/index.js'

const from = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage

test.each<[boolean | number, string | undefined, string | undefined, string]>([
  [false, '10.0.0.1', '1.1.1.1', '10.0.0.1'],
  [0, '10.0.0.1', '1.1.1.1', '10.0.0.1'],
  [1, '10.0.0.1', '9.9.9.9, 1.1.1.1', '1.1.1.1'],
  [2, '10.0.0.1', '9.9.9.9, 1.1.1.1', '9.9.9.9'],
  [5, '10.0.0.1', '9.9.9.9,1.1.1.1', '9.9.9.9'],
  [true, '10.0.0.1', '9.9.9.9, 1.1.1.1', '9.9.9.9'],
  [true, '10.0.0.1', undefined, '10.0.0.1'],
  [true, '10.0.0.1', 'somebody, 1.1.1.1', '1.1.1.1'],
  [1, '10.0.0.1', '<script>', '10.0.0.1'],
  [1, '::ffff:10.0.0.1', '2001:db8::1', '2001:db8::1'],
  [false, '::ffff:10.0.0.1', undefined, '10.0.0.1'],
  [true, undefined, '1.1.1.1', ''],
])('behind %s proxies a call from %s with X-Forwarded-For %j comes from %s', (proxies, remote, forwarded, address) => {
  expect(addressBehind(proxies)(from(remote, forwarded))).toBe(address)
})
