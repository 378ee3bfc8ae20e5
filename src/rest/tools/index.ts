export { callTool, inWords, mayUse, type ToolMeans, type ToolOutcome } from './call.js'
export type { Shortened } from './fit.js'
export { type Tool, toolsOf } from './tool.js'
