import type { Api } from '../api.js'

/** What tools' answers look like: nothing stands around them, and errors have the shared codes. */
export const TOOL_STYLE: Pick<Api, 'success' | 'failure' | 'renamed'> = { success: {}, failure: {}, renamed: {} }
