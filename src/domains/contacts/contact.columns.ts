import { type RawBuilder, sql } from 'kysely'
import { columnOf, iso } from '../../database/index.js'
import type { Selection } from '../../kit/selection.js'
import type { Tag } from '../reference/tag.entity.js'
import type { Attribution } from './attribution.js'
import type { Contact, ContactNote } from './contact.entity.js'

/** What belongs to a contact and is read along with it. */
export interface PartValues {
  tags: Tag[]
  notes: ContactNote[]
  attribution: Attribution | null
}

/** A contact as a read brings it: the columns that were asked for, tags and notes along with them. */
export type ContactRow = Partial<Contact> & { id: string } & { [P in Part]?: PartValues[P] }

const SCALARS = [
  'id',
  'name',
  'email',
  'phone',
  'company',
  'title',
  'location',
  'linkedinProfileUrl',
  'headline',
  'about',
  'profilePicture',
  'extractedContacts',
  'source',
  'sourceChannel',
  'customFields',
  'lastInteraction',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof Contact)[]

/** That a row under this name is a visit of the contact `c`. */
function touchesOf(name: string) {
  return sql`${sql.ref(`${name}.account_id`)} = c.account_id and ${sql.ref(`${name}.contact_id`)} = c.id`
}

/** A tag `t` as JSON, in the shape of its GraphQL type. */
const tagJson = sql`json_build_object('id', t.id, 'name', t.name, 'color', t.color,
    'createdAt', ${iso('t.created_at')})`

/** Tags `t` as a JSON list, by name without regard to case and accents. */
export const tagsJson = sql`coalesce(json_agg(${tagJson} order by t.name_key, t.id), '[]')`

const tags = sql<Tag[]>`(select ${tagsJson}
  from contact_tag ct join tag t on t.id = ct.tag_id where ct.contact_id = c.id)`

const notes = sql<ContactNote[]>`(select coalesce(json_agg(json_build_object('id', n.id, 'note', n.note,
    'createdAt', ${iso('n.created_at')}) order by n.created_at, n.id), '[]')
  from contact_note n where n.account_id = c.account_id and n.contact_id = c.id)`

// Of no visits there is no attribution: the inner joins leave no row then, and no row is null.
const attribution = sql<Attribution | null>`(select json_build_object('firstUtmSource', f.utm_source,
    'firstUtmMedium', f.utm_medium, 'firstUtmCampaign', f.utm_campaign, 'firstChannel', f.channel,
    'firstLandingUrl', f.landing_url, 'firstTouch', f.raw, 'lastTouch', l.raw,
    'touchCount', (select count(*)::int from contact_touch t where ${touchesOf('t')}),
    'firstSeenAt', ${iso('f.occurred_at')}, 'lastSeenAt', ${iso('l.occurred_at')})
  from (select * from contact_touch t where ${touchesOf('t')} order by t.occurred_at, t.id limit 1) f,
    (select * from contact_touch t where ${touchesOf('t')} order by t.occurred_at desc, t.id desc limit 1) l)`

/** What belongs to a contact, as expressions over a contact `c`. */
export const PARTS = { tags, notes, attribution }
export type Part = keyof typeof PARTS
const PART_NAMES = Object.keys(PARTS) as Part[]

/**
 * The expressions, over a contact `c`, for what an operation asks of it; the id is always among them. A list reads some
 * parts in its own way.
 */
export function contactColumns(selection: Selection, except?: Part): RawBuilder<unknown>[] {
  const scalars = SCALARS.filter((name) => name === 'id' || selection.has(name))
  const parts = PART_NAMES.filter((name) => selection.has(name) && name !== except)
  return [
    ...scalars.map((name) => sql`${sql.ref(`c.${columnOf(name)}`)} as ${sql.ref(name)}`),
    ...parts.map((name) => sql`${PARTS[name] as RawBuilder<unknown>} as ${sql.ref(name)}`),
  ]
}

/** Every column of a contact, and none of its parts. */
export const ALL_SCALARS: Selection = new Map(SCALARS.map((name) => [name, new Map()]))

const shapes = new WeakMap<Selection, string>()

/** A text that stands for the columns of a selection, to keep compiled statements by. */
export function shapeOf(selection: Selection): string {
  let shape = shapes.get(selection)
  if (shape === undefined) {
    shape = [...SCALARS, ...PART_NAMES].filter((name) => selection.has(name)).join()
    shapes.set(selection, shape)
  }
  return shape
}
