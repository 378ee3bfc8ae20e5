/** The kinds of channels that messages go through. */
export const CHANNEL_KINDS = ['whatsapp', 'instagram', 'linkedin'] as const

/** One of them. */
export type ChannelKind = (typeof CHANNEL_KINDS)[number]

/** What a message goes out from: the provider's id of a number or profile, and the token that opens it for this call. */
export interface Line {
  kind: ChannelKind
  numberId: string
  token: string
}

/**
 * Whom a message is for: a phone in the digits of E.164, the provider's id of a user, which is unique within a business
 * portfolio, or that of a group.
 */
export type Addressee = { phone: string } | { userId: string } | { groupId: string }

/** An approved template, with the values of its parameters in their order. */
export interface Template {
  name: string
  /** As the provider names languages, such as pt_BR. */
  language: string
  parameters: readonly string[]
}

/** What is to be sent. */
export type Outgoing =
  /** `replyTo` is the provider's id of the message that it answers. */
  { kind: 'text'; text: string; replyTo?: string } | ({ kind: 'template' } & Template)

/** What became of a message; the reasons are for people to read. */
export type Sent =
  /** The provider has taken it, under its own id, and may tell who the person is. */
  | { outcome: 'accepted'; messageId: string; userId?: string; phone?: string }
  /** It will never be taken as it is; `ourFault` where a token, a template or a setting has to be mended. */
  | { outcome: 'refused'; reason: string; code?: number; ourFault?: boolean }
  /** The person has not written for so long that only a template may go. */
  | { outcome: 'window closed'; reason: string }
  /** It was surely not sent, and may be another time. */
  | { outcome: 'later'; reason: string; retryAfterMs?: number }
  /** It was handed over, and no answer came: it may have been sent. It is not sent again by itself. */
  | { outcome: 'unknown'; reason: string }

/** What a provider says of a line. */
export type Checked =
  /** The token opens it; `address` is what people know it by, such as its phone number. */
  | { outcome: 'connected'; address?: string; name?: string; portfolioId?: string }
  | { outcome: 'refused'; reason: string }
  /** The provider could not be asked just now. */
  | { outcome: 'later'; reason: string }

/** A provider of messages between the account and people. */
export interface MessagingChannel {
  /** Whether whoever has not written within the last 24 hours gets approved templates alone. */
  readonly hasWindow: boolean
  /** Hands a message over once, and tells what became of it within a minute; never throws for what the provider does. */
  send(line: Line, to: Addressee, message: Outgoing): Promise<Sent>
  /** Asks whether a token opens a line, without sending anything. */
  check(line: Line): Promise<Checked>
  /** Lets go of what it holds. */
  close(): void
}

/** The providers by the kinds of channels. */
export type Channels = Readonly<Record<ChannelKind, MessagingChannel>>
