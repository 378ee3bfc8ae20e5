// Made by `npm run schema` out of schema/openapi: change the stored operations instead.

/** A call of an agency that changes something, from its beginning to its end. */
export interface AgencyEvent {
  /** The unique id of the event, as the call was answered with it. */
  id: string
  /** What the call does: `sub_account.create`, `sub_account.channels.update`, `sub_account.delete`, `sub_account.trial.start`, `sub_account.trial.end`. */
  action: string
  /** How far it has come. */
  status: "pending" | "processing" | "processed" | "failed" | "ignored"
  /** How often it was begun, five times at most. */
  attempts: number
  /** The sub-account that it is about; null when there is none. */
  target_account_id: string | null
  /** What the answer held, without a password. `refund` names what was given back of what it had paid: its id, the invoice and the amount. */
  result: Record<string, unknown> | null
  /** The code of the error that it failed with. */
  error_code: string | null
  /** What the last attempt failed for, in words. */
  last_error: string | null
  /** When the call came. */
  received_at: string
  /** When it was last begun. */
  last_attempt_at: string | null
  /** When it came to its end. */
  processed_at: string | null
}

/** What to send: Creates a sub-account for a client, with an admin who can sign in, and charges its billable seats to the card on file for the rest of the cycle. At most five within an hour. */
export interface CreateSubAccountRequest {
  /** The client's name. */
  name: string
  /** The address with which the admin signs in; nobody in the service may have it. */
  admin_email: string
  /** The admin's name; the address if left out. */
  admin_name?: string | null
  /** How your own program calls the sub-account; `ext:` and this can stand for its id from then on. */
  external_ref?: string | null
  /** Seats by channel, charged for the rest of the cycle; none if left out. */
  channels?: {
    /** Seats for LinkedIn. */
    linkedin?: number
    /** Seats for WhatsApp. */
    whatsapp?: number
    /** Seats for Instagram. */
    instagram?: number
    /** Seats for email marketing. */
    email_marketing?: number
  } | null
  /** Whether to be told the admin's temporary password, which works until the admin has chosen another. */
  include_credentials?: boolean | null
}

/** The first admin of a sub-account. */
export interface SubAccountAdmin {
  /** The unique id of the admin's user. */
  id: string
  /** The address with which the admin signs in. */
  email: string
}

/** How many seats a sub-account has in each channel. */
export interface ChannelQuotas {
  /** Seats for LinkedIn. */
  linkedin: number
  /** Seats for WhatsApp. */
  whatsapp: number
  /** Seats for Instagram. */
  instagram: number
  /** Seats for email marketing. */
  email_marketing: number
}

/** Seats of one channel that were paid for. */
export interface BilledChannel {
  /** The channel. */
  channelType: string
  /** How many seats. */
  count: number
}

/** What a creation costs. */
export interface CreationBilling {
  /** What has become of the invoice: `none` without seats, `paid`, or `open` while it waits on the balance. */
  invoiceStatus: string
  /** What this call's seats cost, in the currency's smallest unit. */
  totalCents: number
  /** The ISO 4217 code of the currency. */
  currency: string
  /** When the cycle ends for which the seats are paid. */
  periodEnd: string
  /** The channels that have seats. */
  items: BilledChannel[]
}

/** The trial of a sub-account, while it runs. */
export interface SubAccountTrial {
  /** Always `active`. */
  status: string
  /** When it ends; its seats cost from then on. */
  ends_at: string
  /** The channels that can be had during it. */
  channels: string[]
}

/** A sub-account that was just created. */
export interface CreatedSubAccount {
  /** The unique id of the sub-account, which is its account's. */
  id: string
  /** The client's name. */
  name: string
  /** The name as it may stand in an address; unique in the whole service. */
  slug: string
  /** How your own program calls the sub-account. */
  external_ref: string | null
  /** When it was created. */
  created_at: string
  /** Its first admin. */
  admin: SubAccountAdmin
  /** Its seats by channel. */
  channels: ChannelQuotas
  /** What it costs. */
  billing: CreationBilling
  /** Its trial; none at the beginning. */
  trial: SubAccountTrial | null
  /** The password with which the admin signs in for the first time. It is told this once, and stored nowhere. */
  temporary_password?: string
}

/** What is told in the place of the outcome. */
export interface Pending {
  /** Always `pending`. */
  status: "pending"
}

/** The trace of a sub-account that was deleted. */
export interface DeletedSubAccount {
  /** The id that the sub-account had. */
  id: string
  /** When it was deleted. */
  deleted_at: string
}

/** What to send: Brings the seats of a sub-account to what is sent, by PUT and POST alike; a channel that is left out has none then. More billable seats are charged to the card on file for the rest of the cycle, and a declined card changes nothing; fewer give no credit. */
export interface UpdateSubAccountChannelsRequest {
  /** Seats by channel; a channel that is left out has none then. */
  channels: {
    /** Seats for LinkedIn. */
    linkedin?: number
    /** Seats for WhatsApp. */
    whatsapp?: number
    /** Seats for Instagram. */
    instagram?: number
    /** Seats for email marketing. */
    email_marketing?: number
  }
}

/** What was charged for further seats. */
export interface SeatCharge {
  /** True: the seats can be used. */
  ok: boolean
  /** Whether the amount was collected; one that is too small waits on the balance for the next charge. */
  paid: boolean
  /** What the seats of this call cost, in the currency's smallest unit. */
  chargedCents: number
  /** How many seats more the agency pays for. */
  addedChannels: number
}

/** What a change of channels came to. */
export interface ChangedChannels {
  /** The unique id of the sub-account. */
  id: string
  /** Its seats by channel from now on. */
  channels: ChannelQuotas
  /** How many seats more, or fewer, the agency pays for. */
  delta_channels: number
  /** What was charged; null when nothing was. */
  seat_charge: SeatCharge | null
}

/** What was odd in the request but did not stop it. `Prefer: handling=strict` makes errors of them. */
export type Warnings = Array<{
  field: string
  message: string
}>

/** What getAgencyEvent answers. */
export interface GetAgencyEventAnswer {
  ok: true
  data: AgencyEvent
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What createSubAccount answers. */
export interface CreateSubAccountAnswer {
  ok: true
  /** The id of the event that tells of the call; GET …/events/{event_id} has it. */
  event_id: string
  data: CreatedSubAccount
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What createSubAccount answers, before it is done. */
export interface CreateSubAccountPendingAnswer {
  ok: true
  /** The id of the event that tells of the call; GET …/events/{event_id} has it. */
  event_id: string
  data: Pending
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What deleteSubAccount answers. */
export interface DeleteSubAccountAnswer {
  ok: true
  /** The id of the event that tells of the call; GET …/events/{event_id} has it. */
  event_id: string
  data: DeletedSubAccount
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What deleteSubAccount answers, before it is done. */
export interface DeleteSubAccountPendingAnswer {
  ok: true
  /** The id of the event that tells of the call; GET …/events/{event_id} has it. */
  event_id: string
  data: Pending
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What updateSubAccountChannels answers. */
export interface UpdateSubAccountChannelsAnswer {
  ok: true
  /** The id of the event that tells of the call; GET …/events/{event_id} has it. */
  event_id: string
  data: ChangedChannels
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What updateSubAccountChannels answers, before it is done. */
export interface UpdateSubAccountChannelsPendingAnswer {
  ok: true
  /** The id of the event that tells of the call; GET …/events/{event_id} has it. */
  event_id: string
  data: Pending
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What updateSubAccountChannelsByPost answers. */
export interface UpdateSubAccountChannelsByPostAnswer {
  ok: true
  /** The id of the event that tells of the call; GET …/events/{event_id} has it. */
  event_id: string
  data: ChangedChannels
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}

/** What updateSubAccountChannelsByPost answers, before it is done. */
export interface UpdateSubAccountChannelsByPostPendingAnswer {
  ok: true
  /** The id of the event that tells of the call; GET …/events/{event_id} has it. */
  event_id: string
  data: Pending
  warnings?: Warnings
  /** How many more warnings there are. */
  warnings_omitted?: number
}
