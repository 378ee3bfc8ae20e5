import type { Change, Repair } from './repair.js'

const schema = (name: string) => `/components/schemas/${name}`
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const text = { type: 'string' }

/** Kinds of messages that people send and that Meta describes only as ones that a business sends, with what they hold. */
const OWN: Readonly<Record<string, [kind: string, holds: object]>> = {
  IncomingText: ['text', { type: 'object', required: ['body'], properties: { body: text } }],
  IncomingReaction: [
    'reaction',
    { type: 'object', required: ['message_id'], properties: { message_id: text, emoji: text } },
  ],
  ...Object.fromEntries(
    ['audio', 'document', 'image', 'sticker', 'video'].map((kind) => [
      `Incoming${kind[0]!.toUpperCase()}${kind.slice(1)}`,
      [kind, ref('IncomingMedia')],
    ]),
  ),
  IncomingLocation: [
    'location',
    {
      type: 'object',
      required: ['latitude', 'longitude'],
      properties: { latitude: { type: 'number' }, longitude: { type: 'number' }, name: text, address: text, url: text },
    },
  ],
  IncomingContacts: ['contacts', { type: 'array', items: ref('ContactObject') }],
}

/** Kinds that only people send: of what they hold Meta has a schema, around it that of what a business sends. */
const THEIRS = ['ButtonMessage', 'InteractiveMessageReply', 'OrderMessage', 'UnsupportedMessage', 'SystemMessage']

const around = (kind: string, holds: object) => ({
  allOf: [
    ref('IncomingMessageProperties'),
    { type: 'object', required: [kind], properties: { type: { type: 'string', enum: [kind] }, [kind]: holds } },
  ],
  unevaluatedProperties: false,
})

const closedAround = (name: string): Change[] => [
  { set: `${schema(name)}/allOf/0`, value: ref('IncomingMessageProperties') },
  { set: `${schema(name)}/unevaluatedProperties`, value: false },
]

/** What Meta tells by webhook: where the schemas refuse what Meta's own examples tell. */
export const TELLING: readonly Repair[] = [
  {
    name: 'messages of people are not messages of a business',
    why: 'A message that came in is described as one to be sent: it would need `to` and must not have `from`, `id` and `timestamp`, which each example has. What is around it is described anew, and closed as a whole.',
    changes: [
      {
        set: schema('IncomingMessageProperties'),
        value: {
          type: 'object',
          required: ['from', 'id', 'timestamp', 'type'],
          properties: {
            from: text,
            id: text,
            timestamp: { type: 'string', pattern: '^[0-9]+$' },
            type: text,
            context: {
              type: 'object',
              properties: {
                from: text,
                id: text,
                forwarded: { type: 'boolean' },
                frequently_forwarded: { type: 'boolean' },
                referred_product: { type: 'object' },
              },
            },
            referral: { type: 'object', required: ['source_url', 'source_type'] },
          },
        },
      },
      {
        set: schema('IncomingMedia'),
        value: {
          type: 'object',
          required: ['id', 'mime_type'],
          properties: { id: text, mime_type: text, sha256: text, caption: text, filename: text, url: text },
        },
      },
      ...Object.entries(OWN).map(([name, [kind, holds]]) => ({ set: schema(name), value: around(kind, holds) })),
      ...THEIRS.flatMap(closedAround),
      {
        set: `${schema('IncomingMessage')}/oneOf`,
        value: [...Object.keys(OWN), ...THEIRS.filter((name) => name !== 'SystemMessage')].map(ref),
      },
    ],
  },
  {
    name: 'what was chosen from a list or of buttons',
    why: 'The discriminator names two schemas that the description does not have, so that a reply without its content fits.',
    changes: [
      {
        set: `${schema('InteractiveMessageReply')}/allOf/1/properties/interactive`,
        value: {
          type: 'object',
          additionalProperties: false,
          required: ['type'],
          properties: {
            type: { type: 'string', enum: ['list_reply', 'button_reply'] },
            list_reply: {
              type: 'object',
              required: ['id', 'title'],
              properties: { id: text, title: text, description: text },
            },
            button_reply: { type: 'object', required: ['id', 'title'], properties: { id: text, title: text } },
          },
          oneOf: [{ required: ['list_reply'] }, { required: ['button_reply'] }],
        },
      },
    ],
  },
  {
    name: 'errors of messages have no type',
    why: '`type` belongs to errors of calls; those within messages have a title.',
    changes: [
      { set: `${schema('ErrorObject')}/required`, value: ['code', 'title'] },
      { set: `${schema('ErrorObject')}/properties/title`, value: text },
    ],
  },
  {
    name: 'phones of contacts of further kinds',
    why: 'People share what their address book has: the example says `MOBILE`, others that are met `CELL`, `MAIN`, `IPHONE`.',
    changes: ['MOBILE', 'CELL', 'MAIN', 'IPHONE'].map((kind) => ({
      set: `${schema('PhoneObject')}/properties/type/enum/-`,
      value: kind,
    })),
  },
  {
    name: 'moments of groups are texts',
    why: 'As everywhere in webhooks, the examples have seconds as a text, the schema as an integer.',
    changes: [{ set: `${schema('Groups')}/properties/timestamp`, value: { type: ['string', 'integer'] } }],
  },
  {
    name: 'participants of groups are numbers too',
    why: 'The examples have their phones without quotes.',
    changes: ['input', 'wa_id'].map((field) => ({
      set: `${schema('GroupParticipant')}/properties/${field}/type`,
      value: ['string', 'integer'],
    })),
  },
  {
    name: 'participants are many',
    why: 'The field is `group_participants_update` in the example and in what is sent.',
    changes: [{ set: `${schema('Change')}/properties/field/enum/-`, value: 'group_participants_update' }],
  },
  {
    name: 'receipts are closed',
    why: 'They take any field, so that a misspelt one would pass.',
    changes: [{ set: `${schema('Statuses')}/additionalProperties`, value: false }],
  },
  {
    name: 'senders are closed',
    why: 'They take any field, so that a misspelt one would pass.',
    changes: [{ set: `${schema('ContactProfile')}/additionalProperties`, value: false }],
  },
]
