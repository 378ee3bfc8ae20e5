export { openApiDocument } from './document.js'
export { errorKindsOf } from './responses.js'
