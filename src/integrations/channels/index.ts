export {
  type Addressee,
  CHANNEL_KINDS,
  type ChannelKind,
  type Channels,
  type Checked,
  type Line,
  type MessagingChannel,
  type Outgoing,
  type Sent,
  type Template,
} from './channel.js'
export { REVOKED_TOKEN, SANDBOX_ENDINGS, SandboxChannel } from './sandbox.js'
export type { Told, ToldGroup, ToldMessage, ToldPerson, ToldReceipt } from './told.js'
export { WhatsAppChannel } from './whatsapp/index.js'
export { isSigned, readWebhook } from './whatsapp/webhook.js'
