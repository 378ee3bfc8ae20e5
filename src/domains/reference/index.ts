export {
  discardReasonLoader,
  findDiscardReason,
  findProduct,
  findSector,
  productLoader,
  sectorLoader,
} from './catalogues.js'
export { DiscardReason } from './discard-reason.entity.js'
export { DiscardReasonResolver } from './discard-reason.resolver.js'
export { Product } from './product.entity.js'
export { ProductResolver } from './product.resolver.js'
export { Sector } from './sector.entity.js'
export { SectorResolver } from './sector.resolver.js'
export { Tag } from './tag.entity.js'
export { TagResolver } from './tag.resolver.js'
