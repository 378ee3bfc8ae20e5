import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** The address that a request comes from. */
export type AddressOf = (request: IncomingMessage) => string

const MAPPED = /^::ffff:(?=\d+\.)/i

/**
 * How to tell where requests come from, behind so many proxies (true: whatever the header names first). Each proxy adds to
 * X-Forwarded-For the address that it was called from; what stands there before those that are trusted is anybody's word.
 */
export function addressBehind(proxies: boolean | number): AddressOf {
  return ({ socket, headers }) => {
    const told = proxies ? String(headers['x-forwarded-for'] ?? '').split(',') : []
    const forwarded = told.map((one) => one.trim()).filter(Boolean)
    const hops = [socket.remoteAddress ?? '', ...forwarded.reverse()]
    const known = proxies === true ? hops : hops.slice(0, Number(proxies) + 1)
    const end = known.findIndex((hop) => !isIP(hop))
    return (known[end < 0 ? known.length - 1 : Math.max(end - 1, 0)] ?? '').replace(MAPPED, '')
  }
}

/** What a request tells of its caller, found out when somebody asks. */
export function callerOf(request: IncomingMessage, addressOf: AddressOf) {
  return { address: () => addressOf(request), userAgent: () => request.headers['user-agent'] ?? '' }
}
