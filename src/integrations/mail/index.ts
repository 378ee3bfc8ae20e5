export { type Delivered, type DkimKey, handOver, type Mail, type Mailbox, type Mailer } from './mailer.js'
export { SandboxMailer } from './sandbox.js'
export { SmtpMailer, type SmtpPatience } from './smtp.js'
