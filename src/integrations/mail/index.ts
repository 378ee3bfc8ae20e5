export type { Mail, Mailer } from './mailer.js'
export { SandboxMailer } from './sandbox.js'
