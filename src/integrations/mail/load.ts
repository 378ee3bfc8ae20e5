import { lazily } from '../../shared/lazily.js'

/** The package, which only a process that sends mail loads. */
export const nodemailer = lazily<typeof import('nodemailer')>('nodemailer')
