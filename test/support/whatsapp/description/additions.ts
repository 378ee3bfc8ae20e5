import type { Repair } from './repair.js'

const schema = (name: string) => `/components/schemas/${name}`
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const text = { type: 'string' }

/** The id of a person within a business portfolio: a country and up to 128 letters and digits, for linked portfolios ENT between. */
export const USER_ID = '^[A-Z]{2}\\.(ENT\\.)?[A-Za-z0-9]{1,128}$'
const userId = { type: 'string', pattern: USER_ID }

/** What has come since v23.0 was described, by Meta's pages on business-scoped user ids, groups, and edited and revoked messages. */
export const ADDITIONS: readonly Repair[] = [
  {
    name: 'a message is sent to a phone or to a user id',
    why: 'A user id stands in `recipient`; `to`, where both are, goes before it.',
    changes: [
      { without: `${schema('BaseMessageProperties')}/required`, value: 'to' },
      { set: `${schema('BaseMessageProperties')}/properties/recipient`, value: userId },
      {
        set: `${schema('BaseMessageProperties')}/anyOf`,
        value: [{ required: ['to'] }, { required: ['recipient'] }],
      },
    ],
  },
  {
    name: 'a sender is a phone, a user id or both',
    why: '`from` is left out where the phone is hidden, and `from_user_id` is always there.',
    changes: [
      { without: `${schema('IncomingMessageProperties')}/required`, value: 'from' },
      { set: `${schema('IncomingMessageProperties')}/properties/from_user_id`, value: userId },
      {
        set: `${schema('IncomingMessageProperties')}/anyOf`,
        value: [{ required: ['from'] }, { required: ['from_user_id'] }],
      },
    ],
  },
  {
    name: 'the card of a sender has a user id',
    why: '`user_id` stands beside `wa_id`, which is left out where the phone is hidden; who has chosen a name has it in `username`.',
    changes: [
      { set: `${schema('ContactProfile')}/properties/user_id`, value: userId },
      { set: `${schema('ContactProfile')}/properties/profile/properties/username`, value: text },
    ],
  },
  {
    name: 'receipts tell of a user id',
    why: '`recipient_user_id` stands beside `recipient_id`, which is left out where the phone is not known.',
    changes: [
      { without: `${schema('Statuses')}/required`, value: 'recipient_id' },
      { set: `${schema('Statuses')}/properties/recipient_user_id`, value: userId },
      {
        set: `${schema('Statuses')}/anyOf`,
        value: [{ required: ['recipient_id'] }, { required: ['recipient_user_id'] }],
      },
    ],
  },
  {
    name: 'an answer says to whom a message goes',
    why: '`user_id` is there when it was sent to one, `wa_id` when it was sent to a phone; and all three parts always are.',
    changes: [
      { set: `${schema('MessageResponsePayload')}/required`, value: ['messaging_product', 'contacts', 'messages'] },
      { set: `${schema('MessageResponsePayload')}/properties/contacts/items/properties/user_id`, value: userId },
    ],
  },
  {
    name: 'messages in groups',
    why: 'They carry `group_id`, and receipts of theirs say that the recipient is one.',
    changes: [
      { set: `${schema('IncomingMessageProperties')}/properties/group_id`, value: text },
      {
        set: `${schema('Statuses')}/properties/recipient_type`,
        value: { type: 'string', enum: ['individual', 'group'] },
      },
    ],
  },
  {
    name: 'what cannot be done with a group',
    why: 'A group that was not made, and a subject that was not taken, are told in the same webhooks, with the errors.',
    changes: [
      { set: `${schema('Groups')}/properties/errors`, value: { type: 'array', items: ref('ErrorObject') } },
      {
        set: `${schema('Groups')}/properties/group_subject`,
        value: {
          type: 'object',
          additionalProperties: false,
          required: ['text', 'update_successful'],
          properties: {
            text: { type: 'string', maxLength: 128 },
            update_successful: { type: 'boolean' },
            errors: { type: 'array', items: ref('ErrorObject') },
          },
        },
      },
    ],
  },
  {
    name: 'how a group is joined',
    why: 'The webhook of a new group has the link that invites into it, and whether whoever follows it must be let in.',
    changes: [
      { set: `${schema('Groups')}/properties/invite_link`, value: text },
      {
        set: `${schema('Groups')}/properties/join_approval_mode`,
        value: { type: 'string', enum: ['auto_approve', 'approval_required'] },
      },
    ],
  },
  {
    name: 'groups are closed',
    why: 'They take any field, so that a misspelt one would pass.',
    changes: [{ set: `${schema('Groups')}/additionalProperties`, value: false }],
  },
  {
    name: 'messages that were changed',
    why: 'Numbers that are used in the WhatsApp Business app too are told of messages that their writer has changed.',
    changes: [
      {
        set: schema('EditMessage'),
        value: {
          allOf: [
            ref('IncomingMessageProperties'),
            {
              type: 'object',
              required: ['edit'],
              properties: {
                type: { type: 'string', enum: ['edit'] },
                edit: {
                  type: 'object',
                  required: ['original_message_id', 'message'],
                  properties: {
                    original_message_id: text,
                    message: { type: 'object', required: ['type'], properties: { type: text } },
                  },
                },
              },
            },
          ],
          unevaluatedProperties: false,
        },
      },
      { set: `${schema('IncomingMessage')}/oneOf/-`, value: ref('EditMessage') },
    ],
  },
  {
    name: 'messages that were taken back',
    why: 'The same numbers are told of messages that their writer has deleted for everyone.',
    changes: [
      {
        set: schema('RevokeMessage'),
        value: {
          allOf: [
            ref('IncomingMessageProperties'),
            {
              type: 'object',
              required: ['revoke'],
              properties: {
                type: { type: 'string', enum: ['revoke'] },
                revoke: {
                  type: 'object',
                  required: ['original_message_id'],
                  properties: { original_message_id: text },
                },
              },
            },
          ],
          unevaluatedProperties: false,
        },
      },
      { set: `${schema('IncomingMessage')}/oneOf/-`, value: ref('RevokeMessage') },
    ],
  },
]
