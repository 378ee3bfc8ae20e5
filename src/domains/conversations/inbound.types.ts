/** Who a provider says a person is: a phone in digits or E.164, its own user id, or both. */
export interface Person {
  phone?: string
  userId?: string
  name?: string
}

/** What a person sent, as a webhook tells it. */
export interface InboundMessage {
  channelAccountId: string
  /** The provider's id of the message: the same again is the same message. */
  providerId: string
  from: Person
  /** The provider's id of the group that it was sent to. */
  groupId?: string
  groupName?: string
  /** When it was sent, as the provider tells, which may count in whole seconds. */
  at: Date
  /** What it says, for people to read, whatever kind it is. */
  content: string
  /** text, or what else it is, such as image. */
  kind: string
  /** The provider's id of the message that it answers or is about. */
  refersTo?: string
}

/** What a group is called, as a webhook tells it. */
export interface GroupName {
  channelAccountId: string
  /** The provider's id of the group. */
  groupId: string
  name: string
  /** Since when, as the provider tells, which may count in whole seconds. */
  at: Date
}

/** What was recorded. */
export interface RecordedMessage {
  messageId: string
  conversationId: string
  /** False of one that was recorded before. */
  isNew: boolean
}

/** What a provider tells of a message that it was handed. */
export interface Receipt {
  channelAccountId: string
  providerId: string
  status: 'sent' | 'delivered' | 'read' | 'failed'
  at: Date
  /** Why it failed. */
  reason?: string
  /** Whom it went to, where the provider tells. */
  recipient?: Person
}
