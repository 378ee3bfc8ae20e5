import { sql } from 'kysely'
import { param, type Scope, Statement } from '../../database/index.js'
import { ReferenceWrites } from '../../kit/reference/index.js'
import { DiscardReason } from './discard-reason.entity.js'
import { Product } from './product.entity.js'
import type { CreateProductInput } from './product.inputs.js'
import { discardReasonReads, productReads, sectorReads, tagReads } from './records.reads.js'
import { Sector } from './sector.entity.js'
import { Tag } from './tag.entity.js'
import { tagDeleted } from './tag.facts.js'
import type { CreateTagInput } from './tag.inputs.js'

/** The colour of a tag for which none was chosen: a grey that suits light and dark pages. */
export const PLAIN = '#64748b'

const lockTag = new Statement<{ id: string }>(
  sql<{ id: string }>`select id from tag where account_id = ${param('account')} and id = ${param('id')} for update`,
)

/** The tag is locked first: nobody puts it on a further contact while those who listen look for what carries it. */
async function announceDeletion(db: Scope, tagId: string): Promise<void> {
  const [locked] = await db.rows(lockTag, { id: tagId })
  if (locked) await db.announce(tagDeleted, { tagId: locked.id })
}

const tags = new ReferenceWrites<Tag>({
  entity: Tag,
  reads: tagReads,
  what: 'tag',
  table: 'tag',
  uniqueName: 'tag_unique_name',
  beforeDelete: announceDeletion,
})

/** The writes of tags. Deleting one takes it off the contacts that carry it. */
export const tagWrites = {
  create: (db: Scope, { name, color }: CreateTagInput) => tags.create(db, { name, color: color ?? PLAIN }),
  update: tags.update.bind(tags),
  delete: tags.delete.bind(tags),
}

/** The writes of sectors. */
export const sectorWrites = new ReferenceWrites<Sector>({
  entity: Sector,
  reads: sectorReads,
  what: 'sector',
  table: 'sector',
  uniqueName: 'sector_unique_name',
})

/** The writes of discard reasons. */
export const discardReasonWrites = new ReferenceWrites<DiscardReason>({
  entity: DiscardReason,
  reads: discardReasonReads,
  what: 'discard reason',
  table: 'discard_reason',
  uniqueName: 'discard_reason_unique_name',
})

const accountCurrency = new Statement<{ currency: string }>(
  sql<{ currency: string }>`select currency from account where id = ${param('account')}`,
  { prepared: true },
)

const products = new ReferenceWrites<Product>({
  entity: Product,
  reads: productReads,
  what: 'product',
  table: 'product',
})

/** The writes of products. A new one is priced in the account's currency unless said otherwise. */
export const productWrites = {
  create: async (db: Scope, input: CreateProductInput) => {
    const currency = input.currency ?? (await db.rows(accountCurrency, {}))[0]!.currency
    return products.create(db, { ...input, currency })
  },
  update: products.update.bind(products),
  delete: products.delete.bind(products),
}
