export { type DocumentInfo, openApiDocument } from './document.js'
export { errorCodesOf } from './responses.js'
