import { defineDomain } from '../../kit/domain.js'
import { accounts } from '../accounts/index.js'
import { DiscardReason } from './discard-reason.entity.js'
import { DiscardReasonResolver } from './discard-reason.resolver.js'
import { Product } from './product.entity.js'
import { ProductResolver } from './product.resolver.js'
import { Sector } from './sector.entity.js'
import { SectorResolver } from './sector.resolver.js'
import { Tag } from './tag.entity.js'
import { TagResolver } from './tag.resolver.js'

export { DiscardReason } from './discard-reason.entity.js'
export { Product } from './product.entity.js'
export { discardReasonReads, productReads, sectorReads } from './records.reads.js'
export { Sector } from './sector.entity.js'
export { Tag } from './tag.entity.js'
export { tagDeleted } from './tag.facts.js'
export { tagsNamed } from './tag-names.service.js'

/** The lists that the account's other records refer to. */
export const reference = defineDomain({
  name: 'reference',
  uses: [accounts],
  entities: [Sector, DiscardReason, Product, Tag],
  resolvers: [TagResolver, SectorResolver, DiscardReasonResolver, ProductResolver],
  permissions: {
    'sectors:read': 'list sectors',
    'tags:read': 'list tags',
    'tags:write': 'create tags',
    'discard_reasons:read': 'list discard reasons',
    'products:read': 'list products',
  },
  demo: () => import('./demo/index.js'),
})
