import { configOf, neighboursProject, systemProject } from './test/support/jest/config.js'

export default configOf(neighboursProject, systemProject)
