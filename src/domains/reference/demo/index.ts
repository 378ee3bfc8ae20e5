import { type DemoWork, listed } from '../../../kit/demo.js'
import { DiscardReason } from '../discard-reason.entity.js'
import { Product } from '../product.entity.js'
import { Sector } from '../sector.entity.js'
import { Tag } from '../tag.entity.js'
import { discardReasons, products, sectors, tags } from './data.js'

/** Makes the demo account's reference records; of the discard reasons also what is remarked when one applies. */
export function makeDemo({ em, accountId }: DemoWork) {
  const made = {
    tags: tags.map((tag) => em.create(Tag, { ...tag, accountId })),
    sectors: sectors.map((sector) => em.create(Sector, { ...sector, accountId })),
    discardReasons: discardReasons.map(({ remark: _, ...reason }, index) =>
      em.create(DiscardReason, { ...reason, displayOrder: index + 1, accountId }),
    ),
    remarks: discardReasons.map(({ remark }) => remark),
    products: products.map((product) => em.create(Product, { ...product, currency: 'BRL', accountId })),
  }
  const ids = {
    tags: listed(made.tags),
    sectors: listed(made.sectors),
    discard_reasons: listed(made.discardReasons),
    products: listed(made.products),
  }
  return { made, ids }
}
