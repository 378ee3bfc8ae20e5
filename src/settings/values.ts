import { isIP } from 'node:net'

/** Makes a value of a setting's text; undefined when it is not one. */
export type Parse<T> = (text: string) => T | undefined

/** Reads the setting of a name; what is not as expected stops the start. */
export type Read = <T>(name: string, fallback: T, parse: Parse<T>, expected: string) => T

/** A whole number of a range. */
export const integer =
  (min: number, max: number): Parse<number> =>
  (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
    return number >= min && number <= max ? number : undefined
  }

/** A number from 0 to 1. */
export const share: Parse<number> = (text) => {
  const number = /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN
  return number <= 1 ? number : undefined
}

/** One of these words. */
export const oneOf =
  <T extends string>(values: readonly T[]): Parse<T> =>
  (text) =>
    values.find((value) => value === text)

/** `true` or `false`. */
export const yesOrNo: Parse<boolean> = (text) => (text === 'true' ? true : text === 'false' ? false : undefined)

/** Which proxies are trusted: all, none or a number of them. */
export const proxies: Parse<boolean | number> = (text) => yesOrNo(text) ?? integer(0, 100)(text)

/** An address with one of these protocols. */
export const urlOf =
  (...protocols: string[]): Parse<string> =>
  (text) =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined

/** An address of the web, without a slash at its end. */
export const webUrl: Parse<string> = (text) => urlOf('http:', 'https:')(text)?.replace(/\/+$/, '')

/** An address of the web that is that of a whole server. */
export const webOrigin: Parse<string> = (text) => {
  const url = webUrl(text)
  return url !== undefined && new URL(url).origin === url ? url : undefined
}

/** A secret key of Stripe's. */
export const stripeKey: Parse<string> = (text) => (/^(sk|rk)_(test|live)_\w+$/.test(text) ? text : undefined)

/** One or more secrets with this prefix, with commas between them. */
export const secrets =
  (prefix: string): Parse<readonly string[]> =>
  (text) => {
    const all = text.split(',').map((secret) => secret.trim())
    return all.every((secret) => secret.startsWith(prefix) && secret.length > prefix.length) ? all : undefined
  }

/** What the address of a database looks like. */
export const POSTGRES_URL =
  'postgres://user:password@host:5432/database (special characters of the password percent-encoded)'

/** Stricter than the drivers, whose complaints about half of an address would help nobody. */
export const postgresUrl: Parse<string> = (text) => {
  const url = urlOf('postgres:', 'postgresql:')(text)
  if (url === undefined || !/^\w+:\/\//.test(url)) return undefined
  const { pathname, username, password } = new URL(url)
  return pathname.length > 1 && [pathname, username, password].every(isDecodable) ? url : undefined
}

/** A key of 32 bytes. */
export const keyOf32Bytes: Parse<Buffer> = (text) => {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  return key.length === 32 && (/^[0-9a-f]{64}$/i.test(text) || /^[\w+/-]{43}=?$/.test(text)) ? key : undefined
}

/** Several values with commas in between, all of which are right. */
export const listOf =
  <T>(parse: Parse<T>): Parse<readonly T[]> =>
  (text) => {
    const values = text.split(',').map((part) => parse(part.trim()))
    return values.every((value) => value !== undefined) ? values : undefined
  }

/** What the address of a mail server looks like. */
export const SMTP_ADDRESS =
  'smtp://user:password@host:587 or smtps://…, with ?tls=optional where STARTTLS may be missing'

/** The address of a mail server, in which nothing is that would have no effect. */
export const smtpUrl: Parse<string> = (text) => {
  const url = urlOf('smtp:', 'smtps:')(text)
  if (url === undefined || !/^\w+:\/\//.test(url)) return undefined
  const { hostname, username, password, pathname, searchParams } = new URL(url)
  const known = [...searchParams].every(
    ([name, value]) => name === 'tls' && (value === 'optional' || value === 'required'),
  )
  const whole = hostname !== '' && /^\/?$/.test(pathname) && known
  return whole && [username, password].every(isDecodable) ? url : undefined
}

/** An IP address or a host name (RFC 1123); whether this machine has it shows when it listens. */
export const hostName: Parse<string> = (text) => {
  const name = text.length <= 253 && text.split('.').every((label) => /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i.test(label))
  // Four numbers are an IP address or nothing.
  return isIP(text) !== 0 || (name && !/^[\d.]+$/.test(text)) ? text : undefined
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
