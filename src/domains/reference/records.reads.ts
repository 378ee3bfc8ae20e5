import { referenceReads } from '../../kit/reference/index.js'
import { DiscardReason } from './discard-reason.entity.js'
import { Product } from './product.entity.js'
import { Sector } from './sector.entity.js'
import { Tag } from './tag.entity.js'

// A record that is to be referred to anew must be found; one that is referred to already is loaded, even when it has been
// deleted since.
const keepsDeleted = true

/** The reads of tags. */
export const tagReads = referenceReads(Tag)

/** The reads of sectors. */
export const sectorReads = referenceReads(Sector, { keepsDeleted })

/** The reads of discard reasons, which are listed in an order of the account's own. */
export const discardReasonReads = referenceReads(DiscardReason, {
  keepsDeleted,
  sorts: { display_order: { column: 'display_order', nullable: false, second: 'name_key' } },
})

/** The reads of products. */
export const productReads = referenceReads(Product, { keepsDeleted })
