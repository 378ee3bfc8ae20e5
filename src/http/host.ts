import type { IncomingMessage } from 'node:http'

/**
 * The host that a request says it is for, in lower case and without a port; undefined when it does not say. No
 * X-Forwarded-Host counts: proxies do not add to it as they do to X-Forwarded-For, and one that hands it on as it came
 * would let callers choose.
 */
export function hostOf({ headers: { host } }: IncomingMessage): string | undefined {
  if (host === undefined) return undefined
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))/.exec(host.trim().toLowerCase())!
  return (bracketed ?? plain!).replace(/\.$/, '')
}

/** Whether a request names its host more than once: a proxy in front may have taken another one than this service would. */
export const namesTwoHosts = (request: IncomingMessage): boolean => (request.headersDistinct.host?.length ?? 0) > 1
