export { ReportResolver } from './report.resolver.js'
