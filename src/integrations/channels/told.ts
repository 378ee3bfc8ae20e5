/** Who a provider says a person is: the digits of a phone, its own id of the user, or both. */
export interface ToldPerson {
  phone?: string
  userId?: string
  name?: string
}

/** A message of a person, as a provider tells it. */
export interface ToldMessage {
  about: 'message'
  /** The provider's id of the message: the same again is the same message. */
  providerId: string
  from: ToldPerson
  groupId?: string
  /** ISO 8601. */
  at: string
  /** What it says, for people to read; never empty. */
  content: string
  /** text, or what else it is, such as image. */
  kind: string
  /** The provider's id of the message that it answers or is about. */
  refersTo?: string
}

/** What became of a message of the account, as a provider tells it. */
export interface ToldReceipt {
  about: 'receipt'
  providerId: string
  status: 'sent' | 'delivered' | 'read' | 'failed'
  /** ISO 8601. */
  at: string
  reason?: string
  recipient: ToldPerson
}

/** What a group is called since a moment, as a provider tells it. */
export interface ToldGroup {
  about: 'group'
  groupId: string
  /** One line; never empty. */
  name: string
  /** ISO 8601. */
  at: string
}

/** One thing that a provider tells of a number. */
export interface Told {
  /** What the provider calls the number. */
  numberId: string
  /** What must stay in order is told under one of these: the things of one person, or of one group. */
  lane: string
  what: ToldMessage | ToldReceipt | ToldGroup
}
