import { createHash } from 'node:crypto'
import { invalid, missing } from './errors.js'
import { type Asked, type Manners, type Taken, takeMessage } from './messages.js'
import type { BusinessNumber, Media, World } from './world.js'

/** A call whose token was found right. */
export interface Call {
  world: World
  /** Whose token it carries. */
  number: BusinessNumber
  id: string
  query: URLSearchParams
  body: unknown
  file?: { type: string; bytes: Buffer }
  base: string
  manners: Manners
}

/** One address of the API, with its place in the description. */
export interface Route {
  verb: string
  path: RegExp
  described: string
  run(call: Call): Taken
}

const numberOf = ({ number, id }: Call) => {
  if (number.id !== id) throw missing(id)
  return number
}

const accountOf = ({ number, id }: Call) => {
  if (number.account !== id) throw missing(id)
  return id
}

const mediaOf = ({ world, number, id }: Call): Media => {
  const media = world.media.get(id)
  if (media?.numberId !== number.id) throw missing(id)
  return media
}

const shown = ({ id, display, name }: BusinessNumber) => ({
  id,
  display_phone_number: display,
  verified_name: name,
  quality_rating: 'GREEN',
  code_verification_status: 'VERIFIED',
})

/** The addresses that it answers at, those with a word in front of those with an id alone. */
export const ROUTES: readonly Route[] = [
  {
    verb: 'POST',
    path: /^\/([^/]+)\/messages$/,
    described: '/{Version}/{Phone-Number-ID}/messages',
    run: (call) => takeMessage(call.world, numberOf(call), call.body as Asked, call.manners),
  },
  {
    verb: 'POST',
    path: /^\/([^/]+)\/media$/,
    described: '/{Version}/{Phone-Number-ID}/media',
    run: (call) => {
      if (!call.file) throw invalid('The file is missing')
      const id = call.world.id()
      call.world.media.set(id, { id, ...call.file, numberId: numberOf(call).id })
      return { answer: { id } }
    },
  },
  {
    verb: 'GET',
    path: /^\/([^/]+)\/phone_numbers$/,
    described: '/{Version}/{WABA-ID}/phone_numbers',
    run: (call) => {
      const account = accountOf(call)
      const own = [...call.world.numbers.values()].filter((number) => number.account === account)
      return { answer: { data: own.map((number) => ({ ...shown(number), status: 'LINKED' })) } }
    },
  },
  {
    verb: 'GET',
    path: /^\/([^/]+)\/message_templates$/,
    described: '/{Version}/{WABA-ID}/message_templates',
    run: (call) => {
      const account = accountOf(call)
      const own = call.world.templates.filter((template) => template.account === account)
      const data = own.map(({ name, language, status, body }, index) => ({
        id: String(index + 1),
        name,
        language,
        status,
        category: 'UTILITY',
        components: [{ type: 'BODY', text: body }],
      }))
      return { answer: { data, paging: { cursors: { before: 'MAZDZD', after: 'MjQZD' } } } }
    },
  },
  {
    verb: 'GET',
    path: /^\/([^/]+)$/,
    described: '/{Version}/{Phone-Number-ID}',
    run: (call) => (call.world.media.has(call.id) ? told(call) : { answer: shown(numberOf(call)) }),
  },
  {
    verb: 'DELETE',
    path: /^\/([^/]+)$/,
    described: '/{Version}/{Media-ID}',
    run: (call) => {
      call.world.media.delete(mediaOf(call).id)
      return { answer: { success: true } }
    },
  },
]

function told(call: Call): Taken {
  const { id, type, bytes } = mediaOf(call)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const url = `${call.base}/_media/${id}`
  return {
    // A file and a number have addresses of one form.
    described: '/{Version}/{Media-ID}',
    answer: { messaging_product: 'whatsapp', url, mime_type: type, sha256, file_size: String(bytes.length), id },
  }
}
