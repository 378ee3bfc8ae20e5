export { Tag } from './tag.entity.js'
export { TagResolver } from './tag.resolver.js'
