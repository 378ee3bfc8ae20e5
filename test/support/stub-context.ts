import type { Context } from '../../src/database/index.js'
import type { Viewer } from '../../src/shared/viewer.js'
import { Warnings } from '../../src/shared/warnings.js'

/** The context of a call whose operations are the test's own and need no database, or only so much of it. */
export function stubContext(requestId: string, viewer: Viewer, db?: object): Context {
  const stub = {
    ...{ requestId, viewer, db },
    perRequest: new Map(),
    warnings: new Warnings(),
    async begin() {},
    end() {},
    release() {},
  }
  return stub as unknown as Context
}
