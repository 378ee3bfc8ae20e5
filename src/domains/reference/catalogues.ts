import { sql } from 'kysely'
import { Catalogue, columnsOf, type Scope } from '../../database/index.js'
import type { DiscardReason } from './discard-reason.entity.js'
import type { Product } from './product.entity.js'
import type { Sector } from './sector.entity.js'
import type { Tag } from './tag.entity.js'

/** The reads of tags. */
export const tags = new Catalogue<Tag>({ table: 'tag', columns: columnsOf('id', 'name', 'color', 'createdAt') })

/** The reads of sectors. */
export const sectors = new Catalogue<Sector>({
  table: 'sector',
  columns: columnsOf('id', 'name', 'description', 'color', 'isActive', 'createdAt', 'updatedAt'),
  keepsDeleted: true,
})

/** The reads of discard reasons, which are listed in an order of the account's own. */
export const discardReasons = new Catalogue<DiscardReason>({
  table: 'discard_reason',
  columns: columnsOf('id', 'name', 'description', 'isActive', 'displayOrder', 'createdAt'),
  keepsDeleted: true,
  sort: { column: 'display_order', nullable: false, descending: false, second: 'name_key' },
})

/** The reads of products; `numeric` would come as text, and all that it holds fits a double exactly enough. */
export const products = new Catalogue<Product>({
  table: 'product',
  columns: [
    ...columnsOf('id', 'name', 'description', 'currency', 'timeUnit', 'isActive', 'createdAt', 'updatedAt'),
    sql`t.default_price::float8 as "defaultPrice"`,
  ],
  keepsDeleted: true,
})

// What other domains may look up. A record that is to be referred to anew must be found; one that is referred to already
// is loaded, even when it has been deleted since.

/** Loads sectors by id, deleted ones among them; null where the account has none of that id. */
export const sectorLoader = sectors.loader

/** Loads discard reasons by id, deleted ones among them; null where the account has none of that id. */
export const discardReasonLoader = discardReasons.loader

/** Loads products by id, deleted ones among them; null where the account has none of that id. */
export const productLoader = products.loader

/** The account's sector of this id; null where there is none, or it was deleted. */
export const findSector = (db: Scope, id: string): Promise<Sector | null> => sectors.find(db, id)

/** The account's discard reason of this id; null where there is none, or it was deleted. */
export const findDiscardReason = (db: Scope, id: string): Promise<DiscardReason | null> => discardReasons.find(db, id)

/** The account's product of this id; null where there is none, or it was deleted. */
export const findProduct = (db: Scope, id: string): Promise<Product | null> => products.find(db, id)
