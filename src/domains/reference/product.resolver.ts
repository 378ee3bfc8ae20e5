import { referenceResolver } from '../../kit/reference/index.js'
import { Product } from './product.entity.js'
import { CreateProductInput, UpdateProductInput } from './product.inputs.js'
import { productReads } from './records.reads.js'
import { productWrites } from './records.service.js'

/** Lists and manages products. */
export const ProductResolver = referenceResolver({
  entity: Product,
  inputs: { create: CreateProductInput, update: UpdateProductInput },
  reads: productReads,
  writes: productWrites,
  fields: { one: 'product', many: 'products' },
  words: { one: 'product', many: 'products' },
  permissions: { read: 'products:read' },
  uniqueName: false,
})
