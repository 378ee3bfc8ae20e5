import { defineNeed } from '../database/index.js'

/** Where a service tells of a failure that must not end the call: what went wrong, and where. */
export const errorLog = defineNeed<(error: unknown, message: string) => void>('errorLog')
