import type { Change, Repair } from './repair.js'

/** Messages whose own part forbids all fields but its own, among them those that it has from the common part. */
const CLOSED = [
  'Text',
  'Audio',
  'Document',
  'Image',
  'Location',
  'Video',
  'Sticker',
  'Reaction',
  'Interactive',
  'Contacts',
]

const schema = (name: string) => `/components/schemas/${name}`

const closedAsAWhole = (name: string): Change[] => [
  { remove: `${schema(name)}/allOf/1/additionalProperties` },
  { set: `${schema(name)}/unevaluatedProperties`, value: false },
]

const MESSAGES = '/paths/~1{Version}~1{Phone-Number-ID}~1messages/post'
const JSON_OF = 'content/application~1json'

/** What a business sends: where the schemas refuse what Meta's own examples send. */
export const SENDING: readonly Repair[] = [
  {
    name: 'messages are closed as a whole',
    why: '`additionalProperties: false` in a part of `allOf` sees the fields of the other part as additional ones, so that no message at all fits; `unevaluatedProperties` (JSON Schema 2019-09) sees them all. Template messages, which were open, fit several branches of the `oneOf`.',
    changes: [
      ...CLOSED.flatMap((name) => closedAsAWhole(`${name}Message`)),
      { set: `${schema('TemplateMessage')}/unevaluatedProperties`, value: false },
    ],
  },
  {
    name: 'recipient_type may be left out',
    why: 'It is `individual` then, as in "Send Test Message" and "Send Contact Message".',
    changes: [{ without: `${schema('BaseMessageProperties')}/required`, value: 'recipient_type' }],
  },
  {
    name: 'the type may be left out',
    why: 'It is `text` then, or what the message holds, as in "Send Text Message with Preview URL" and "Send Reply to List Message".',
    changes: [{ without: `${schema('BaseMessageProperties')}/required`, value: 'type' }],
  },
  {
    name: 'links are not addresses by format',
    why: 'Examples have placeholders there, such as `<http(s)://audio-url>`; that a link is one is checked by who fetches it.',
    changes: [{ remove: `${schema('MediaObject')}/oneOf/1/properties/link/format` }],
  },
  {
    name: 'places are numbers too',
    why: 'The examples of both directions have latitude and longitude as numbers, the schema as strings alone.',
    changes: ['latitude', 'longitude'].map((axis) => ({
      set: `${schema('LocationMessage')}/allOf/1/properties/location/properties/${axis}/type`,
      value: ['number', 'string'],
    })),
  },
  {
    name: 'the language policy may be left out',
    why: '`deterministic` is the only one there is, and most examples do not say it.',
    changes: [{ set: `${schema('LanguageObject')}/required`, value: ['code'] }],
  },
  {
    name: 'buttons of templates are counted from 0',
    why: 'The pattern `^[2-6, 11-14]$` is a range of lines that slipped in from a text; examples count from "0" and 0.',
    changes: [
      {
        set: `${schema('TemplateComponent')}/properties/index`,
        value: { type: ['string', 'integer'], pattern: '^[0-9]$', minimum: 0, maximum: 9 },
      },
    ],
  },
  {
    name: 'buttons of templates of all kinds',
    why: '`flow` is missing, and the catalogue example writes its kind in capitals.',
    changes: [
      {
        set: `${schema('TemplateComponent')}/properties/sub_type/enum`,
        value: ['quick_reply', 'url', 'catalog', 'flow', 'CATALOG'],
      },
    ],
  },
  {
    name: 'orders are interactive too',
    why: 'Messages of payments (`order_details`, `order_status`) have examples and no schema.',
    changes: [
      { set: `${schema('InteractiveObject')}/properties/type/enum/-`, value: 'order_details' },
      { set: `${schema('InteractiveObject')}/properties/type/enum/-`, value: 'order_status' },
      {
        set: `${schema('ActionObject')}/oneOf/-`,
        value: {
          required: ['name', 'parameters'],
          properties: {
            name: { type: 'string', enum: ['review_and_pay', 'review_order'] },
            parameters: { type: 'object', required: ['reference_id', 'order'] },
          },
        },
      },
    ],
  },
  {
    name: 'a placeholder for the kind of a header',
    why: '`<HEADER_TYPE>` stands for one of the kinds; the header of the example has a text.',
    changes: [
      {
        set: `${MESSAGES}/requestBody/${JSON_OF}/examples/Send Multi-Product Message/value/interactive/header/type`,
        value: 'text',
      },
    ],
  },
  {
    name: 'marks of having read',
    why: 'They are sent to the same address as messages, have an example and no schema.',
    changes: [
      {
        set: schema('ReadMark'),
        value: {
          type: 'object',
          required: ['messaging_product', 'status', 'message_id'],
          additionalProperties: false,
          properties: {
            messaging_product: { type: 'string', enum: ['whatsapp'] },
            status: { type: 'string', enum: ['read'] },
            message_id: { type: 'string' },
            typing_indicator: {
              type: 'object',
              required: ['type'],
              properties: { type: { type: 'string', enum: ['text'] } },
            },
          },
        },
      },
      { set: `${schema('Message')}/oneOf/-`, value: { $ref: '#/components/schemas/ReadMark' } },
    ],
  },
  {
    name: 'marks of having read are answered shortly',
    why: 'The example of the answer to one is `{"success": true}`, and the schema has answers to messages alone.',
    changes: [
      {
        set: `${MESSAGES}/responses/200/${JSON_OF}/schema`,
        value: {
          anyOf: [
            { $ref: '#/components/schemas/MessageResponsePayload' },
            { $ref: '#/components/schemas/SuccessResponse' },
          ],
        },
      },
    ],
  },
  {
    name: 'states of numbers that are not known yet',
    why: 'An example of the list of numbers has `UNKNOWN` and `NOT_VERIFIED`.',
    changes: [
      { set: `${schema('WhatsAppPhoneNumberQualityRating')}/enum/-`, value: 'UNKNOWN' },
      { set: `${schema('WhatsAppCodeVerificationStatus')}/enum/-`, value: 'NOT_VERIFIED' },
    ],
  },
  {
    name: 'the product is WhatsApp',
    why: 'The field takes any text, where the API refuses all but `whatsapp`.',
    changes: [{ set: `${schema('BaseMessageProperties')}/properties/messaging_product/enum`, value: ['whatsapp'] }],
  },
]
