import { configOf, systemProject } from './test/support/jest/config.js'

export default configOf(systemProject)
