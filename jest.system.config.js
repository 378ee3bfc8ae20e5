import { configOf, neighboursProject, systemProject, thoroughProject } from './test/support/jest/config.js'

export default configOf(neighboursProject, thoroughProject, systemProject)
