import { isIPv6 } from 'node:net'

/** The network that an address is counted for: whoever has an IPv6 address has all those of its /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail = ''] = address.split('::')
  const parts = head.split(':').filter(Boolean)
  const rest = tail.split(':').filter(Boolean)
  const missing = address.includes('::') ? 8 - parts.length - rest.length : 0
  return [...parts, ...Array(Math.max(missing, 0)).fill('0'), ...rest].slice(0, 4).join(':')
}
