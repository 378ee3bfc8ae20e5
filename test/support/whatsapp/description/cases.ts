/** A value of ours that the repaired description must take or refuse, where Meta's examples decide nothing. */
export interface Case {
  name: string
  schema: string
  value: unknown
  fits: boolean
}

const SEND = '/components/schemas/Message'
const TOLD = '/components/schemas/WebhookPayload'
const ANSWER = '/components/schemas/MessageResponsePayload'
const metadata = { display_phone_number: '15550783881', phone_number_id: '106540352242922' }
const USER = 'BR.13491208655302741918'

const told = (value: object, field = 'messages') => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '1', changes: [{ field, value: { messaging_product: 'whatsapp', metadata, ...value } }] }],
})
const came = (message: object, contact: object = { wa_id: '16505551234' }) =>
  told({
    contacts: [{ profile: { name: 'Sheena' }, ...contact }],
    messages: [{ id: 'wamid.1', timestamp: '1750000000', from: '16505551234', ...message }],
  })
const grouped = (group: object) => told({ groups: [group] }, 'group_lifecycle_update')
const made = { group_id: 'Y2F', timestamp: '1750000000', type: 'group_create', request_id: 'A1', subject: 'Buyers' }
const changed = { group_id: 'Y2F', timestamp: '1750000000', type: 'group_settings_update', request_id: 'A2' }
const INVITES = { invite_link: 'https://chat.whatsapp.com/A', join_approval_mode: 'auto_approve' }
const FAULT = { code: 131201, title: 'Invalid subject', message: 'Invalid subject' }
const hello = { type: 'text', text: { body: 'Hello' } }
const receipt = { id: 'wamid.1', status: 'read', timestamp: '1750000000' }
const replied = (interactive: object) =>
  came({ type: 'interactive', context: { from: '1', id: 'wamid.0' }, interactive })
const sent = { messaging_product: 'whatsapp', ...hello }
const answer = { messaging_product: 'whatsapp', messages: [{ id: 'wamid.1' }] }

/** What no example of Meta's decides: the additions, and that what is closed stays so. */
export const CASES: readonly Case[] = [
  { name: 'a message to a user id', schema: SEND, value: { ...sent, recipient: USER }, fits: true },
  { name: 'a message to a phone', schema: SEND, value: { ...sent, to: '16505551234' }, fits: true },
  { name: 'a message to nobody', schema: SEND, value: sent, fits: false },
  { name: 'a phone as a recipient', schema: SEND, value: { ...sent, recipient: '16505551234' }, fits: false },
  { name: 'a message with a field too many', schema: SEND, value: { ...sent, to: '1', urgent: true }, fits: false },
  {
    name: 'a message of another product',
    schema: SEND,
    value: { ...sent, to: '1', messaging_product: 'x' },
    fits: false,
  },
  {
    name: 'a message of a user id alone',
    schema: TOLD,
    value: came({ ...hello, from: undefined, from_user_id: USER }),
    fits: true,
  },
  { name: 'a message of nobody', schema: TOLD, value: came({ ...hello, from: undefined }), fits: false },
  { name: 'a sender with a user id', schema: TOLD, value: came(hello, { user_id: USER }), fits: true },
  { name: 'a sender with a misspelt id', schema: TOLD, value: came(hello, { userid: USER }), fits: false },
  {
    name: 'a receipt of a user id',
    schema: TOLD,
    value: told({ statuses: [{ ...receipt, recipient_user_id: USER }] }),
    fits: true,
  },
  { name: 'a receipt of nobody', schema: TOLD, value: told({ statuses: [receipt] }), fits: false },
  {
    name: 'a receipt with a misspelt field',
    schema: TOLD,
    value: told({ statuses: [{ ...receipt, recipient_id: '1', recipientid: '1' }] }),
    fits: false,
  },
  { name: 'a message in a group', schema: TOLD, value: came({ ...hello, group_id: 'Y2FwaV9ncm91cD' }), fits: true },
  {
    name: 'a receipt of a group',
    schema: TOLD,
    value: told({ statuses: [{ ...receipt, recipient_id: 'Y2F', recipient_type: 'group' }] }),
    fits: true,
  },
  { name: 'a new group', schema: TOLD, value: grouped({ ...made, ...INVITES }), fits: true },
  { name: 'a new group with a misspelt subject', schema: TOLD, value: grouped({ ...made, subjet: 'A' }), fits: false },
  { name: 'a new group without its id', schema: TOLD, value: grouped({ ...made, group_id: undefined }), fits: false },
  { name: 'a group that was not made', schema: TOLD, value: grouped({ ...made, errors: [FAULT] }), fits: true },
  {
    name: 'a group with another subject',
    schema: TOLD,
    value: grouped({ ...changed, group_subject: { text: 'Sellers', update_successful: true } }),
    fits: true,
  },
  {
    name: 'a subject of which nobody says whether it was taken',
    schema: TOLD,
    value: grouped({ ...changed, group_subject: { text: 'Sellers' } }),
    fits: false,
  },
  {
    name: 'a changed message',
    schema: TOLD,
    value: came({ type: 'edit', edit: { original_message_id: 'wamid.0', message: hello } }),
    fits: true,
  },
  {
    name: 'a message that was taken back',
    schema: TOLD,
    value: came({ type: 'revoke', revoke: { original_message_id: 'wamid.0' } }),
    fits: true,
  },
  { name: 'a reply without its content', schema: TOLD, value: replied({ type: 'list_reply' }), fits: false },
  {
    name: 'a reply with its content',
    schema: TOLD,
    value: replied({ type: 'button_reply', button_reply: { id: '1', title: 'Yes' } }),
    fits: true,
  },
  { name: 'a text that says it is an image', schema: TOLD, value: came({ ...hello, type: 'image' }), fits: false },
  {
    name: 'an answer to a user id',
    schema: ANSWER,
    value: { ...answer, contacts: [{ input: USER, user_id: USER }] },
    fits: true,
  },
  {
    name: 'an answer with an id that is none',
    schema: ANSWER,
    value: { ...answer, contacts: [{ input: '1', user_id: '1' }] },
    fits: false,
  },
  { name: 'an answer without whom it goes to', schema: ANSWER, value: answer, fits: false },
]
