import { configOf, integrationProject, staticProject } from './test/support/jest/config.js'

export default configOf(staticProject, integrationProject)
