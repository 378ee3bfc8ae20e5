import { sql } from 'kysely'
import { iso } from '../../database/index.js'
import {
  type ColumnRef,
  computed,
  contains,
  type ListQuery,
  linked,
  owned,
  Reads,
  since,
  until,
  where,
} from '../../kit/reads/index.js'
import { isUuid } from '../../shared/ids.js'
import { Tag } from '../reference/tag.entity.js'
import type { Attribution } from './attribution.types.js'
import { Contact, ContactNote, ContactTag } from './contact.entity.js'
import { type ContactFilter, ContactSortField } from './contact.inputs.js'
import { contactTally } from './contact.tally.js'
import { isContactOf } from './contact-own.service.js'

/** A contact as a read brings it: the columns that were asked for, and what belongs to it along with them. */
export type ContactRow = Partial<Contact> & {
  id: string
  tags?: Tag[]
  notes?: ContactNote[]
  attribution?: Attribution | null
}

/** Which contacts, in which order, which part of them. */
export type ContactQuery = ListQuery<ContactFilter, ContactSortField>

// Of no visits there is no attribution: the inner joins leave no row then, and no row is null.
const attribution = (of: ColumnRef) => {
  const mine = sql`from contact_touch t where t.account_id = ${of('account_id')} and t.contact_id = ${of('id')}`
  return sql`(select json_build_object('firstUtmSource', f.utm_source, 'firstUtmMedium', f.utm_medium,
    'firstUtmCampaign', f.utm_campaign, 'firstChannel', f.channel, 'firstLandingUrl', f.landing_url,
    'firstTouch', f.raw, 'lastTouch', l.raw, 'touchCount', (select count(*)::int ${mine}),
    'firstSeenAt', ${iso('f.occurred_at')}, 'lastSeenAt', ${iso('l.occurred_at')})
  from (select * ${mine} order by t.occurred_at, t.id limit 1) f,
    (select * ${mine} order by t.occurred_at desc, t.id desc limit 1) l)`
}

// The texts of `folded` are name, email and company, with chr(1) between them, which no text holds.
const folded = (of: ColumnRef) => of('folded')
const text = true

/** The reads of contacts. */
export const contactReads = new Reads<ContactRow, ContactFilter, ContactSortField>({
  entity: Contact,
  children: {
    tags: linked(Tag, ContactTag, 'contact', 'tag'),
    notes: owned(ContactNote, 'contact', 'createdAt'),
    attribution: computed(attribution, null),
  },
  own: where((of, seller) => isContactOf(seller, of('id'))),
  ownList: {
    source: sql`(select s.account_id, s.user_id, s.contact_id as id, s.contact_created_at as created_at,
      s.contact_name_key as name_key from contact_seller s)`,
    by: [ContactSortField.CREATED_AT, ContactSortField.NAME],
    condition: (of, seller) => sql`${of('user_id')} = ${seller}`,
  },
  filters: {
    search: contains(folded, { text }),
    company: where((of, value) => sql`${of('folded')} like '%' || chr(1) || '%' || chr(1) || like_pattern(${value})`, {
      text,
    }),
    email: where((of, value) => sql`${of('folded')} like '%' || chr(1) || like_pattern(${value}) || chr(1) || '%'`, {
      text,
    }),
    phone: where((of, value) => sql`${of('phone_digits')} like '%' || ${value} || '%'`, {
      text,
      prepare: (phone) => String(phone).replace(/[^0-9]/g, '') || undefined,
    }),
    source: where((of, value) => sql`lower(${of('source')}) = lower(${value})`),
    tagIds: where(
      (of, value) => sql`exists (select from contact_tag ct
        where ct.contact_id = ${of('id')} and ct.tag_id = any(${value}::uuid[]))`,
      {
        prepare: (ids) =>
          someOf(
            (ids as string[])
              .filter(isUuid)
              .map((id) => id.toLowerCase())
              .toSorted(),
          ),
      },
    ),
    createdAfter: since('createdAt'),
    createdBefore: until('createdAt'),
    updatedAfter: since('updatedAt', { recent: 'updated_at' }),
    updatedBefore: until('updatedAt'),
  } satisfies Record<keyof ContactFilter, unknown>,
  sorts: {
    [ContactSortField.CREATED_AT]: 'createdAt',
    [ContactSortField.UPDATED_AT]: 'updatedAt',
    [ContactSortField.NAME]: { text: 'name' },
    [ContactSortField.COMPANY]: { text: 'company' },
    [ContactSortField.LAST_INTERACTION]: 'lastInteraction',
  },
  tallies: [contactTally],
  syncs: [{ after: 'updatedAfter', by: ContactSortField.UPDATED_AT }],
})

const someOf = (ids: string[]) => (ids.length > 0 ? ids : undefined)
