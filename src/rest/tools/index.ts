export { callTool, inWords, MAX_ANSWER, mayUse, type ToolOutcome } from './call.js'
export { type Tool, toolsOf } from './tool.js'
