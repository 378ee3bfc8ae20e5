import { type Parse, type Read, webUrl } from './values.js'

/** How WhatsApp is reached, and how it is known that Meta tells what comes in. */
export interface WhatsAppSettings {
  /** The Graph API, with its version or without. */
  apiBase: string
  /** With one of them what Meta tells is signed: two while one takes the place of the other. */
  appSecrets: readonly string[]
  /** What Meta says when the address of the webhook is put in. */
  verifyToken?: string
}

/** Secrets with commas between them. */
const secretsOf: Parse<readonly string[]> = (text) => {
  const all = text.split(',').map((secret) => secret.trim())
  return all.every((secret) => /^\S{8,255}$/.test(secret)) ? all : undefined
}

/** Reads the settings of WhatsApp; undefined without an address. */
export function readWhatsApp(read: Read, notices: string[]): WhatsAppSettings | undefined {
  const address = 'an http:// or https:// address such as https://graph.facebook.com'
  const apiBase = read<string | undefined>('WHATSAPP_API_BASE', undefined, webUrl, address)
  const secrets = "the app's secret of at least 8 characters, or several with commas between them"
  const appSecrets = read<readonly string[]>('WHATSAPP_APP_SECRET', [], secretsOf, secrets)
  const verifyToken = read<string | undefined>('WHATSAPP_VERIFY_TOKEN', undefined, String, 'a token')
  if (apiBase !== undefined) {
    if (appSecrets.length === 0) notices.push('without WHATSAPP_APP_SECRET nothing that WhatsApp tells is taken in')
    if (verifyToken === undefined) notices.push('without WHATSAPP_VERIFY_TOKEN the webhook cannot be put in at Meta')
    return { apiBase, appSecrets, ...(verifyToken === undefined ? {} : { verifyToken }) }
  }
  if (appSecrets.length > 0) notices.push('WHATSAPP_APP_SECRET has no effect without WHATSAPP_API_BASE')
  if (verifyToken !== undefined) notices.push('WHATSAPP_VERIFY_TOKEN has no effect without WHATSAPP_API_BASE')
  return undefined
}
